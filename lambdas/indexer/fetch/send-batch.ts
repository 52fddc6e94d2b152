import type { JsonResponse } from '../../shared/http/post-json.ts';
import { UpstreamError } from '../../shared/http/upstream-error.ts';
import { NodeError, nodeErrorOf } from './node-error.ts';

/** A question to a node. */
export interface NodeCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What the node answered: the parsed result, or its error. */
export type NodeResponse = { readonly result: unknown } | { readonly error: NodeError };

/** Where requests go; a `NodeConnection` is one. */
export interface NodePost {
  /** Reserves `count` consecutive ids and returns the first. */
  reserveIds(count: number): number;
  /** @throws UpstreamError if there is no HTTP response */
  post(request: {
    readonly body: Uint8Array;
    readonly idempotent: boolean;
    readonly deadline: number;
    readonly limitMs?: number;
    readonly signal?: AbortSignal;
  }): Promise<JsonResponse>;
}

export interface BatchOptions {
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /**
   * Time for one request where it may need more than a good node gives it, in milliseconds: that it takes longer is an
   * answer, and no failure of the node. A call that is refused for its rate is not sent again for longer.
   */
  readonly limitMs?: number;
  readonly signal?: AbortSignal;
}

/** Answers in the order of the calls. */
export interface BatchAnswers {
  readonly answers: readonly NodeResponse[];
  /** Size of the response. */
  readonly bytes: number;
}

const SUCCESS_STATUS = 200;
const RATE_LIMITED_STATUS = 429;
const TOO_LARGE_STATUS = 413;
const MILLISECONDS_PER_SECOND = 1_000;
const TIMEOUT_STATUSES: ReadonlySet<number> = new Set([408, 504, 524]);

/**
 * Sends calls in one request.
 * @throws {NodeError} where the request as a whole failed
 */
export async function sendBatch(
  node: NodePost,
  calls: readonly NodeCall[],
  options: BatchOptions,
): Promise<BatchAnswers> {
  const firstId = node.reserveIds(calls.length);
  const body = Buffer.from(
    JSON.stringify(
      calls.map(({ method, params }, index) => ({ jsonrpc: '2.0', id: firstId + index, method, params })),
    ),
  );
  const response = await post(node, body, options);
  const parsed = parseBody(response);
  if (!Array.isArray(parsed)) throw errorOf(parsed) ?? new NodeError('unavailable', 'no batch of answers');
  const byId = new Map<unknown, unknown>(parsed.map((answer: unknown) => [memberOf(answer, 'id'), answer]));
  const answers = calls.map((_, index) => answerOf(byId.get(firstId + index)));
  return { answers, bytes: response.body.length };
}

async function post(node: NodePost, body: Uint8Array, options: BatchOptions): Promise<JsonResponse> {
  try {
    return await node.post({ body, idempotent: true, ...options });
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    const kind = error.kind === 'too_large' || error.kind === 'timeout' ? error.kind : 'unavailable';
    throw new NodeError(kind, error.message);
  }
}

function parseBody({ status, body, retryAfter }: JsonResponse): unknown {
  if (status === RATE_LIMITED_STATUS)
    throw new NodeError('rate_limited', `HTTP ${status}`, retryAfterMs(retryAfter));
  if (status === TOO_LARGE_STATUS) throw new NodeError('too_large', `HTTP ${status}`);
  if (TIMEOUT_STATUSES.has(status)) throw new NodeError('timeout', `HTTP ${status}`);
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch {
    throw new NodeError('unavailable', `no JSON (HTTP ${status})`);
  }
  if (status !== SUCCESS_STATUS) throw errorOf(parsed) ?? new NodeError('unavailable', `HTTP ${status}`);
  return parsed;
}

/** A wait in seconds; a date, which would have to be compared with the node's clock, is none. */
function retryAfterMs(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,9}$/.test(header)
    ? Number(header) * MILLISECONDS_PER_SECOND
    : undefined;
}

function answerOf(answer: unknown): NodeResponse {
  if (answer === undefined) return { error: new NodeError('unavailable', 'no answer to a call') };
  const error = errorOf(answer);
  if (error !== undefined) return { error };
  const result = memberOf(answer, 'result');
  return result === undefined
    ? { error: new NodeError('unavailable', 'neither result nor error') }
    : { result };
}

function errorOf(answer: unknown): NodeError | undefined {
  const error = memberOf(answer, 'error');
  if (error === undefined || error === null) return undefined;
  const code = memberOf(error, 'code');
  const message = memberOf(error, 'message');
  return nodeErrorOf(
    typeof code === 'number' ? code : 0,
    typeof message === 'string' ? message : 'no message',
  );
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Record<string, unknown>)[name];
}
