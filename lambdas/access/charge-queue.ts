import type { SQSClientConfig } from '@aws-sdk/client-sqs';
import type { ChargeQueue } from './charge.ts';
import { encodeCharge } from './charge-message.ts';

const CONNECTION_TIMEOUT_MS = 300;
/** Time for one whole exchange, connection and answer included, in milliseconds. */
export const REQUEST_TIMEOUT_MS = 700;

/** Where the queue is. */
export interface SqsChargeQueueOptions {
  readonly queueUrl: string;
  readonly clientConfig?: SQSClientConfig;
}

/** The queue in SQS. Its client is loaded with the first charge that needs it: most processes never do. */
export function createSqsChargeQueue({ queueUrl, clientConfig }: SqsChargeQueueOptions): ChargeQueue {
  let connected: ReturnType<typeof connect> | undefined;
  return {
    async send(charge) {
      connected ??= connect(clientConfig);
      const { client, SendMessageCommand } = await connected;
      const command = new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: encodeCharge(charge) });
      await client.send(command, { abortSignal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
    },
  };
}

async function connect(clientConfig: SQSClientConfig | undefined) {
  const { SQSClient, SendMessageCommand } = await import('@aws-sdk/client-sqs');
  const client = new SQSClient({
    maxAttempts: 1,
    requestHandler: { connectionTimeout: CONNECTION_TIMEOUT_MS },
    ...clientConfig,
  });
  return { client, SendMessageCommand };
}
