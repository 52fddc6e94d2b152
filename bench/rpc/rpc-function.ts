/**
 * The deployed JSON-RPC function in a process of its own: loads the bundle as Lambda does and calls its handler with
 * API Gateway events, without a Lambda runtime around it. `fork`ed with the environment of the function; takes a
 * {@link Drive} and answers with {@link Driven}, as often as it is asked.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { requireVariable } from '../../lambdas/shared/runtime/environment.ts';
import { variantsOf } from './rpc-requests.ts';

/** The calls that the function gets. */
export interface Drive {
  /** JSON-RPC request, sent in its variants. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Invocations under way at once. */
  readonly atOnce: number;
  /** Ends the drive, as does the time below. */
  readonly mostRequests: number;
  readonly durationMs: number;
}

/** The figures of a run. */
export interface Driven {
  readonly requests: number;
  readonly wallMs: number;
  /** CPU time of the process, in milliseconds. */
  readonly cpuMs: number;
  /** Time from an event to the last byte of its response, in milliseconds, in rising order; work goes on after it. */
  readonly latenciesMs: readonly number[];
  /** Resident memory before the first request. */
  readonly idleBytes: number;
  /** Highest resident memory of the process so far. */
  readonly peakBytes: number;
  /** Length of the last response's body. */
  readonly responseBytes: number;
}

type StreamingHandler = (event: unknown, stream: Writable, context: object) => Promise<void>;
interface Metadata {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Time that the function thinks it has left, in milliseconds. */
const REMAINING_MS = 25_000;
/** Bytes of a response that are looked at. */
const LOOKED_AT_BYTES = 512;

/** Takes a response and forgets all but its beginning. */
class ResponseSink extends Writable {
  metadata: Metadata | undefined;
  bytes = 0;
  beginning = '';

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.beginning.length < LOOKED_AT_BYTES)
      this.beginning += chunk.toString('latin1', 0, LOOKED_AT_BYTES);
    this.bytes += chunk.length;
    done();
  }

  /** Whether the node's result is in it: what is compressed is no error, as these are short. */
  get isResult(): boolean {
    if (this.metadata?.statusCode !== 200) return false;
    return 'content-encoding' in this.metadata.headers || this.beginning.includes('"result"');
  }
}

Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: StreamingHandler) => handler,
    HttpResponseStream: {
      from: (sink: ResponseSink, metadata: Metadata) => Object.assign(sink, { metadata }),
    },
  },
});
const bundle = join(requireVariable('LAMBDA_TASK_ROOT'), 'index.js');
const { handler } = createRequire(bundle)(bundle) as { handler: StreamingHandler };
let invocations = 0;

/** API Gateway's event, as JSON: the Lambda runtime parses each anew, which therefore belongs to the figure. */
function renderEvent(body: string, { headers }: Drive): string {
  return JSON.stringify({
    resource: '/v1',
    path: '/v1/',
    httpMethod: 'POST',
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: null,
    stageVariables: null,
    requestContext: { requestId: 'bench', path: '/v1/', resourcePath: '/v1', httpMethod: 'POST' },
    body: Buffer.from(body).toString('base64'),
    isBase64Encoded: true,
  });
}

async function invoke(event: string, latenciesMs: number[]): Promise<number> {
  const sink = new ResponseSink();
  const startedMs = performance.now();
  sink.once('finish', () => latenciesMs.push(performance.now() - startedMs));
  invocations += 1;
  const context = { awsRequestId: `bench-${invocations}`, getRemainingTimeInMillis: () => REMAINING_MS };
  await handler(JSON.parse(event), sink, context);
  if (!sink.isResult) throw new Error(`the function answered ${sink.metadata?.statusCode} ${sink.beginning}`);
  return sink.bytes;
}

async function drive(order: Drive): Promise<Driven> {
  const events = variantsOf(order.body).map((body) => renderEvent(body, order));
  const idleBytes = process.memoryUsage.rss();
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  let requests = 0;
  let responseBytes = 0;
  const latenciesMs: number[] = [];
  const keepCalling = async () => {
    while (requests < order.mostRequests && performance.now() - startedMs < order.durationMs) {
      const event = events[requests % events.length] as string;
      requests += 1;
      responseBytes = await invoke(event, latenciesMs);
    }
  };
  await Promise.all(Array.from({ length: order.atOnce }, keepCalling));
  const wallMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(cpuBefore);
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  latenciesMs.sort((left, right) => left - right);
  return {
    requests,
    wallMs,
    cpuMs: (user + system) / 1_000,
    latenciesMs,
    idleBytes,
    peakBytes,
    responseBytes,
  };
}

process.on('message', async (order: Drive) => {
  process.send?.(await drive(order));
});
process.on('disconnect', () => process.exit());
