/**
 * The process of one Lambda environment: loads the handler with `require` (so that layers are found through
 * `NODE_PATH`) and serves invocations from the Lambda Runtime API until the API goes away.
 */
import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
} from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

type Handler = (event: unknown, ...rest: unknown[]) => unknown;
type StreamingHandler = (event: unknown, stream: ResponseStream, context: unknown) => Promise<unknown>;
interface ResponseStream extends ClientRequest {
  setContentType(contentType: string): void;
  onBeforeFirstWrite?: (write: (chunk: string | Uint8Array) => void) => void;
}
interface RuntimeAnswer {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const RUNTIME_API = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/`;
const STREAMING = Symbol.for('aws.lambda.runtime.handler.streaming');
const METADATA_CONTENT_TYPE = 'application/vnd.awslambda.http-integration-response';
const METADATA_DELIMITER = new Uint8Array(8);
const ERROR_TYPE = 'Lambda-Runtime-Function-Error-Type';
const ERROR_BODY = 'Lambda-Runtime-Function-Error-Body';
const KEEP_ALIVE_INTERVAL_MS = 3_600_000;

/** One connection, kept open: its end means that the local run is gone. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: StreamingHandler) => Object.assign(handler, { [STREAMING]: 'response' }),
    HttpResponseStream: { from: withMetadata },
  },
});
process.on('uncaughtException', (error) => {
  logError('Uncaught Exception', error);
  process.exit(1);
});

// A handler that waits for nothing that Node knows of runs into its time-out, not to the end of the process.
setInterval(() => {}, KEEP_ALIVE_INTERVAL_MS);

// It has done its work: Node.js read it at the start.
delete process.env.NODE_COMPILE_CACHE;
const handler = await loadHandler();
for (;;) {
  const { headers, body } = await call('GET', 'invocation/next');
  await serve(handler, headers, body);
}

async function loadHandler(): Promise<Handler> {
  try {
    const path = join(String(process.env.LAMBDA_TASK_ROOT), String(process.env._HANDLER));
    const dot = path.lastIndexOf('.');
    const loaded = createRequire(path)(path.slice(0, dot))[path.slice(dot + 1)];
    if (typeof loaded !== 'function') throw new Error(`${process.env._HANDLER} is not a function`);
    return loaded;
  } catch (error) {
    logError('Init Error', error);
    await call('POST', 'init/error', describe(error));
    process.exit(1);
  }
}

async function serve(handle: Handler, headers: IncomingHttpHeaders, body: string): Promise<void> {
  const requestId = String(headers['lambda-runtime-aws-request-id']);
  const event: unknown = JSON.parse(body);
  const context = contextOf(requestId, headers);
  if (STREAMING in handle) return serveStreaming(handle as StreamingHandler, event, context, requestId);
  let result: string;
  try {
    result = JSON.stringify((await handle(event, context)) ?? null);
  } catch (error) {
    logError('Invoke Error', error);
    await call('POST', `invocation/${requestId}/error`, describe(error));
    return;
  }
  await call('POST', `invocation/${requestId}/response`, result);
}

async function serveStreaming(
  handle: StreamingHandler,
  event: unknown,
  context: unknown,
  requestId: string,
): Promise<void> {
  const { stream, answered } = openStream(`invocation/${requestId}/response`);
  try {
    await handle(event, stream, context);
  } catch (error) {
    logError('Invoke Error', error);
    const body = describe(error);
    stream.addTrailers({
      [ERROR_TYPE]: errorName(error),
      [ERROR_BODY]: Buffer.from(body).toString('base64'),
    });
    stream.end();
  }
  await answered;
}

/** The stream that a streaming handler writes to: the body of the request that delivers the response. */
function openStream(path: string): { stream: ResponseStream; answered: Promise<void> } {
  const headers = {
    'Lambda-Runtime-Function-Response-Mode': 'streaming',
    'Transfer-Encoding': 'chunked',
    'Content-Type': 'application/octet-stream',
    Trailer: `${ERROR_TYPE}, ${ERROR_BODY}`,
  };
  const stream = request(RUNTIME_API + path, { agent, method: 'POST', headers }) as ResponseStream;
  const write = stream.write.bind(stream) as (...parameters: unknown[]) => boolean;
  let started = false;
  stream.setContentType = (contentType) => stream.setHeader('Content-Type', contentType);
  // As on Lambda, only `write` starts the response with its metadata; `end` alone does not.
  stream.write = (chunk: unknown, ...rest: unknown[]) => {
    if (!started) stream.onBeforeFirstWrite?.(write);
    started = true;
    const isData = typeof chunk === 'string' || chunk instanceof Uint8Array;
    return write(isData ? chunk : JSON.stringify(chunk), ...rest);
  };
  const answered = new Promise<void>((resolve) => {
    stream.on('response', (response) => response.on('end', resolve).resume());
  });
  stream.on('error', leave);
  return { stream, answered };
}

function withMetadata(stream: ResponseStream, metadata: unknown): ResponseStream {
  stream.setContentType(METADATA_CONTENT_TYPE);
  stream.onBeforeFirstWrite = (write) => {
    write(JSON.stringify(metadata));
    write(METADATA_DELIMITER);
  };
  return stream;
}

function contextOf(requestId: string, headers: IncomingHttpHeaders): object {
  const deadline = Number(headers['lambda-runtime-deadline-ms']);
  return {
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: true,
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: process.env.AWS_LAMBDA_FUNCTION_VERSION,
    getRemainingTimeInMillis: () => deadline - Date.now(),
    invokedFunctionArn: headers['lambda-runtime-invoked-function-arn'],
    logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
  };
}

function call(method: 'GET' | 'POST', path: string, body?: string): Promise<RuntimeAnswer> {
  return new Promise((resolve) => {
    const outgoing = request(RUNTIME_API + path, { agent, method }, (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ headers: response.headers, body: Buffer.concat(chunks).toString() }),
      );
      response.on('error', leave);
    });
    outgoing.on('socket', (socket) => {
      if (!socket.listeners('close').includes(leave)) socket.on('close', leave);
    });
    outgoing.on('error', leave);
    outgoing.end(body);
  });
}

function leave(): never {
  process.exit(1);
}

function errorName(error: unknown): string {
  return error instanceof Error ? error.name : 'Error';
}

function describe(error: unknown): string {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return JSON.stringify({
    errorType: errorName(error),
    errorMessage: message,
    trace: stack?.split('\n') ?? [],
  });
}

function logError(event: string, error: unknown): void {
  process.stderr.write(`ERROR\t${event}\t${describe(error)}\n`);
}
