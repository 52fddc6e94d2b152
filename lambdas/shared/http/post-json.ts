import type { Agent, RequestOptions } from 'node:http';
import { DECODED_ENCODINGS } from './read-body.ts';
import { sendRequest } from './send-request.ts';
import { UpstreamError } from './upstream-error.ts';

/** One POST of a JSON body. */
export interface JsonPost {
  /** Where to: host, port, path and credentials. */
  readonly target: RequestOptions;
  /** Pool that the connection is taken from. */
  readonly agent: Agent;
  /** Whether the connection may serve other requests afterwards. */
  readonly keepConnection: boolean;
  /** Further headers; those of the body win. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body: Uint8Array;
  /** Time for the whole exchange, in milliseconds. */
  readonly timeoutMs: number;
  /** Largest body of a response, in bytes, before and after decoding. */
  readonly maxResponseBytes: number;
  /** Gives the exchange up. */
  readonly signal?: AbortSignal | undefined;
}

/** A whole HTTP response, whatever its status. */
export interface PostedResponse {
  readonly status: number;
  readonly body: Buffer;
  /** The header `retry-after`, as it came. */
  readonly retryAfter?: string | undefined;
}

/**
 * Sends one POST and reads its response. No header travels but the given ones and those of the body, and no redirect is
 * followed.
 * @throws UpstreamError if there is no whole response within the time and the size.
 */
export async function postJson(post: JsonPost): Promise<PostedResponse> {
  const { status, headers, body } = await sendRequest({
    ...post,
    options: {
      ...post.target,
      method: 'POST',
      agent: post.agent,
      headers: {
        ...post.headers,
        'content-type': 'application/json',
        'content-length': post.body.length,
        accept: 'application/json',
        'accept-encoding': DECODED_ENCODINGS,
        connection: post.keepConnection ? 'keep-alive' : 'close',
      },
    },
    toError: ({ kind, ...context }) =>
      new UpstreamError(kind === 'connect_timeout' ? 'timeout' : kind, context),
  });
  return { status, body, retryAfter: headers['retry-after'] };
}
