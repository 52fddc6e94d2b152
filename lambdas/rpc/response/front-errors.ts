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
