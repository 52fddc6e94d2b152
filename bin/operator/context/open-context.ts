import { createDynamoStore } from '../../../lambdas/access/store/dynamo-store.ts';
import { createRefusalStore } from '../../../lambdas/access/store/refusal-store.ts';
import { createCacheStore } from '../../../lambdas/shared/aws/cache-store.ts';
import type { ClientConfig } from '../../../lambdas/shared/aws/client-settings.ts';
import { connectHeadSigner } from '../../../lambdas/shared/aws/head-signer.ts';
import { connectObjects } from '../../../lambdas/shared/aws/object-store.ts';
import { systemClock } from '../../../lambdas/shared/runtime/clock.ts';
import type { CacheAccess, Context } from './command.ts';
import type { GatewayOutputs } from './gateway-outputs.ts';
import { readLocalGateway } from './local-gateway.ts';
import { requireLocalRun } from './require-local-run.ts';

/** Where the gateway is that a command works on. */
export type GatewayTarget =
  | { readonly dataDir: string }
  | { readonly stack: string; readonly region: string | undefined };

/** An operator may be far from the region, and waits for a response sooner than for a refusal. */
const CONNECT_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 15_000;

/**
 * Opens the gateway of a local run or of a stack. Rejects with InputError if there is none. Clients that few commands
 * need are loaded by those: loading all takes longer than most commands.
 */
export async function openContext(target: GatewayTarget): Promise<Context> {
  if ('dataDir' in target) {
    const { outputs, clientConfig, endpoints } = await readLocalGateway(target.dataDir);
    await requireLocalRun(target.dataDir, clientConfig.endpoint);
    return contextOf(outputs, {
      dynamodb: clientConfig,
      sqs: { ...clientConfig, ...(endpoints.sqs !== undefined && { endpoint: endpoints.sqs }) },
      kms: { ...clientConfig, ...(endpoints.kms !== undefined && { endpoint: endpoints.kms }) },
      secrets: {
        ...clientConfig,
        ...(endpoints.secrets_manager !== undefined && { endpoint: endpoints.secrets_manager }),
      },
      s3: { ...clientConfig, ...(endpoints.s3 !== undefined && { endpoint: endpoints.s3 }) },
      rdsData: { ...clientConfig, ...(endpoints.rds_data !== undefined && { endpoint: endpoints.rds_data }) },
    });
  }
  const { readStack } = await import('./read-stack.ts');
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
  const {
    tableNames,
    plans,
    shards,
    defaultPlan,
    groupCommitCu,
    indexing,
    cache,
    buckets,
    headKeyArn,
    issuerSecretArn,
    releases,
  } = outputs;
  const store = createDynamoStore({
    tableNames,
    clientConfig: clients.dynamodb,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
  });
  return {
    store,
    clock: systemClock,
    plans,
    shards,
    defaultPlan,
    groupCommitCu,
    openTables: async () => {
      const { createTableReader } = await import('../restore/table-reader.ts');
      const reader = createTableReader({
        config: clients.dynamodb,
        connectTimeoutMs: CONNECT_TIMEOUT_MS,
        timeoutMs: REQUEST_TIMEOUT_MS,
      });
      return { reader, names: tableNames };
    },
    ...(buckets !== undefined && {
      openBucket: async (bucket) =>
        connectObjects({
          bucket: buckets[bucket],
          config: clients.s3,
          connectTimeoutMs: CONNECT_TIMEOUT_MS,
          timeoutMs: REQUEST_TIMEOUT_MS,
        }),
    }),
    ...(headKeyArn !== undefined && {
      openSigner: async () =>
        connectHeadSigner({
          keyArn: headKeyArn,
          config: clients.kms,
          connectTimeoutMs: CONNECT_TIMEOUT_MS,
          timeoutMs: REQUEST_TIMEOUT_MS,
        }),
    }),
    ...(issuerSecretArn !== undefined && {
      writeIssuer: async (text) => {
        const { connectSecrets } = await import('../../../lambdas/shared/aws/secrets.ts');
        await connectSecrets({
          config: clients.secrets,
          connectTimeoutMs: CONNECT_TIMEOUT_MS,
          timeoutMs: REQUEST_TIMEOUT_MS,
        }).write(issuerSecretArn, text);
      },
    }),
    ...(cache !== undefined && {
      cache: cacheOf(cache, clients.dynamodb),
      refusals: createRefusalStore({
        tableName: cache.tableName,
        clientConfig: clients.dynamodb,
        requestTimeoutMs: REQUEST_TIMEOUT_MS,
      }),
    }),
    ...(releases !== undefined &&
      clients.releases !== undefined && {
        openReleases: async () => {
          const { createAwsReleases } = await import('../release/aws-releases.ts');
          const { releases: config = {} } = clients;
          return createAwsReleases({ ...releases, lambda: config, codedeploy: config });
        },
      }),
    ...(indexing !== undefined && {
      openIndexing: async () => (await import('./open-indexing.ts')).openIndexing(indexing, clients),
    }),
  };
}

function cacheOf(
  { tableName, chains }: NonNullable<GatewayOutputs['cache']>,
  clientConfig: ClientConfig,
): CacheAccess {
  const store = createCacheStore({
    tableName,
    clientConfig,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    readTimeoutMs: REQUEST_TIMEOUT_MS,
    writeTimeoutMs: REQUEST_TIMEOUT_MS,
  });
  return { chains, store };
}
