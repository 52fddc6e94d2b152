/** Names of the environment variables that the stack sets and the functions read. */
export const KEYS_TABLE_VARIABLE = 'KEYS_TABLE';
export const ACCOUNTS_TABLE_VARIABLE = 'ACCOUNTS_TABLE';
export const LEDGER_TABLE_VARIABLE = 'LEDGER_TABLE';
export const LANES_TABLE_VARIABLE = 'LANES_TABLE';
export const UNSETTLED_TABLE_VARIABLE = 'UNSETTLED_TABLE';
export const BALANCES_TABLE_VARIABLE = 'BALANCES_TABLE';
/** Variable with the name of the function that keeps the balance views of wide accounts. */
export const BALANCES_FUNCTION_VARIABLE = 'BALANCES_FUNCTION';
export const CHARGE_QUEUE_URL_VARIABLE = 'CHARGE_QUEUE_URL';
/** Variable with the bucket of the leaves that settlement has added up. */
export const EVIDENCE_BUCKET_VARIABLE = 'EVIDENCE_BUCKET';
/** Variables with the bucket of signed heads, and the key of KMS that signs them. */
export const HEADS_BUCKET_VARIABLE = 'HEADS_BUCKET';
export const HEAD_KEY_VARIABLE = 'HEAD_KEY';
/** Variable with the secret that has the key of receipts. */
export const ISSUER_SECRET_VARIABLE = 'ISSUER_SECRET';
export const CACHE_TABLE_VARIABLE = 'CACHE_TABLE';
/** Variable with the table of what the bounds of keys refused: that of the shared responses, for functions that hold none. */
export const REFUSALS_TABLE_VARIABLE = 'REFUSALS_TABLE';

/** Set for a function with access to the chain database: where that is, and the secret of the function's role. */
export const DATABASE_ARN_VARIABLE = 'CHAIN_DATABASE_ARN';
export const DATABASE_NAME_VARIABLE = 'CHAIN_DATABASE_NAME';
export const DATABASE_SECRET_ARN_VARIABLE = 'CHAIN_DATABASE_SECRET_ARN';
/** Set beside these for the Data API: the key that its tags and cursors are sealed with. */
export const ANSWER_KEY_VARIABLE = 'ANSWER_KEY';

/** Variable with the name of the chain that a function indexes. */
export const INDEXED_CHAIN_VARIABLE = 'INDEXED_CHAIN';
/** Variable with the milliseconds after which its node is asked for the head again. Absent: they follow from the time of a block. */
export const HEAD_PAUSE_VARIABLE = 'HEAD_PAUSE_MS';

/** Variables of the probe: the public URL that it asks, and the name of the secret with its API key. */
export const PROBE_URL_VARIABLE = 'PROBE_URL';
export const PROBE_SECRET_VARIABLE = 'PROBE_SECRET';
/** Variable of the probe with the functions whose releases it compares: `rpc=NAME,data=NAME`. */
export const RELEASED_FUNCTIONS_VARIABLE = 'RELEASED_FUNCTIONS';

/** Variable with the URL of the queue that keeps slots in which a chain could not be derived. */
export const FAILED_ROLLUPS_QUEUE_VARIABLE = 'FAILED_ROLLUPS_QUEUE_URL';

/** Variable with the URL of the queue of ranges to backfill. */
export const BACKFILL_QUEUE_URL_VARIABLE = 'BACKFILL_QUEUE_URL';

/** Variable with the bucket of the files that operators fill chains from. */
export const BLOCK_FILES_BUCKET_VARIABLE = 'BLOCK_FILES_BUCKET';

/** Variable with the bucket of the files that the chain database imports. */
export const IMPORT_BUCKET_VARIABLE = 'IMPORT_BUCKET';

/** Variable with the requests that one environment of the function may have at a time. */
export const REQUESTS_PER_ENVIRONMENT_VARIABLE = 'REQUESTS_PER_ENVIRONMENT';
/** Variable of Lambda's runtime on instances: threads of an environment, each of which loads the function for itself. */
export const INSTANCE_WORKERS_VARIABLE = 'AWS_LAMBDA_NODEJS_WORKER_COUNT';

/** Variable with the URL of the node that a local run starts for a chain whose upstream is `embedded`. */
export function embeddedUpstreamVariable(chain: string): string {
  return `EMBEDDED_UPSTREAM_${chain.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
}

/** Value of a variable that the stack always sets; its absence is a defect of the deployment. */
export function requireVariable(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`environment variable ${name} is not set`);
  return value;
}
