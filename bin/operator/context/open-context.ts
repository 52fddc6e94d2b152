import { createDynamoStore } from '../../../lambdas/access/store/dynamo-store.ts';
import { createCacheStore } from '../../../lambdas/shared/aws/cache-store.ts';
import type { ClientConfig } from '../../../lambdas/shared/aws/client-settings.ts';
import { connectQueue } from '../../../lambdas/shared/aws/queue.ts';
import { connectRdsData } from '../../../lambdas/shared/aws/rds-data.ts';
import { createWorkQueue } from '../../../lambdas/shared/aws/work-queue.ts';
import { createChainDatabase } from '../../../lambdas/shared/chain-database/chain-database.ts';
import { systemClock } from '../../../lambdas/shared/runtime/clock.ts';
import type { CacheAccess, Context } from './command.ts';
import type { GatewayOutputs } from './gateway-outputs.ts';
import { readLocalGateway } from './local-gateway.ts';
import { readStack } from './read-stack.ts';
import { requireLocalRun } from './require-local-run.ts';

/** Where the gateway is that a command works on. */
export type GatewayTarget =
  | { readonly dataDir: string }
  | { readonly stack: string; readonly region: string | undefined };

/** An operator may be far from the region, and waits for an answer sooner than for a refusal. */
const CONNECT_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 15_000;
/** Time for a paused database to wake, in milliseconds. */
const RESUME_WAIT_MS = 60_000;

/** Opens the gateway of a local run or of a stack. Rejects with InputError if there is none. */
export async function openContext(target: GatewayTarget): Promise<Context> {
  if ('dataDir' in target) {
    const { outputs, clientConfig, endpoints } = await readLocalGateway(target.dataDir);
    await requireLocalRun(target.dataDir, clientConfig.endpoint);
    return contextOf(outputs, {
      dynamodb: clientConfig,
      sqs: { ...clientConfig, ...(endpoints.sqs !== undefined && { endpoint: endpoints.sqs }) },
      rdsData: { ...clientConfig, ...(endpoints.rds_data !== undefined && { endpoint: endpoints.rds_data }) },
    });
  }
  const { outputs, clientConfig } = await readStack(target.stack, target.region);
  return contextOf(outputs, { dynamodb: clientConfig, sqs: clientConfig, rdsData: clientConfig });
}

/** How each service is reached. */
interface ClientConfigs {
  readonly dynamodb: ClientConfig;
  readonly sqs: ClientConfig;
  readonly rdsData: ClientConfig;
}

function contextOf(outputs: GatewayOutputs, clients: ClientConfigs): Context {
  const { tableNames, plans, shards, defaultPlan, groupCommitCu, indexing, cache } = outputs;
  const store = createDynamoStore({
    tableNames,
    clientConfig: clients.dynamodb,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
  });
  const context = {
    store,
    clock: systemClock,
    plans,
    shards,
    defaultPlan,
    groupCommitCu,
    ...(cache !== undefined && { cache: cacheOf(cache, clients.dynamodb) }),
  };
  if (indexing === undefined) return context;
  const database = createChainDatabase({
    resourceArn: indexing.databaseArn,
    secretArn: indexing.readerSecretArn,
    database: indexing.databaseName,
    resumeWaitMs: RESUME_WAIT_MS,
    connect: connectRdsData,
    clientConfig: clients.rdsData,
  });
  return {
    ...context,
    indexing: { database, backfill: createWorkQueue(connectQueue, indexing.backfillQueueUrl, clients.sqs) },
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
