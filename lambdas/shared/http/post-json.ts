import { type Agent, type ClientRequest, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { onConnected } from './on-connected.ts';
import { DECODED_ENCODINGS, readBody } from './read-body.ts';
import { UpstreamError, type UpstreamErrorKind } from './upstream-error.ts';

/** One POST of a JSON body. */
export interface JsonPost {
  /** Where to: host, port, path and credentials. */
  readonly target: RequestOptions;
  /** Pool that the connection is taken from. */
  readonly agent: Agent;
  /** Whether the connection may serve other requests afterwards. */
  readonly keepConnection: boolean;
  readonly body: Uint8Array;
  /** Time for the whole exchange, in milliseconds. */
  readonly timeoutMs: number;
  /** Largest body of a response, in bytes, before and after decoding. */
  readonly maxResponseBytes: number;
  /** Gives the exchange up. */
  readonly signal?: AbortSignal | undefined;
}

/** A whole HTTP response, whatever its status. */
export interface JsonResponse {
  readonly status: number;
  readonly body: Buffer;
  /** The header `retry-after`, as it came. */
  readonly retryAfter?: string | undefined;
}

/**
 * Sends one POST and reads its response. No header but those of the body travels, and no redirect is followed.
 * @throws UpstreamError if there is no whole response within the time and the size.
 */
export function postJson(post: JsonPost): Promise<JsonResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<JsonResponse>();
  const request = openRequest(post);
  let sent = false;
  let answered = false;
  const fail = (kind: UpstreamErrorKind, code?: string) => {
    reject(new UpstreamError(kind, { sent, reusedSocket: request.reusedSocket, code }));
    request.destroy();
  };
  const failUnanswered = (code?: string) => {
    if (!answered) fail(kindOfFailure(sent, code), code);
  };
  const timer = setTimeout(() => fail('timeout'), post.timeoutMs);
  const abort = () => fail('aborted');
  post.signal?.addEventListener('abort', abort);
  request.on('socket', (socket) =>
    onConnected(socket, () => {
      sent = true;
    }),
  );
  request.on('error', (error: NodeJS.ErrnoException) => failUnanswered(error.code));
  request.on('close', () => failUnanswered());
  request.on('response', async (response) => {
    answered = true;
    const body = await readBody(response, post.maxResponseBytes);
    if (typeof body === 'string') return fail(body);
    resolve({ status: response.statusCode ?? 0, body, retryAfter: response.headers['retry-after'] });
    // A node that answers before it has read the request would leave its rest on the connection.
    if (!request.writableFinished) request.destroy();
  });
  request.end(post.body);
  return promise.finally(() => {
    clearTimeout(timer);
    post.signal?.removeEventListener('abort', abort);
  });
}

function openRequest(post: JsonPost): ClientRequest {
  const request = post.target.protocol === 'https:' ? requestHttps : requestHttp;
  return request({
    ...post.target,
    method: 'POST',
    agent: post.agent,
    headers: {
      'content-type': 'application/json',
      'content-length': post.body.length,
      accept: 'application/json',
      'accept-encoding': DECODED_ENCODINGS,
      connection: post.keepConnection ? 'keep-alive' : 'close',
    },
  });
}

/** Kind of a failure before a response has begun. Codes with `HPE_` come from the HTTP parser. */
function kindOfFailure(sent: boolean, code: string | undefined): UpstreamErrorKind {
  if (!sent) return 'unreachable';
  return code?.startsWith('HPE_') ? 'malformed' : 'closed';
}
