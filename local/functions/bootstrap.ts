/**
 * The process of one Lambda environment, or its thread: loads the handler with `require` (so that layers are found through
 * `NODE_PATH`) and serves the invocations that the run sends it, as many at a time as it sends, until the run goes away.
 */
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import {
  CONNECTION_DESCRIPTOR,
  FRAMES,
  frameReader,
  type InvocationContext,
  NO_INVOCATION,
  writeFrame,
} from './frames.ts';

type Handler = (event: unknown, ...rest: unknown[]) => unknown;
type StreamingHandler = (event: unknown, stream: ResponseStream, context: unknown) => Promise<unknown>;
interface ResponseStream extends Writable {
  setContentType(contentType: string): void;
  onBeforeFirstWrite?: (write: (chunk: string | Uint8Array) => void) => void;
}

const STREAMING = Symbol.for('aws.lambda.runtime.handler.streaming');
const METADATA_DELIMITER = new Uint8Array(8);
const NOTHING = new Uint8Array(0);
const KEEP_ALIVE_INTERVAL_MS = 3_600_000;

/** Its end means that the local run is gone. */
const connection = new Socket({ fd: CONNECTION_DESCRIPTOR });
connection.on('error', leave).on('close', leave);

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
/** Responses whose reader pauses, by invocation, each with the function that resumes it. */
const paused = new Map<number, () => void>();
/** Writes that go on when the connection takes more. */
const drained: (() => void)[] = [];
let contextPieces: Buffer[] = [];
let eventPieces: Buffer[] = [];
connection.on('drain', () => {
  for (const goOn of drained.splice(0)) goOn();
});
connection.on(
  'data',
  frameReader((kind, invocation, piece, isLast) => {
    if (kind === FRAMES.PAUSE) paused.set(invocation, nothing);
    else if (kind === FRAMES.RESUME) resume(invocation);
    else {
      (kind === FRAMES.CONTEXT ? contextPieces : eventPieces).push(piece);
      if (kind === FRAMES.EVENT && isLast) void serveNext(invocation);
    }
  }),
);
send(FRAMES.READY, NO_INVOCATION);

function nothing(): void {}

function resume(invocation: number): void {
  const goOn = paused.get(invocation);
  paused.delete(invocation);
  goOn?.();
}

async function serveNext(invocation: number): Promise<void> {
  const context: InvocationContext = JSON.parse(Buffer.concat(contextPieces).toString());
  const event = Buffer.concat(eventPieces).toString();
  contextPieces = [];
  eventPieces = [];
  await serve(invocation, JSON.parse(event), contextOf(context));
  paused.delete(invocation);
  send(FRAMES.DONE, invocation);
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
    send(FRAMES.INIT_ERROR, NO_INVOCATION, Buffer.from(describe(error)));
    connection.end(leave);
    return new Promise(() => {});
  }
}

async function serve(invocation: number, event: unknown, context: unknown): Promise<void> {
  if (STREAMING in handler) return serveStreaming(invocation, handler as StreamingHandler, event, context);
  let result: string;
  try {
    result = JSON.stringify((await handler(event, context)) ?? null);
  } catch (error) {
    logError('Invoke Error', error);
    send(FRAMES.ERROR, invocation, Buffer.from(describe(error)));
    return;
  }
  send(FRAMES.DATA, invocation, Buffer.from(result));
}

async function serveStreaming(
  invocation: number,
  handle: StreamingHandler,
  event: unknown,
  context: unknown,
): Promise<void> {
  let report: Uint8Array = NOTHING;
  const { stream, answered } = openStream(invocation, () => report);
  try {
    await handle(event, stream, context);
  } catch (error) {
    logError('Invoke Error', error);
    report = Buffer.from(describe(error));
    stream.end();
  }
  await answered;
}

/** The stream that a streaming handler writes to, whose end carries a report of the handler's error, or nothing. */
function openStream(
  invocation: number,
  reportOf: () => Uint8Array,
): { stream: ResponseStream; answered: Promise<void> } {
  const writable = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      const goOn = () => (paused.has(invocation) ? paused.set(invocation, done) : done());
      if (send(FRAMES.DATA, invocation, chunk)) goOn();
      else drained.push(goOn);
    },
    final: (done) => {
      send(FRAMES.END, invocation, reportOf());
      done();
    },
  });
  const write = writable.write.bind(writable) as (...parameters: unknown[]) => boolean;
  let started = false;
  const stream: ResponseStream = Object.assign(writable, {
    /** The run looks at the metadata alone. */
    setContentType: () => {},
    // As on Lambda, only `write` starts the response with its metadata; `end` alone does not.
    write: (chunk: unknown, ...rest: unknown[]) => {
      if (!started) stream.onBeforeFirstWrite?.(write);
      started = true;
      const isData = typeof chunk === 'string' || chunk instanceof Uint8Array;
      return write(isData ? chunk : JSON.stringify(chunk), ...rest);
    },
  });
  const answered = new Promise<void>((resolve) => {
    stream.on('finish', resolve);
  });
  stream.on('error', leave);
  return { stream, answered };
}

function withMetadata(stream: ResponseStream, metadata: unknown): ResponseStream {
  stream.onBeforeFirstWrite = (write) => {
    write(JSON.stringify(metadata));
    write(METADATA_DELIMITER);
  };
  return stream;
}

function contextOf({ requestId, deadlineMs, functionArn }: InvocationContext): object {
  return {
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: true,
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: process.env.AWS_LAMBDA_FUNCTION_VERSION,
    getRemainingTimeInMillis: () => deadlineMs - Date.now(),
    invokedFunctionArn: functionArn,
    logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
  };
}

/** Sends a frame, together with all others of this turn of the event loop; `false` if the run is behind. */
function send(kind: number, invocation: number, content: Uint8Array = NOTHING): boolean {
  if (connection.writableCorked === 0) {
    connection.cork();
    setImmediate(() => connection.uncork());
  }
  return writeFrame(connection, kind, invocation, content);
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
