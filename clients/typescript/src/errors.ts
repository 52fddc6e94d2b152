/** What a response that is no success says. */
export interface Refusal {
  /** HTTP status. */
  readonly status: number;
  /** `error.code` of the body: a slug of the Data API, or a number where API Gateway answered. Absent without a body. */
  readonly code?: string | number | undefined;
  /** Stable slug: what to branch on. */
  readonly reason: string;
  readonly message: string;
  /** `X-Request-Id`: name it when you ask for help. */
  readonly requestId?: string | undefined;
  /** `Retry-After`. Absent where the same request never succeeds, or the time is not known. */
  readonly retryAfterMs?: number | undefined;
}

/** Anything but a success. */
export class GatewayError extends Error {
  override readonly name: string = 'GatewayError';
  readonly status: number;
  readonly code: string | number | undefined;
  readonly reason: string;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor({ status, code, reason, message, requestId, retryAfterMs }: Refusal) {
    super(message);
    this.status = status;
    this.code = code;
    this.reason = reason;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/** 400: a parameter or a cursor is wrong. */
export class BadRequestError extends GatewayError {
  override readonly name = 'BadRequestError';
}

/** 402: nothing is left of the balance. */
export class InsufficientBalanceError extends GatewayError {
  override readonly name = 'InsufficientBalanceError';
}

/** 403: the key is bound to other operations. */
export class ForbiddenError extends GatewayError {
  override readonly name = 'ForbiddenError';
}

/** 404: the key is missing, unknown or disabled, or bound to other interfaces, addresses or times. Nothing is said of what was asked for. */
export class KeyNotActiveError extends GatewayError {
  override readonly name = 'KeyNotActiveError';
}

/** 404: there is no such thing. */
export class NotFoundError extends GatewayError {
  override readonly name = 'NotFoundError';
}

/** 409: above the finalized block, a window that is too wide, or a snapshot that is replaced; `reason` says which. */
export class ConflictError extends GatewayError {
  override readonly name = 'ConflictError';
}

/** 422: the data are not there: `dataset_not_installed` or `no_coverage`. */
export class UnprocessableError extends GatewayError {
  override readonly name = 'UnprocessableError';
}

/** 429, after the client's own attempts. Without `retryAfterMs` the request can never fit: make it smaller. */
export class RateLimitedError extends GatewayError {
  override readonly name = 'RateLimitedError';
}

/** 5xx, after the client's own attempts. */
export class UnavailableError extends GatewayError {
  override readonly name = 'UnavailableError';
}

/** There was no whole response, after the client's own attempts: `cause` says why. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** A proof does not come out: nothing that it says may be believed. */
export class ProofError extends Error {
  override readonly name = 'ProofError';
}

const CLASSES: Readonly<Record<number, typeof GatewayError>> = {
  400: BadRequestError,
  402: InsufficientBalanceError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  422: UnprocessableError,
  429: RateLimitedError,
};
const FIRST_SERVER_ERROR = 500;
const MILLISECONDS_PER_SECOND = 1_000;
const KEY_NOT_ACTIVE = 'the key is missing, unknown or disabled, or not to be used like this';
/** What API Gateway says of a path that it does not know, without a body: other answers without one are about the key. */
const UNKNOWN_PATH_TYPE = 'application/json';

/** The error that a response is. @param body its text */
export function errorOf(status: number, headers: Headers, body: string): GatewayError {
  const error = readError(body);
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const refusal = {
    status,
    code: error?.code,
    reason: error?.data?.reason ?? (typeof error?.code === 'string' ? error.code : reasonOf(status)),
    message: error?.message ?? `HTTP ${status}`,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterMs: Number.isFinite(seconds) ? seconds * MILLISECONDS_PER_SECOND : undefined,
  };
  if (status === 404 && body === '' && headers.get('content-type')?.startsWith(UNKNOWN_PATH_TYPE) !== true)
    return new KeyNotActiveError({ ...refusal, reason: 'key_not_active', message: KEY_NOT_ACTIVE });
  const Kind = CLASSES[status] ?? (status >= FIRST_SERVER_ERROR ? UnavailableError : GatewayError);
  return new Kind(refusal);
}

/** The error that a redirect is, wherever it points: the client follows none. */
export function redirectError({ status, headers }: Pick<Response, 'status' | 'headers'>): GatewayError {
  return new GatewayError({
    status,
    reason: 'redirected',
    message: 'the gateway answered by a redirect, which is not followed: baseUrl has to be its own address',
    requestId: headers.get('x-request-id') ?? undefined,
  });
}

interface ErrorMember {
  readonly code?: string | number;
  readonly message?: string;
  /** Of what API Gateway answers. */
  readonly data?: { readonly reason?: string };
}

function readError(body: string): ErrorMember | undefined {
  try {
    return (JSON.parse(body) as { readonly error?: ErrorMember }).error;
  } catch {
    return undefined;
  }
}

/** Slug of a response whose body has none. */
function reasonOf(status: number): string {
  return status === 404 ? 'not_found' : `http_${status}`;
}
