import { type IncomingHttpHeaders, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { onConnected } from './on-connected.ts';
import { type BodyFailure, readBody } from './read-body.ts';

/**
 * Why there is no whole response:
 * - `unreachable`: no connection came about.
 * - `connect_timeout`: none came about in the time for it.
 * - `timeout`: the time passed before the whole response was there.
 * - `closed`: the connection ended before a response began.
 * - `malformed`: a response began, but it is no whole and readable HTTP message.
 * - `too_large`: the response passes the limit.
 * - `aborted`: the caller gave it up.
 */
export type RequestFailureKind =
  | BodyFailure
  | 'unreachable'
  | 'connect_timeout'
  | 'timeout'
  | 'closed'
  | 'aborted';

/** What is known of a request when it fails. */
export interface RequestFailure {
  readonly kind: RequestFailureKind;
  /** False only if not one byte of the request can have left. */
  readonly sent: boolean;
  /** The request went over a kept connection, which the server may have given up before. */
  readonly reusedSocket: boolean;
  /** Code of the system error, such as `ECONNREFUSED`. */
  readonly code?: string | undefined;
}

/** One HTTP request with a body that is whole, and its bounds. */
export interface SentRequest {
  /** Where to, how, and over which pool of connections. */
  readonly options: RequestOptions;
  readonly body?: string | Uint8Array | undefined;
  /** Time for the whole exchange, in milliseconds. */
  readonly timeoutMs: number;
  /** Time to open a connection, in milliseconds. @default all of it */
  readonly connectTimeoutMs?: number;
  /** Largest body of a response, in bytes, before and after decoding. */
  readonly maxResponseBytes: number;
  /** Gives the exchange up. */
  readonly signal?: AbortSignal | undefined;
  /** The error for a failure. */
  readonly toError: (failure: RequestFailure) => Error;
}

/** A whole response, whatever its status. */
export interface ReceivedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Sends one request and reads its response. Nothing is sent twice, and no redirect is followed.
 * @throws what `toError` makes of it if there is no whole response within the times and the size
 */
export function sendRequest(sending: SentRequest): Promise<ReceivedResponse> {
  const { options, timeoutMs, connectTimeoutMs, signal } = sending;
  const { promise, resolve, reject } = Promise.withResolvers<ReceivedResponse>();
  const request = (options.protocol === 'https:' ? requestHttps : requestHttp)(options);
  let sent = false;
  let answered = false;
  let connecting: NodeJS.Timeout | undefined;
  const fail = (kind: RequestFailureKind, code?: string) => {
    reject(sending.toError({ kind, sent, reusedSocket: request.reusedSocket, code }));
    request.destroy();
  };
  const failUnanswered = (code?: string) => {
    if (!answered) fail(kindOfFailure(sent, code), code);
  };
  const timer = setTimeout(() => fail('timeout'), timeoutMs);
  const abort = () => fail('aborted');
  signal?.addEventListener('abort', abort);
  request.on('socket', (socket) => {
    if (connectTimeoutMs !== undefined && socket.connecting)
      connecting = setTimeout(() => fail('connect_timeout'), connectTimeoutMs);
    onConnected(socket, () => {
      sent = true;
      clearTimeout(connecting);
    });
  });
  request.on('error', (error: NodeJS.ErrnoException) => failUnanswered(error.code));
  request.on('close', () => failUnanswered());
  request.on('response', async (response) => {
    answered = true;
    const body = await readBody(response, sending.maxResponseBytes);
    if (typeof body === 'string') return fail(body);
    resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
    // A server that answers before it has read the request would leave its rest on the connection.
    if (!request.writableFinished) request.destroy();
  });
  request.end(sending.body);
  return promise.finally(() => {
    clearTimeout(timer);
    clearTimeout(connecting);
    signal?.removeEventListener('abort', abort);
  });
}

/** Kind of a failure before a response has begun. Codes with `HPE_` come from the HTTP parser. */
function kindOfFailure(sent: boolean, code: string | undefined): RequestFailureKind {
  if (!sent) return 'unreachable';
  return code?.startsWith('HPE_') ? 'malformed' : 'closed';
}
