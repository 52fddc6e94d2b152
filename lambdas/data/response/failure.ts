import type { HttpResponse } from 'gateway-access';
import { jsonResponse } from '../../shared/http/json-response.ts';

/** Every `error.code` of the Data API. */
export const FAILURE_CODES = [
  'bad_request',
  'insufficient_balance',
  'forbidden',
  'not_found',
  'finality_exceeded',
  'window_too_large',
  'block_replaced',
  'snapshot_replaced',
  'dataset_not_installed',
  'no_coverage',
  'rate_limited',
  'cost_exceeds_burst',
  'key_daily_limit',
  'too_many_queries',
  'too_many_exports',
  'internal_error',
  'query_timeout',
  'unavailable',
  'billing_unavailable',
] as const;

type FailureCode = (typeof FAILURE_CODES)[number];

/** Why a request gets no data: an HTTP status and the two fields of the error envelope. */
export interface Failure {
  readonly statusCode: number;
  readonly code: FailureCode;
  readonly message: string;
  /** When the same request can succeed, in milliseconds; absent where that is not known. @default that of the code */
  readonly retryAfterMs?: number;
}

export const FORBIDDEN: Failure = {
  statusCode: 403,
  code: 'forbidden',
  message: 'operation not allowed for this key',
};
export const UNAVAILABLE: Failure = {
  statusCode: 503,
  code: 'unavailable',
  message: 'the chain database is unreachable or waking up, try again',
};
export const QUERY_TIMEOUT: Failure = {
  statusCode: 503,
  code: 'query_timeout',
  message: 'the query took too long: ask for less at a time, with a narrower window or a lower limit',
};
export const TOO_MANY_QUERIES: Failure = {
  statusCode: 429,
  code: 'too_many_queries',
  message: 'as many queries of this key are under way as may be at a time, try again',
};
export const TOO_MANY_EXPORTS: Failure = {
  statusCode: 429,
  code: 'too_many_exports',
  message: 'as many exports of this key are under way as may be at a time, try again when one has ended',
};
export const BILLING_UNAVAILABLE: Failure = {
  statusCode: 503,
  code: 'billing_unavailable',
  message: 'billing data temporarily unavailable',
};
export const INTERNAL_ERROR: Failure = {
  statusCode: 500,
  code: 'internal_error',
  message: 'internal gateway error',
};

const MILLISECONDS_PER_SECOND = 1_000;
/** Seconds after which another attempt is worth it: Aurora wakes in ten to thirty, a query ends within eight, an export within 25. */
const RETRY_AFTER_SECONDS: { readonly [Code in FailureCode]?: number } = {
  unavailable: 5,
  too_many_queries: 1,
  too_many_exports: 5,
  billing_unavailable: 1,
};

/** When a request that failed can succeed, in milliseconds. */
export function retryAfterMsOf({ code, retryAfterMs }: Failure): number | undefined {
  const seconds = RETRY_AFTER_SECONDS[code];
  return retryAfterMs ?? (seconds === undefined ? undefined : seconds * MILLISECONDS_PER_SECOND);
}

/** The error envelope of the Data API: `code` and `message`, and nothing else. No error is billed. */
export function renderFailure(
  failure: Failure,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  const { statusCode, code, message } = failure;
  const retryAfterMs = retryAfterMsOf(failure);
  return jsonResponse(statusCode, { error: { code, message } }, requestId, {
    'X-CU-Billed': '0',
    ...(retryAfterMs !== undefined && {
      'Retry-After': String(Math.max(1, Math.ceil(retryAfterMs / MILLISECONDS_PER_SECOND))),
    }),
    ...headers,
  });
}
