import { createDynamoStore } from '../../../lambdas/access/store/dynamo-store.ts';
import { createRefusalStore } from '../../../lambdas/access/store/refusal-store.ts';
import { createSharedTextStore } from '../../../lambdas/access/store/shared-text-store.ts';
import { createCacheStore } from '../../../lambdas/shared/aws/cache-store.ts';
import type { ClientConfig } from '../../../lambdas/shared/aws/client-settings.ts';
import { connectHeadSigner } from '../../../lambdas/shared/aws/head-signer.ts';
import { connectObjects } from '../../../lambdas/shared/aws/object-store.ts';
import { systemClock } from '../../../lambdas/shared/runtime/clock.ts';
import { sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import { connectAws } from './ask-aws.ts';
import type { Context, OpenedTables } from './command.ts';
import { type GatewayOutputs, readStack } from './gateway-outputs.ts';
import { readLocalGateway, requireLocalRun } from './local-gateway.ts';
import type { Reach } from './open-seldom.ts';

/** Where the gateway is that a command works on. */
export type GatewayTarget =
  | { readonly dataDir: string }
  | { readonly stack: string; readonly region: string | undefined };

/** An operator may be far from the region, and waits for a response sooner than for a refusal. */
const CONNECT_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 15_000;
const TIMEOUTS = { connectTimeoutMs: CONNECT_TIMEOUT_MS, timeoutMs: REQUEST_TIMEOUT_MS };

/**
 * Opens the gateway of a local run or of a stack. Rejects with InputError if it does not exist. Clients that few commands
 * need are loaded by those: loading all takes longer than most commands.
 */
export async function openContext(target: GatewayTarget): Promise<Context> {
  if ('dataDir' in target) {
    const { outputs, clientConfig, endpoints } = await readLocalGateway(target.dataDir);
    await requireLocalRun(target.dataDir, clientConfig.endpoint);
    return contextOf(outputs, (service) => {
      const { [service]: endpoint } = endpoints;
      return typeof endpoint === 'string' ? { ...clientConfig, endpoint } : clientConfig;
    });
  }
  const { outputs, clientConfig } = await readStack(target.stack, target.region);
  const { region } = clientConfig;
  const releases = { ...outputs.releases, ask: connectAws(clientConfig), region, pause: sleep };
  return { ...contextOf(outputs, () => clientConfig), releases };
}

/** The metering tables of a stage in AWS by their names: its stack may be gone. */
export async function openBooks(
  tableNames: GatewayOutputs['tableNames'],
  region: string,
): Promise<OpenedTables> {
  const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb');
  const { credentials } = new DynamoDBClient({ region }).config;
  return tablesOf(tableNames, { region, credentials });
}

function tablesOf(tableNames: GatewayOutputs['tableNames'], clientConfig: ClientConfig): OpenedTables {
  return {
    store: createDynamoStore({
      tableNames,
      clientConfig,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
    }),
    openTables: async () => {
      const { createTableReader } = await import('../restore/table-reader.ts');
      return { reader: createTableReader({ config: clientConfig, ...TIMEOUTS }), names: tableNames };
    },
  };
}

function contextOf(outputs: GatewayOutputs, reach: Reach): Context {
  const { tableNames, plans, shards, defaultPlan, groupCommitCu, indexing, cache } = outputs;
  return {
    ...tablesOf(tableNames, reach('dynamodb')),
    clock: systemClock,
    plans,
    shards,
    defaultPlan,
    groupCommitCu,
    ...evidenceOf(outputs, reach),
    ...sharedResponsesOf(cache, reach('dynamodb')),
    ...(indexing !== undefined && {
      openIndexing: async () => (await import('./open-seldom.ts')).openIndexing(indexing, reach),
    }),
  };
}

/** What bills are proved with: the buckets, the key of heads and the key of receipts. */
function evidenceOf(
  { buckets, headKeyArn, issuerSecretArn }: GatewayOutputs,
  reach: Reach,
): Pick<Context, 'openBucket' | 'openSigner' | 'writeIssuer'> {
  return {
    openBucket: async (bucket) =>
      connectObjects({ bucket: buckets[bucket], config: reach('s3'), ...TIMEOUTS }),
    openSigner: async () => connectHeadSigner({ keyArn: headKeyArn, config: reach('kms'), ...TIMEOUTS }),
    writeIssuer: async (text) => {
      const { writeIssuer } = await import('./open-seldom.ts');
      await writeIssuer(issuerSecretArn, text, { config: reach('secrets_manager'), ...TIMEOUTS });
    },
  };
}

/** What the instances of a gateway share in one table: responses, what they know of chains, and counts of refusals. */
function sharedResponsesOf(
  { tableName, chains }: GatewayOutputs['cache'],
  clientConfig: ClientConfig,
): Pick<Context, 'cache' | 'refusals'> {
  const store = createCacheStore({
    tableName,
    clientConfig,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    readTimeoutMs: REQUEST_TIMEOUT_MS,
    writeTimeoutMs: REQUEST_TIMEOUT_MS,
  });
  const refusals = createRefusalStore({ tableName, clientConfig, requestTimeoutMs: REQUEST_TIMEOUT_MS });
  const texts = createSharedTextStore({ tableName, clientConfig, requestTimeoutMs: REQUEST_TIMEOUT_MS });
  return { cache: { chains, store, texts }, refusals };
}
