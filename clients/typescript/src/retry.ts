import { ConnectionError, GatewayError } from './errors.ts';

/** How often and how long the client waits by itself. Every request is a read, so sending it again changes nothing. */
export interface RetryOptions {
  /** Times that a request is sent again at most. @default 4 */
  readonly retries: number;
  /** Longest wait before it is sent again, in milliseconds: if the gateway asks for a longer one, the error is thrown instead. @default 30,000 */
  readonly maxWaitMs: number;
}

export const DEFAULT_RETRIES: RetryOptions = { retries: 4, maxWaitMs: 30_000 };

/** Wait before the first repetition where the gateway does not say how long; it doubles each time. */
const FIRST_WAIT_MS = 500;
const TOO_MANY_REQUESTS = 429;
/** The same request would take as long once more. */
const QUERY_TIMEOUT = 'query_timeout';
/** Answers of a gateway that may be better in a moment. */
const PASSING: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * How long to wait before a request that failed is sent again, in milliseconds; undefined if it is not to be.
 * @param attempt of the request that failed, from 0
 * @param random from 0 to 1: clients that failed together come back apart
 */
export function waitBeforeRetry(
  error: unknown,
  attempt: number,
  { retries, maxWaitMs }: RetryOptions,
  random: number,
): number | undefined {
  if (attempt >= retries) return undefined;
  const wait = wishedWait(error, attempt, random);
  return wait === undefined || wait > maxWaitMs ? undefined : wait;
}

function wishedWait(error: unknown, attempt: number, random: number): number | undefined {
  const backOff = FIRST_WAIT_MS * 2 ** attempt * (1 + random);
  if (error instanceof ConnectionError) return backOff;
  if (!(error instanceof GatewayError)) return undefined;
  if (error.code === QUERY_TIMEOUT) return undefined;
  // A request that can never fit has no Retry-After.
  if (error.status === TOO_MANY_REQUESTS) return error.retryAfterMs;
  return PASSING.has(error.status) ? (error.retryAfterMs ?? backOff) : undefined;
}
