import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { refuseOtherClients } from '../guard/refusal.ts';
import { refused } from '../guard/refused.ts';
import { type LocalServer, listenLocally } from '../processes/listen-locally.ts';
import { LOCAL_ACCOUNT_ID } from '../template/intrinsics.ts';
import { type Queue, QueueError } from './queue.ts';
import { SQS_ACTIONS } from './sqs-actions.ts';

/** Ten messages of the largest size, as JSON. */
const MAX_REQUEST_BYTES = 12 * 1024 * 1024;
const REQUEST_TIMEOUT_MS = 60_000;
const TARGET_PREFIX = 'AmazonSQS.';
const CONTENT_TYPE = 'application/x-amz-json-1.0';

export interface SqsEndpoint extends LocalServer {
  /** URL of a queue on this endpoint, as `Ref` of a queue gives it. */
  queueUrl(name: string): string;
}

/** Serves queues by the AWS JSON 1.0 protocol of SQS on a free port, to clients with this access key. `queues` may be filled later. */
export async function startSqsEndpoint(
  queues: ReadonlyMap<string, Queue>,
  accessKeyId: string,
): Promise<SqsEndpoint> {
  const refuse = refuseOtherClients(CONTENT_TYPE, accessKeyId);
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    if (!refused(refuse, request, response)) void serve(queues, request, response);
  });
  const { url, close } = await listenLocally(server);
  return { url, queueUrl: (name) => `${url}/${LOCAL_ACCOUNT_ID}/${name}`, close };
}

async function serve(
  queues: ReadonlyMap<string, Queue>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const output = await carryOut(queues, request, gone.signal);
    respond(response, 200, output);
  } catch (error) {
    if (error instanceof QueueError) {
      respond(response, 400, { __type: `com.amazonaws.sqs#${error.code}`, message: error.message });
    } else {
      respond(response, 500, { __type: 'com.amazonaws.sqs#InternalFailure', message: String(error) });
    }
  }
}

async function carryOut(
  queues: ReadonlyMap<string, Queue>,
  request: IncomingMessage,
  gone: AbortSignal,
): Promise<object> {
  const target = String(request.headers['x-amz-target']);
  const action = target.startsWith(TARGET_PREFIX)
    ? SQS_ACTIONS[target.slice(TARGET_PREFIX.length)]
    : undefined;
  if (action === undefined)
    throw new QueueError('UnsupportedOperation', `${target} is not supported locally`);
  const input = parse(await readBody(request));
  const name = queueName(input);
  const queue = queues.get(name);
  if (queue === undefined) throw new QueueError('QueueDoesNotExist', `there is no queue ${name}`);
  return action(queue, input, { origin: `http://${request.headers.host}`, gone });
}

function queueName(input: Readonly<Record<string, unknown>>): string {
  if (typeof input.QueueName === 'string') return input.QueueName;
  if (typeof input.QueueUrl !== 'string') throw new QueueError('MissingParameter', 'QueueUrl is missing');
  return input.QueueUrl.slice(input.QueueUrl.lastIndexOf('/') + 1);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_REQUEST_BYTES) throw new QueueError('BatchRequestTooLong', 'the request is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(body: string): Readonly<Record<string, unknown>> {
  try {
    const input: unknown = JSON.parse(body);
    if (typeof input === 'object' && input !== null) return input as Record<string, unknown>;
  } catch {
    // Reported below, like a body that is no object.
  }
  throw new QueueError('InvalidParameterValue', 'the request is not a JSON object');
}

function respond(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': CONTENT_TYPE, 'x-amzn-requestid': randomUUID() });
  response.end(JSON.stringify(body));
}
