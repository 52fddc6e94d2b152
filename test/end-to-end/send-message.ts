import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { localClientConfig } from '../../local/client-config.ts';
import type { RunningGateway } from './running-gateway.ts';

/** Where a message of a test goes. */
interface SendOptions {
  /** Name of the queue. @default that of charges */
  readonly queue?: string;
  /** Seconds before it is delivered. @default those of the queue */
  readonly delaySeconds?: number;
}

/** Puts a message into a queue of a run. */
export async function sendMessage(
  { endpoints, gatewayJson }: RunningGateway,
  body: string,
  { queue, delaySeconds }: SendOptions = {},
): Promise<void> {
  const client = new SQSClient(localClientConfig(endpoints.sqs, gatewayJson.access_key_id));
  const charges = String(gatewayJson.outputs.ChargeQueueUrl);
  const QueueUrl = queue === undefined ? charges : charges.replace(/[^/]+$/, queue);
  await client
    .send(new SendMessageCommand({ QueueUrl, MessageBody: body, DelaySeconds: delaySeconds }))
    .finally(() => client.destroy());
}
