import { ERROR_CATALOGUE } from '../../shared/jsonrpc/error-catalogue.ts';

/** Code of the errors that the front of the gateway makes when a function gave no response. */
const FRONT_PROXY_CODE = -32030;

/**
 * Errors on the JSON-RPC interface that API Gateway makes in the place of a function, by reason. The status is the one
 * that clients see as a rule. Only a request that timed out can have been billed.
 */
export const FRONT_ERRORS = {
  request_refused: { ...ERROR_CATALOGUE.invalid_request, httpStatus: 400 },
  gateway_unreachable: {
    code: FRONT_PROXY_CODE,
    httpStatus: 502,
    message: 'rpc gateway unreachable',
    retryable: true,
  },
  gateway_unavailable: {
    code: FRONT_PROXY_CODE,
    httpStatus: 503,
    message: 'rpc gateway unavailable',
    retryable: true,
  },
  gateway_timed_out: {
    code: FRONT_PROXY_CODE,
    httpStatus: 504,
    message: 'rpc gateway timed out',
    retryable: true,
  },
} as const;

/** Errors that a function makes by itself where API Gateway does not speak for it. */
export type FrontFailure = 'gateway_unreachable' | 'gateway_unavailable';

/** Seconds after which a client may try again that found the gateway not available. */
const RETRY_AFTER_SECONDS = 1;

/** The response of API Gateway to a failure, where a function has to give it. The id of the call is not known. */
export function frontFailure(reason: FrontFailure, requestId: string) {
  const { code, message, retryable, httpStatus } = FRONT_ERRORS[reason];
  return {
    statusCode: httpStatus,
    headers: {
      'Content-Type': 'application/json',
      'Access-Control-Allow-Origin': '*',
      ...(requestId !== '' && { 'X-Request-Id': requestId }),
      ...(reason === 'gateway_unavailable' && { 'Retry-After': String(RETRY_AFTER_SECONDS) }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message, data: { reason, retryable } } }),
  };
}
