import type { ClientConfig } from '../../../lambdas/shared/aws/client-settings.ts';
import { connectQueue } from '../../../lambdas/shared/aws/queue.ts';
import { connectRdsData } from '../../../lambdas/shared/aws/rds-data.ts';
import { createWorkQueue } from '../../../lambdas/shared/aws/work-queue.ts';
import { createChainDatabase } from '../../../lambdas/shared/chain-database/chain-database.ts';
import type { IndexingAccess } from './command.ts';
import type { GatewayOutputs } from './gateway-outputs.ts';

/** Time for a paused database to wake, in milliseconds. */
const RESUME_WAIT_MS = 60_000;

/** Opens the chain database of a gateway and its queue for backfills. */
export function openIndexing(
  indexing: NonNullable<GatewayOutputs['indexing']>,
  clients: { readonly sqs: ClientConfig; readonly rdsData: ClientConfig },
): IndexingAccess {
  const database = createChainDatabase({
    resourceArn: indexing.databaseArn,
    secretArn: indexing.readerSecretArn,
    database: indexing.databaseName,
    resumeWaitMs: RESUME_WAIT_MS,
    connect: connectRdsData,
    clientConfig: clients.rdsData,
  });
  return { database, backfill: createWorkQueue(connectQueue, indexing.backfillQueueUrl, clients.sqs) };
}
