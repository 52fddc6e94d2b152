import { connectService, type Service, type ServiceClientOptions } from './service-client.ts';

const SQS: Service = {
  name: 'sqs',
  endpointVariable: 'AWS_ENDPOINT_URL_SQS',
  contentType: 'application/x-amz-json-1.0',
};

/** A queue, and how long a client may be about one message. */
export interface QueueOptions extends Omit<ServiceClientOptions, 'service'> {
  readonly queueUrl: string;
  /** Time for one message, connection and answer included, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Sends one message, once.
 * @throws ServiceError if SQS refuses or fails, ExchangeError if there is no whole answer
 */
export type SendMessage = (body: string) => Promise<void>;

/** Connects to a queue. Opens no connection before its first use. */
export function connectQueue({ queueUrl, timeoutMs, ...options }: QueueOptions): SendMessage {
  const send = connectService({ ...options, service: SQS });
  return async (body) => {
    const input = { QueueUrl: queueUrl, MessageBody: body };
    await send({ path: '/', target: 'AmazonSQS.SendMessage', input, timeoutMs });
  };
}
