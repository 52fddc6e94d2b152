import type { ClientConfig } from '../../../lambdas/shared/aws/client-settings.ts';
import { connectObjects } from '../../../lambdas/shared/aws/object-store.ts';
import { connectQueue } from '../../../lambdas/shared/aws/queue.ts';
import { connectRdsData } from '../../../lambdas/shared/aws/rds-data.ts';
import { connectSecrets } from '../../../lambdas/shared/aws/secrets.ts';
import { createWorkQueue } from '../../../lambdas/shared/aws/work-queue.ts';
import { createChainDatabase } from '../../../lambdas/shared/chain-database/chain-database.ts';
import type { IndexingAccess } from './command.ts';
import type { GatewayOutputs } from './gateway-outputs.ts';

/** Time for a paused database to wake, in milliseconds. */
const RESUME_WAIT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** Time to put one file, which may have 64 MiB, in milliseconds. */
const UPLOAD_TIMEOUT_MS = 300_000;

/** How a service is reached. */
export type Reach = (
  service: 'dynamodb' | 'kms' | 'rds_data' | 's3' | 'secrets_manager' | 'sqs',
) => ClientConfig;

/** Opens the chain database of a gateway and its queue for backfills. */
export function openIndexing(
  indexing: NonNullable<GatewayOutputs['indexing']>,
  reach: Reach,
): IndexingAccess {
  const database = createChainDatabase({
    resourceArn: indexing.databaseArn,
    secretArn: indexing.readerSecretArn,
    database: indexing.databaseName,
    resumeWaitMs: RESUME_WAIT_MS,
    connect: connectRdsData,
    clientConfig: reach('rds_data'),
  });
  const backfill = createWorkQueue(connectQueue, indexing.backfillQueueUrl, reach('sqs'));
  const blockFiles = connectObjects({
    bucket: indexing.blockFilesBucket,
    config: reach('s3'),
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    timeoutMs: UPLOAD_TIMEOUT_MS,
  });
  return { database, backfill, blockFiles };
}

/** Stores the key of receipts in its secret. */
export async function writeIssuer(
  secretArn: string,
  text: string,
  options: Parameters<typeof connectSecrets>[0],
): Promise<void> {
  await connectSecrets(options).write(secretArn, text);
}
