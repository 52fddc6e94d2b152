import type { ClientConfig } from '../../shared/aws/client-settings.ts';
import { connectQueue } from '../../shared/aws/queue.ts';
import type { ChargeQueue } from './charge.ts';
import { encodeLane } from './lane-message.ts';

const CONNECT_TIMEOUT_MS = 300;
/** Time for one whole exchange, connection and response included, in milliseconds. */
export const QUEUE_TIMEOUT_MS = 700;

/** Where the queue is. */
interface SqsChargeQueueOptions {
  readonly queueUrl: string;
  readonly clientConfig?: ClientConfig;
}

/** The queue in SQS. Opens no connection before the first lane that needs it: most processes never do. */
export function createSqsChargeQueue({ queueUrl, clientConfig }: SqsChargeQueueOptions): ChargeQueue {
  const send = connectQueue({
    queueUrl,
    config: clientConfig,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    timeoutMs: QUEUE_TIMEOUT_MS,
  });
  return { send: (lane) => send(encodeLane(lane)) };
}
