import { z } from 'zod';
import { type ServiceCall, ServiceError, startJsonEndpoint } from '../processes/json-endpoint.ts';
import type { LocalServer } from '../processes/listen-locally.ts';
import { LOCAL_ACCOUNT_ID } from '../template/intrinsics.ts';
import { bodyDigest, type Queue, QueueError } from './queue.ts';

/** A message of the largest size, as JSON. */
const MAX_REQUEST_BYTES = 12 * 1024 * 1024;
const SEND_MESSAGE = 'AmazonSQS.SendMessage';
const MAX_DELAY_SECONDS = 900;

/** Strict, so that what is not understood here (message attributes, FIFO) is refused by name. */
const INPUT = z.strictObject({
  QueueUrl: z.string(),
  MessageBody: z.string().min(1),
  DelaySeconds: z.int().min(0).max(MAX_DELAY_SECONDS).optional(),
});

export interface SqsEndpoint extends LocalServer {
  /** URL of a queue on this endpoint, as `Ref` of a queue gives it. */
  queueUrl(name: string): string;
}

/**
 * Takes messages for queues by the AWS JSON 1.0 protocol of SQS on a free port, from clients with this access key. All else the run does
 * with its queues itself, as Lambda does. `queues` may be filled later.
 */
export async function startSqsEndpoint(
  queues: ReadonlyMap<string, Queue>,
  accessKeyId: string,
): Promise<SqsEndpoint> {
  const { url, close } = await startJsonEndpoint({
    maxRequestBytes: MAX_REQUEST_BYTES,
    contentType: 'application/x-amz-json-1.0',
    accessKeyId,
    respond: async (call) => {
      try {
        return JSON.stringify(sendMessage(queues, call));
      } catch (error) {
        if (!(error instanceof QueueError)) throw error;
        throw new ServiceError(`com.amazonaws.sqs#${error.code}`, error.message);
      }
    },
  });
  return { url, queueUrl: (name) => `${url}/${LOCAL_ACCOUNT_ID}/${name}`, close };
}

function sendMessage(queues: ReadonlyMap<string, Queue>, { target, input }: ServiceCall): object {
  if (target !== SEND_MESSAGE)
    throw new QueueError('UnsupportedOperation', `${target} is not supported locally`);
  const { success, data, error } = INPUT.safeParse(input);
  if (!success) {
    const [issue] = error.issues;
    throw new QueueError('InvalidParameterValue', `${issue?.path.join('.')}: ${issue?.message}`);
  }
  const name = data.QueueUrl.slice(data.QueueUrl.lastIndexOf('/') + 1);
  const queue = queues.get(name);
  if (queue === undefined) throw new QueueError('QueueDoesNotExist', `there is no queue ${name}`);
  const id = queue.send(data.MessageBody, data.DelaySeconds);
  return { MessageId: id, MD5OfMessageBody: bodyDigest(data.MessageBody) };
}
