import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { RDSDataClientConfig } from '@aws-sdk/client-rds-data';
import type { SQSClientConfig } from '@aws-sdk/client-sqs';
import { createDynamoStore } from '../../lambdas/access/dynamo-store.ts';
import { createChainDatabase } from '../../lambdas/chain-data/chain-database.ts';
import { systemClock } from '../../lambdas/clock.ts';
import { createWorkQueue } from '../../lambdas/work-queue.ts';
import type { Context } from './command.ts';
import type { GatewayOutputs } from './gateway-outputs.ts';
import { readLocalGateway } from './local-gateway.ts';
import type { Place } from './parse-invocation.ts';
import { requireLocalRun } from './require-local-run.ts';
import { readStackOutputs } from './stack-outputs.ts';

/** An operator may be far from the region, and waits for an answer sooner than for a refusal. */
const CONNECT_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 15_000;
/** Time for a paused database to wake, in milliseconds. */
const RESUME_WAIT_MS = 60_000;

/** Opens the gateway of a local run or of a stack. Rejects with InputError if there is none. */
export async function openContext(place: Place): Promise<Context> {
  if ('dataDir' in place) {
    const { outputs, clientConfig, endpoints } = await readLocalGateway(place.dataDir);
    await requireLocalRun(place.dataDir, clientConfig.endpoint);
    return contextOf(outputs, {
      dynamodb: clientConfig,
      sqs: { ...clientConfig, ...(endpoints.sqs !== undefined && { endpoint: endpoints.sqs }) },
      rdsData: { ...clientConfig, ...(endpoints.rds_data !== undefined && { endpoint: endpoints.rds_data }) },
    });
  }
  const { stack, region } = place;
  const config = region === undefined ? {} : { region };
  return contextOf(await readStackOutputs(stack, region), { dynamodb: config, sqs: config, rdsData: config });
}

/** How each service is reached. */
interface ClientConfigs {
  readonly dynamodb: DynamoDBClientConfig;
  readonly sqs: SQSClientConfig;
  readonly rdsData: RDSDataClientConfig;
}

function contextOf(outputs: GatewayOutputs, clients: ClientConfigs): Context {
  const { tableNames, plans, defaultPlan, indexing } = outputs;
  const store = createDynamoStore({
    tableNames,
    clientConfig: clients.dynamodb,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
  });
  const context = { store, clock: systemClock, plans, defaultPlan };
  if (indexing === undefined) return context;
  const database = createChainDatabase({
    resourceArn: indexing.databaseArn,
    secretArn: indexing.readerSecretArn,
    database: indexing.databaseName,
    resumeWaitMs: RESUME_WAIT_MS,
    clientConfig: clients.rdsData,
  });
  return {
    ...context,
    indexing: { database, backfill: createWorkQueue(indexing.backfillQueueUrl, clients.sqs) },
  };
}
