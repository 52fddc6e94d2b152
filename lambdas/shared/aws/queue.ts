import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type AwsClientOptions, clientSettings } from './client-settings.ts';

/** A queue, and how a client speaks to it. */
interface QueueOptions extends AwsClientOptions {
  readonly queueUrl: string;
}

/**
 * Sends one message, once, to be delivered after some seconds, by default at once. Rejects with an exception of the SDK if it is
 * not certain that SQS has it.
 */
type SendMessage = (body: string, delaySeconds?: number) => Promise<void>;

/** Connects to a queue. Opens no connection before its first use. */
export type ConnectQueue = (options: QueueOptions) => SendMessage;

export const connectQueue: ConnectQueue = ({ queueUrl, ...options }) => {
  let client: SQSClient | undefined;
  return async (body, delaySeconds) => {
    client ??= new SQSClient({
      ...clientSettings('AWS_ENDPOINT_URL_SQS', options),
      useQueueUrlAsEndpoint: false,
    });
    const input = { QueueUrl: queueUrl, MessageBody: body, DelaySeconds: delaySeconds };
    await client.send(new SendMessageCommand(input));
  };
};
