/**
 * Every error that the gateway itself answers on the JSON-RPC interface: one row each. The reason is a stable
 * slug, carried in `error.data.reason`, because the numbers are shared by several meanings.
 * None of them is ever billed.
 */
export interface CatalogueEntry {
  readonly code: number;
  /** HTTP status of a single call, or of a whole request that is refused. */
  readonly httpStatus: 200 | 402 | 413 | 415 | 429 | 503;
  /** Message, with `<name>` for each parameter. */
  readonly message: string;
  /** Whether the same request can succeed later without a change. */
  readonly retryable: boolean;
}

export const ERROR_CATALOGUE = {
  parse_error: {
    code: -32700,
    httpStatus: 200,
    message: 'parse error (malformed JSON body)',
    retryable: false,
  },
  invalid_request: { code: -32600, httpStatus: 200, message: 'invalid request', retryable: false },
  ambiguous_member: {
    code: -32600,
    httpStatus: 200,
    message: 'invalid request: ambiguous member name',
    retryable: false,
  },
  batch_too_large: {
    code: -32600,
    httpStatus: 200,
    message: 'batch too large: max <max> calls',
    retryable: false,
  },
  body_too_large: {
    code: -32600,
    httpStatus: 413,
    message: 'request body too large: max <max> bytes',
    retryable: false,
  },
  unsupported_encoding: {
    code: -32600,
    httpStatus: 415,
    message: 'unsupported content encoding: send the body as it is or as gzip',
    retryable: false,
  },
  method_not_allowed: {
    code: -32601,
    httpStatus: 200,
    message: 'method not available: <method>',
    retryable: false,
  },
  contract_not_allowed: {
    code: -32602,
    httpStatus: 200,
    message: 'contract not allowed for this key',
    retryable: false,
  },
  logs_range_too_large: {
    code: -32602,
    httpStatus: 200,
    message: 'eth_getLogs block range too large: max <max> blocks',
    retryable: false,
  },
  node_syncing: {
    code: -32010,
    httpStatus: 200,
    message: 'node is syncing; latest-state calls are temporarily unavailable',
    retryable: true,
  },
  state_not_available: {
    code: -32011,
    httpStatus: 200,
    message: 'historical state is not available beyond the most recent <max> blocks',
    retryable: false,
  },
  transaction_not_found: {
    code: -32000,
    httpStatus: 200,
    message: 'transaction not found',
    retryable: false,
  },
  block_not_found: { code: -32000, httpStatus: 200, message: 'block not found', retryable: false },
  min_block_not_reached: { code: -32000, httpStatus: 200, message: 'block not found', retryable: true },
  upstream_unavailable: {
    code: -32000,
    httpStatus: 200,
    message: 'upstream unavailable',
    retryable: true,
  },
  not_verified: { code: -32000, httpStatus: 200, message: 'upstream unavailable', retryable: true },
  upstream_response_too_large: {
    code: -32000,
    httpStatus: 200,
    message: 'upstream response too large',
    retryable: false,
  },
  gateway_overloaded: {
    code: -32005,
    httpStatus: 200,
    message: 'gateway overloaded, retry later',
    retryable: true,
  },
  rate_limited: { code: -32005, httpStatus: 429, message: 'rate limit exceeded', retryable: true },
  cost_exceeds_burst: {
    code: -32005,
    httpStatus: 429,
    message: 'request cost <cost> CU exceeds burst capacity <capacity> CU',
    retryable: false,
  },
  key_daily_limit: { code: -32005, httpStatus: 429, message: 'rate limit exceeded', retryable: false },
  no_upstream_response: {
    code: -32603,
    httpStatus: 200,
    message: 'no response from upstream',
    retryable: true,
  },
  malformed_upstream_response: {
    code: -32603,
    httpStatus: 200,
    message: 'malformed upstream response',
    retryable: true,
  },
  internal_error: { code: -32603, httpStatus: 200, message: 'internal gateway error', retryable: true },
  insufficient_balance: { code: -32020, httpStatus: 402, message: 'insufficient balance', retryable: false },
  billing_unavailable: {
    code: -32021,
    httpStatus: 503,
    message: 'billing data temporarily unavailable',
    retryable: true,
  },
} as const satisfies Record<string, CatalogueEntry>;

/** Stable slug of a gateway error. */
export type Reason = keyof typeof ERROR_CATALOGUE;

/** A gateway error with the parameters of its message and what else `error.data` tells. */
export interface CataloguedError {
  readonly reason: Reason;
  /** Values for the `<name>`s of the message. */
  readonly parameters?: Readonly<Record<string, string | number>>;
  /** Further members of `error.data`, beside `reason` and `retryable`. */
  readonly details?: Readonly<Record<string, string | number | boolean>>;
}
