import { withRetry } from '../runtime/with-retry.ts';
import type { ClientConfig } from './client-settings.ts';
import type { ConnectQueue } from './queue.ts';

/** Variable with the URL of the queue on which a function hands the rest of its work on to itself. */
export const WORK_QUEUE_URL_VARIABLE = 'WORK_QUEUE_URL';

const CONNECT_TIMEOUT_MS = 1_000;
/** Time for one whole exchange, connection and response included, in milliseconds. */
const REQUEST_TIMEOUT_MS = 3_000;
const SEND_RETRY = { pausesMs: [100, 100] };

/** Takes work that a run has no time for. */
export interface WorkQueue {
  /**
   * Rejects if it is not certain that the work was taken. Work that is taken twice is done twice.
   * @param delaySeconds time before it is delivered, at most 900 @default none
   */
  send(work: object, delaySeconds?: number): Promise<void>;
}

/** The queue in SQS. Opens no connection before its first use. */
export function createWorkQueue(
  connect: ConnectQueue,
  queueUrl: string,
  clientConfig: ClientConfig = {},
): WorkQueue {
  const send = connect({
    queueUrl,
    config: clientConfig,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    timeoutMs: REQUEST_TIMEOUT_MS,
  });
  return {
    send: (work, delaySeconds) => withRetry(() => send(JSON.stringify(work), delaySeconds), SEND_RETRY),
  };
}
