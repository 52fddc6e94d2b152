import { SendMessageCommand, SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';

/** Variable with the URL of the queue on which a function hands the rest of its work on to itself. */
export const WORK_QUEUE_URL_VARIABLE = 'WORK_QUEUE_URL';

const CONNECTION_TIMEOUT_MS = 1_000;
/** Time for one whole exchange, connection and answer included. */
const REQUEST_TIMEOUT_MS = 3_000;
const SEND_ATTEMPTS = 3;

/** Takes work that a run has no time for. */
export interface WorkQueue {
  /** Rejects if it is not certain that the work was taken. Work that is taken twice is done twice. */
  send(work: object): Promise<void>;
}

/** The queue in SQS. Opens no connection before its first use. */
export function createWorkQueue(queueUrl: string, clientConfig: SQSClientConfig = {}): WorkQueue {
  const client = new SQSClient({
    maxAttempts: SEND_ATTEMPTS,
    requestHandler: { connectionTimeout: CONNECTION_TIMEOUT_MS },
    ...clientConfig,
  });
  return {
    async send(work) {
      const command = new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify(work) });
      await client.send(command, { abortSignal: AbortSignal.timeout(SEND_ATTEMPTS * REQUEST_TIMEOUT_MS) });
    },
  };
}
