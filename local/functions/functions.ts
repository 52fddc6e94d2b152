import type { Readable } from 'node:stream';
import { systemClock } from '../../lambdas/shared/runtime/clock.ts';
import { ServiceError, startJsonEndpoint } from '../processes/json-endpoint.ts';
import type { LocalServer } from '../processes/listen-locally.ts';
import type { Resolver } from '../template/intrinsics.ts';
import type { Template } from '../template/template.ts';
import { readFunctions } from './configuration.ts';
import type { LocalServices } from './environment-variables.ts';
import { MetadataReader } from './metadata-reader.ts';
import { functionError, type InvocationFailure, type InvokeResult, type StreamingResult } from './outcome.ts';
import { BUSY_WAIT_MS, createPool, type FunctionPool } from './pool.ts';
import { StreamingRate } from './streaming-rate.ts';

/** Largest response of a buffered invocation, in bytes. */
const MAX_RESPONSE_BYTES = 6 * 1024 * 1024 + 100;

/** The largest event of an asynchronous invocation on Lambda. */
const MAX_REQUEST_BYTES = 1024 * 1024;
const INVOCATION = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;
/** Lambda has queued the event. */
const ACCEPTED = 202;

export interface FunctionsOptions extends LocalServices {
  readonly template: Template;
  readonly resolver: Resolver;
  /** Takes each line that a function writes to stdout or stderr. */
  onLog(logicalId: string, line: string): void;
  /** Called as an invocation begins; what it returns is called as it ends, that of a stream with its body. */
  onInvocation?(logicalId: string): (failure: InvocationFailure | undefined) => void;
  /**
   * How long an invocation waits for a process that is at work, before another is started, in milliseconds; 0: it
   * does not, but at most as many start at once as there are cores.
   * @default BUSY_WAIT_MS
   */
  readonly busyWaitMs?: number;
  /**
   * How fast a streamed response continues after its first 6 MB.
   * @default STREAMED_BYTES_PER_SECOND, as on Lambda
   */
  readonly streamedBytesPerSecond?: number;
}

/** The Lambda functions of a template, running on this machine. */
export interface Functions {
  /** Invokes a function and waits for its whole response. */
  invoke(logicalId: string, event: unknown): Promise<InvokeResult>;
  /** Invokes a function that streams an HTTP response and waits for the response's metadata. */
  invokeStreaming(logicalId: string, event: unknown): Promise<StreamingResult>;
  /** Ends every process; invocations under way fail. */
  close(): Promise<void>;
}

/**
 * Makes the functions of a template ready; each starts its processes on demand.
 *
 * @throws UnsupportedTemplateError if a function is configured in a way that the local run does not understand
 */
export function createFunctions(options: FunctionsOptions): Functions {
  const { template, resolver, onLog, onInvocation, busyWaitMs = BUSY_WAIT_MS } = options;
  const pools = new Map<string, FunctionPool>();
  for (const [logicalId, configuration] of readFunctions(template, resolver)) {
    const onLine = (line: string) => onLog(logicalId, line);
    pools.set(logicalId, createPool(configuration, options, onLine, busyWaitMs));
  }

  async function call<Result extends InvokeResult | StreamingResult>(
    logicalId: string,
    event: unknown,
    read: (body: Readable) => Promise<Result>,
  ): Promise<Result | InvocationFailure> {
    const pool = pools.get(logicalId);
    if (pool === undefined) throw new Error(`${logicalId} is not a function of ${template.stackName}`);
    const end = onInvocation?.(logicalId);
    const reply = await pool.invoke(event);
    const result = reply.kind === 'reply' ? await read(reply.body) : reply;
    if (result.kind !== 'success') end?.(result);
    else if ('payload' in result) end?.(undefined);
    else
      result.body.once('close', () =>
        end?.(result.body.errored ? failureOf(result.body.errored) : undefined),
      );
    return result;
  }

  return {
    invoke: (logicalId, event) => call(logicalId, event, readPayload),
    invokeStreaming: (logicalId, event) =>
      call(logicalId, event, (body) => readMetadata(body, options.streamedBytesPerSecond)),
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}

async function readPayload(body: Readable): Promise<InvokeResult> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length <= MAX_RESPONSE_BYTES) chunks.push(chunk);
    }
  } catch (error) {
    return failureOf(error);
  }
  if (length <= MAX_RESPONSE_BYTES) return { kind: 'success', payload: Buffer.concat(chunks) };
  return functionError(
    'Function.ResponseSizeTooLarge',
    `Response payload size exceeded maximum allowed payload size (${MAX_RESPONSE_BYTES} bytes).`,
  );
}

async function readMetadata(source: Readable, bytesPerSecond?: number): Promise<StreamingResult> {
  const body = new MetadataReader();
  const rate = new StreamingRate(systemClock, bytesPerSecond);
  source.on('error', (error) => body.destroy(error));
  source.pipe(rate).pipe(body);
  // The function continues writing, also if the client is gone.
  body.on('close', () => {
    source.unpipe(rate).resume();
    rate.destroy();
  });
  try {
    return { kind: 'success', metadata: await body.metadata, body };
  } catch (error) {
    return failureOf(error);
  }
}

function failureOf(error: unknown): InvocationFailure {
  return error instanceof Error
    ? functionError(error.name, error.message)
    : functionError('Error', String(error));
}

/** What starts each function, by its name: with an event, and without waiting for its end. */
export type StartedFunctions = Map<string, (event: object) => void>;

/** Serves the asynchronous invocations of Lambda, which functions start others by. `functions` may be filled later. */
export function startLambdaEndpoint(functions: StartedFunctions, accessKeyId: string): Promise<LocalServer> {
  return startJsonEndpoint({
    maxRequestBytes: MAX_REQUEST_BYTES,
    contentType: 'application/json',
    accessKeyId,
    status: ACCEPTED,
    respond: async ({ path, input }) => {
      const name = decodeURIComponent(INVOCATION.exec(path)?.[1] ?? '');
      const start = functions.get(name);
      if (start === undefined)
        throw new ServiceError('ResourceNotFoundException', `no function ${name}`, 404);
      start(input);
      return '';
    },
  });
}
