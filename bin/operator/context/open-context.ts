import { createDynamoStore } from '../../../lambdas/access/store/dynamo-store.ts';
import { createRefusalStore } from '../../../lambdas/access/store/refusal-store.ts';
import { createSharedTextStore } from '../../../lambdas/access/store/shared-text-store.ts';
import { createCacheStore } from '../../../lambdas/shared/aws/cache-store.ts';
import type { ClientConfig } from '../../../lambdas/shared/aws/client-settings.ts';
import { connectHeadSigner } from '../../../lambdas/shared/aws/head-signer.ts';
import { connectObjects } from '../../../lambdas/shared/aws/object-store.ts';
import { systemClock } from '../../../lambdas/shared/runtime/clock.ts';
import type { Context, OpenedTables } from './command.ts';
import { type GatewayOutputs, readStack } from './gateway-outputs.ts';
import { readLocalGateway, requireLocalRun } from './local-gateway.ts';

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
    const at = (endpoint: string | undefined) => ({
      ...clientConfig,
      ...(endpoint !== undefined && { endpoint }),
    });
    return contextOf(outputs, {
      dynamodb: clientConfig,
      sqs: at(endpoints.sqs),
      kms: at(endpoints.kms),
      secrets: at(endpoints.secrets_manager),
      s3: at(endpoints.s3),
      rdsData: at(endpoints.rds_data),
    });
  }
  const { outputs, clientConfig } = await readStack(target.stack, target.region);
  return contextOf(outputs, {
    dynamodb: clientConfig,
    sqs: clientConfig,
    kms: clientConfig,
    secrets: clientConfig,
    s3: clientConfig,
    rdsData: clientConfig,
    releases: clientConfig,
  });
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

/** How each service is reached. */
interface ClientConfigs {
  readonly dynamodb: ClientConfig;
  readonly sqs: ClientConfig;
  readonly kms: ClientConfig;
  readonly secrets: ClientConfig;
  readonly s3: ClientConfig;
  readonly rdsData: ClientConfig;
  /** Absent: a local run, which has none. */
  readonly releases?: ClientConfig;
}

function contextOf(outputs: GatewayOutputs, clients: ClientConfigs): Context {
  const { tableNames, plans, shards, defaultPlan, groupCommitCu, indexing, cache, releases } = outputs;
  const config = clients.releases;
  return {
    ...tablesOf(tableNames, clients.dynamodb),
    clock: systemClock,
    plans,
    shards,
    defaultPlan,
    groupCommitCu,
    ...evidenceOf(outputs, clients),
    ...sharedResponsesOf(cache, clients.dynamodb),
    ...(config !== undefined && {
      openReleases: async () => {
        const { createAwsReleases } = await import('../release/aws-releases.ts');
        return createAwsReleases({ ...releases, lambda: config, codedeploy: config });
      },
    }),
    ...(indexing !== undefined && {
      openIndexing: async () => (await import('./open-seldom.ts')).openIndexing(indexing, clients),
    }),
  };
}

/** What bills are proved with: the buckets, the key of heads and the key of receipts. */
function evidenceOf(
  { buckets, headKeyArn, issuerSecretArn }: GatewayOutputs,
  { s3, kms, secrets }: ClientConfigs,
): Pick<Context, 'openBucket' | 'openSigner' | 'writeIssuer'> {
  return {
    openBucket: async (bucket) => connectObjects({ bucket: buckets[bucket], config: s3, ...TIMEOUTS }),
    openSigner: async () => connectHeadSigner({ keyArn: headKeyArn, config: kms, ...TIMEOUTS }),
    writeIssuer: async (text) => {
      const { writeIssuer } = await import('./open-seldom.ts');
      await writeIssuer(issuerSecretArn, text, { config: secrets, ...TIMEOUTS });
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
