import { type ServiceCall, ServiceError, startJsonEndpoint } from '../processes/json-endpoint.ts';
import type { LocalServer } from '../processes/listen-locally.ts';
import { LOCAL_ACCOUNT_ID } from '../template/intrinsics.ts';
import { type Queue, QueueError } from './queue.ts';
import { SQS_ACTIONS } from './sqs-actions.ts';

/** Ten messages of the largest size, as JSON. */
const MAX_REQUEST_BYTES = 12 * 1024 * 1024;
const TARGET_PREFIX = 'AmazonSQS.';

export interface SqsEndpoint extends LocalServer {
  /** URL of a queue on this endpoint, as `Ref` of a queue gives it. */
  queueUrl(name: string): string;
}

/** Serves queues by the AWS JSON 1.0 protocol of SQS on a free port, to clients with this access key. `queues` may be filled later. */
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
        return JSON.stringify(await carryOut(queues, call));
      } catch (error) {
        if (!(error instanceof QueueError)) throw error;
        throw new ServiceError(`com.amazonaws.sqs#${error.code}`, error.message);
      }
    },
  });
  return { url, queueUrl: (name) => `${url}/${LOCAL_ACCOUNT_ID}/${name}`, close };
}

async function carryOut(queues: ReadonlyMap<string, Queue>, call: ServiceCall): Promise<object> {
  const { target = '', input, origin, gone } = call;
  const action = target.startsWith(TARGET_PREFIX)
    ? SQS_ACTIONS[target.slice(TARGET_PREFIX.length)]
    : undefined;
  if (action === undefined)
    throw new QueueError('UnsupportedOperation', `${target} is not supported locally`);
  const name = queueName(input);
  const queue = queues.get(name);
  if (queue === undefined) throw new QueueError('QueueDoesNotExist', `there is no queue ${name}`);
  return action(queue, input, { origin, gone });
}

function queueName(input: Readonly<Record<string, unknown>>): string {
  if (typeof input.QueueName === 'string') return input.QueueName;
  if (typeof input.QueueUrl !== 'string') throw new QueueError('MissingParameter', 'QueueUrl is missing');
  return input.QueueUrl.slice(input.QueueUrl.lastIndexOf('/') + 1);
}
