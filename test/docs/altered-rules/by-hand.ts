interface ByHand {
  readonly file: string;
  /** Each place where the file has this. */
  readonly from: string;
  readonly to: string;
}

const BALANCES = 'lambdas/data/resources/balances.ts';
const BLOCKS = 'lambdas/data/resources/blocks.ts';
const OPERATIONS = 'lambdas/data/operations/operations.ts';
const STATUS = 'lambdas/status/chain-status.ts';
const SQL_TEXT = 'lambdas/data/plan/sql-text.ts';
const DEFAULT_LIMIT: ByHand = {
  file: OPERATIONS,
  from: 'maximum: 500, default: 50 ',
  to: 'maximum: 500, default: 51 ',
};
const DIGITS: ByHand = {
  file: SQL_TEXT,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a file
  from: 'return `${column}::text`',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a file
  to: 'return `(${column})::float8`',
};

/** What breaks rules whose names say too little, by clause. */
export const BY_HAND: Readonly<Record<string, ByHand>> = {
  'Gateway status: `checked_at`, `gateway.status`, `chains`': {
    file: STATUS,
    from: 'gateway: {',
    to: 'door: {',
  },
  'Only publicly available chains are listed': {
    file: STATUS,
    from: 'chains.filter((chain) => chain.public)',
    to: 'chains.slice()',
  },
  '`/addresses/{address}/balances`: `limit` default 50, maximum 500; a cursor pages further': DEFAULT_LIMIT,
  'Balances page size: default 50, maximum 500': DEFAULT_LIMIT,
  'Key: `rgw_` and 64 hex characters': {
    file: 'lambdas/access/keys/api-key.ts',
    from: '/^rgw_[0-9a-f]{64}$/',
    to: '/^rgw_[0-9a-f]{63}$/',
  },
  'Keys are provisioned manually by the operator': {
    file: 'lambdas/access/keys/api-key.ts',
    from: "return hash('sha256', apiKey)",
    to: 'return apiKey',
  },
  'Billing is settled hourly': {
    file: 'lib/metering/hourly-work.ts',
    from: 'Schedule.rate(Duration.hours(1))',
    to: 'Schedule.rate(Duration.hours(2))',
  },
  'Values that can exceed 2^53 are decimal strings': DIGITS,
  'Integer safety: values above 2^53 are decimal strings': DIGITS,
  '`coverage`: `full` is the value that occurs': {
    file: 'lambdas/data/plan/response-meta.ts',
    from: "'[]') THEN 'full'",
    to: "'[]') THEN 'whole'",
  },
  'Block: fields and types of the table': {
    file: BLOCKS,
    from: "hex('t.parent_hash')",
    to: "hex('t.hash')",
  },
  '`/blocks/{number}`: integer block number': {
    file: OPERATIONS,
    from: `name: "number", in: "path", required: true, kind: 'height'`,
    to: `name: "number", in: "path", required: true, kind: 'text', maxLength: 1`,
  },
  'Freshness: only the six of the table are nullable': {
    file: 'api/data-api.yaml',
    from: "max_day: { type: [string, 'null'], format: date",
    to: 'max_day: { type: string, format: date',
  },
  'Balance entry: `symbol` string, `decimals` integer': {
    file: BALANCES,
    from: "coalesce(token.symbol, '')",
    to: 'token.symbol',
  },
  'An address without balances: 200 with an empty array, never 404': {
    file: BALANCES,
    from: "listAddressBalances: ({ schema, bind }, { address }) => ({\n    shape: 'list'",
    to: "listAddressBalances: ({ schema, bind }, { address }) => ({\n    shape: 'one'",
  },
  'The Data API is generated from one pinned machine-readable description': {
    file: 'api/data-api.yaml',
    from: 'x-compute-units: 15',
    to: 'x-compute-units: 16',
  },
  "Exact figures come from the account's plan": {
    file: 'lambdas/access/accounts/account-views.ts',
    from: '!Object.hasOwn(settings.plans, plan)',
    to: '!(plan in settings.plans)',
  },
  'Trace gaps are recorded in `_trace_gaps`': {
    file: 'lambdas/chain-data/store/trace-gaps.ts',
    from: 'INSERT INTO {{schema}}._trace_gaps',
    to: 'INSERT INTO {{schema}}._altered',
  },
  "CU burst: a request's cost must not exceed the key's bucket capacity": {
    file: 'lambdas/access/admit.ts',
    from: 'price.cu > plan.bucketCapacity',
    to: 'price.cu > 2 * plan.bucketCapacity',
  },
  'Balance, CU buckets and per-second request limits are shared across all chains': {
    file: 'lambdas/access/bucket/bucket.ts',
    from: 'increment: refillTime(',
    to: 'increment: 0n * refillTime(',
  },
  '`HEAD` on keyless routes is `GET` without a body; elsewhere 404': {
    file: 'lib/edge/api-routes.ts',
    from: "(['GET', 'HEAD'] as const)",
    to: "(['GET'] as const)",
  },
};
