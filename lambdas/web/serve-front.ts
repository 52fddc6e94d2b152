import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { FrontFailure } from '../rpc/response/front-errors.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { errorField } from '../shared/runtime/log.ts';
import type { Telemetry } from '../shared/runtime/telemetry.ts';
import type { FrontFigures } from './front-figures.ts';
import { eventOf, type FrontRequest, readFrontRequest } from './front-request.ts';
import type { IsFromFront } from './front-secret.ts';
import { HeadedStream } from './headed-stream.ts';

/** No request of API Gateway has a larger body, in bytes. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** Time for a request to be here with its body. */
const REQUEST_TIMEOUT_MS = 30_000;

/** What a handler gets to know of its request beside the event. */
interface RequestContext {
  readonly awsRequestId: string;
  readonly functionVersion: string;
  getRemainingTimeInMillis(): number;
}

/** A handler whose response is a stream, as Lambda's runtime calls it. */
export type StreamingHandler = (
  event: APIGatewayProxyEvent,
  stream: HeadedStream,
  context: RequestContext,
) => Promise<unknown>;

export interface FrontOptions {
  readonly handler: StreamingHandler;
  readonly isFromFront: IsFromFront;
  /** Response to a request that the handler could not answer. */
  readonly failure: (reason: FrontFailure, requestId: string) => FailureResponse;
  readonly figures: FrontFigures;
  /** Name of the revision, which figures are told by. */
  readonly revision: string;
  /** Time from the arrival of a request to its end by Lambda, in milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

export interface FailureResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The server of a web function: maps requests of API Gateway to the events that it sends to other functions, and has the
 * handler answer them. The endpoint is public: a request without the secret is answered like an unknown route, before its
 * body is read.
 */
export function serveFront(options: FrontOptions): Server {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: 0 });
  server.on('request', (request, response) => {
    // What fails on the connection ends with it.
    request.on('error', () => {});
    response.on('error', () => {});
    answerRequest(options, request, response).catch((error: unknown) => {
      options.telemetry.log('error', 'web_request_failed', { error: errorField(error) });
      response.destroy();
    });
  });
  return server;
}

async function answerRequest(
  options: FrontOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const arrivedAt = options.clock.now();
  const front = readFrontRequest(request.rawHeaders);
  const isFromFront = await isOfFront(options, front);
  if (front !== undefined && isFromFront === undefined) {
    // Whether it comes from the API is not known: what it says of itself is not repeated.
    sendWhole(response, options.failure('gateway_unavailable', ''));
    return;
  }
  if (front === undefined || isFromFront !== true) {
    options.figures.refuse();
    sendWhole(response, { statusCode: 404, headers: { 'Content-Type': 'text/plain' }, body: '' });
    return;
  }
  options.figures.begin();
  try {
    await answerFront(options, front, { request, response, arrivedAt });
  } finally {
    options.figures.end();
  }
}

/** Whether a request has the secret; undefined: it cannot be said. */
async function isOfFront(
  { isFromFront, telemetry }: FrontOptions,
  front: FrontRequest | undefined,
): Promise<boolean | undefined> {
  if (front === undefined) return false;
  try {
    return await isFromFront(front.front.secret);
  } catch (error) {
    telemetry.log('error', 'front_secret_unreadable', { error: errorField(error) });
    return undefined;
  }
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly arrivedAt: number;
}

async function answerFront(
  { handler, failure, revision, timeoutMs, clock, telemetry }: FrontOptions,
  front: FrontRequest,
  { request, response, arrivedAt }: Exchange,
): Promise<void> {
  const { requestId } = front.front;
  const body = await readBody(request);
  // The client is gone before it has said what it wants.
  if (body === undefined) return;
  if (body === 'too-large') {
    sendWhole(response, { statusCode: 413, headers: { 'Content-Type': 'text/plain' }, body: '' });
    return;
  }
  try {
    await handler(eventOf(front, request.method ?? '', body), new HeadedStream(response), {
      awsRequestId: requestId,
      functionVersion: revision,
      getRemainingTimeInMillis: () => arrivedAt + timeoutMs - clock.now(),
    });
  } catch (error) {
    telemetry.log('error', 'web_request_failed', { requestId, error: errorField(error) });
    if (response.headersSent) response.destroy();
    else sendWhole(response, failure('gateway_unreachable', requestId));
  }
}

/** The body of a request; undefined: it broke off. */
async function readBody(request: IncomingMessage): Promise<Buffer | 'too-large' | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > MAX_BODY_BYTES) return 'too-large';
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return request.complete ? Buffer.concat(chunks, length) : undefined;
}

/** A request that was not read to its end leaves nothing that another could follow on. */
function sendWhole(response: ServerResponse, { statusCode, headers, body }: FailureResponse): void {
  if (response.destroyed) return;
  response.writeHead(statusCode, {
    ...headers,
    'Content-Length': String(Buffer.byteLength(body)),
    ...(!response.req.complete && { Connection: 'close' }),
  });
  response.end(body);
}
