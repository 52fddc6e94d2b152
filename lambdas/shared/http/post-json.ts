import type { BodyWatch } from './byte-collector.ts';
import type { Connections } from './connections.ts';
import type { HeldBodies } from './large-bodies.ts';
import {
  DECODED_ENCODINGS,
  type ReceivedResponse,
  type RequestFailure,
  sendRequest,
} from './send-request.ts';
import { UpstreamError } from './upstream-error.ts';

/** Where a JSON body is posted to. */
interface JsonTarget {
  /** With its query. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
}

/** One POST of a JSON body. */
interface JsonPost {
  readonly target: JsonTarget;
  /** Those to the server. */
  readonly connections: Connections;
  readonly body: Uint8Array;
  /** Time for the whole exchange, in milliseconds. */
  readonly timeoutMs: number;
  /** Largest body of a response, in bytes, before and after decoding. */
  readonly maxResponseBytes: number;
  /** Gives the exchange up. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the body as it comes, before it is decoded. @default nothing is */
  readonly watch?: BodyWatch | undefined;
  /** Where a large response takes room. @default it takes none */
  readonly held?: HeldBodies | undefined;
}

/** A whole HTTP response, whatever its status. */
export interface PostedResponse {
  readonly status: number;
  readonly body: Buffer;
  /** The header `retry-after`, as it came. */
  readonly retryAfter?: string | undefined;
}

/** A target of bodies of JSON. @param headers further headers; those of the body win */
export function jsonTarget(path: string, headers: Readonly<Record<string, string>> = {}): JsonTarget {
  const ofBody = {
    'content-type': 'application/json',
    accept: 'application/json',
    'accept-encoding': DECODED_ENCODINGS,
  };
  const further = Object.entries(headers).filter(([name]) => !(name.toLowerCase() in ofBody));
  return { path, headers: [...further, ...Object.entries(ofBody)].flat() };
}

/**
 * Sends one POST and reads its response. No header travels but those passed and those of the body, and no redirect is
 * followed.
 * @throws UpstreamError if there is no whole response within the time and the size.
 */
export function postJson(post: JsonPost): Promise<PostedResponse> {
  const { path, headers } = post.target;
  return sendRequest({ ...post, path, headers, method: 'POST', toError: upstreamError }).then(posted);
}

function posted({ status, headers, body }: ReceivedResponse): PostedResponse {
  return { status, body, retryAfter: headers['retry-after'] };
}

function upstreamError({ kind, ...context }: RequestFailure): UpstreamError {
  return new UpstreamError(kind === 'connect_timeout' ? 'timeout' : kind, context);
}
