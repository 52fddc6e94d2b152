import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { FRONT_ERRORS } from '../../lambdas/rpc/response/front-errors.ts';
import { MAX_BODY_BYTES } from '../../lambdas/shared/jsonrpc/calls.ts';
import { ERROR_CATALOGUE } from '../../lambdas/shared/jsonrpc/error-catalogue.ts';

/** Seconds after which a client may try again. */
const RETRY_AFTER_SECONDS = 1;

interface FrontError {
  readonly code: number;
  readonly message: string;
  /** Stable slug, carried in `error.data.reason`. */
  readonly reason: string;
  readonly retryable: boolean;
}

interface GatewayResponse {
  readonly type: ResponseType;
  /** Absent: the status of the error itself. Must be absent for a default type, whose status would replace all others. */
  readonly status?: number;
  /** Absent: an empty body. */
  readonly error?: FrontError;
  readonly retryAfter?: boolean;
}

const UNREACHABLE: FrontError = { ...FRONT_ERRORS.gateway_unreachable, reason: 'gateway_unreachable' };
const UNAVAILABLE: FrontError = { ...FRONT_ERRORS.gateway_unavailable, reason: 'gateway_unavailable' };
const TIMED_OUT: FrontError = { ...FRONT_ERRORS.gateway_timed_out, reason: 'gateway_timed_out' };
const THROTTLED: FrontError = { ...ERROR_CATALOGUE.rate_limited, reason: 'rate_limited' };
const TOO_LARGE: FrontError = {
  ...ERROR_CATALOGUE.body_too_large,
  message: ERROR_CATALOGUE.body_too_large.message.replace('<max>', String(MAX_BODY_BYTES)),
  reason: 'body_too_large',
};
const REFUSED: FrontError = { ...FRONT_ERRORS.request_refused, reason: 'request_refused' };

/**
 * Errors of API Gateway that here only mean "no such route": no route takes signed requests, and only the response
 * to unknown routes has templates that a content type can miss.
 */
const UNKNOWN_ROUTE: readonly ResponseType[] = [
  ResponseType.MISSING_AUTHENTICATION_TOKEN,
  ResponseType.RESOURCE_NOT_FOUND,
  ResponseType.INVALID_SIGNATURE,
  ResponseType.UNSUPPORTED_MEDIA_TYPE,
];

/**
 * What API Gateway answers in its own name. The firewall answers what has no key by itself, so its other refusals are those
 * of a rate limit; the other types that are 403 by default belong to authorizers and usage plans, which this API does
 * not have.
 */
const RESPONSES: readonly GatewayResponse[] = [
  ...UNKNOWN_ROUTE.map((type) => ({ type, status: 404 })),
  { type: ResponseType.REQUEST_TOO_LARGE, status: 413, error: TOO_LARGE },
  { type: ResponseType.THROTTLED, status: 429, error: THROTTLED, retryAfter: true },
  { type: ResponseType.WAF_FILTERED, status: 429, error: THROTTLED, retryAfter: true },
  { type: ResponseType.INTEGRATION_FAILURE, status: 503, error: UNAVAILABLE, retryAfter: true },
  { type: ResponseType.INTEGRATION_TIMEOUT, status: 504, error: TIMED_OUT },
  { type: ResponseType.DEFAULT_4XX, error: REFUSED },
  { type: ResponseType.DEFAULT_5XX, error: UNREACHABLE },
];

/**
 * Gives every error that API Gateway makes by itself the shape of a JSON-RPC error, or of an unknown route. An API has one
 * set of these for all of its routes, so the Data API and the status have the same (docs/adr/018).
 */
export function addGatewayResponses(api: RestApi): void {
  for (const { type, status, error, retryAfter = false } of RESPONSES) {
    api.addGatewayResponse(`Response-${type.responseType}`, {
      type,
      ...(status === undefined ? {} : { statusCode: String(status) }),
      responseHeaders: {
        'X-Request-Id': 'context.requestId',
        // `/v1/status` has these responses too, and any page may read them. An unknown route has no page to read it.
        ...(error === undefined ? {} : { 'Access-Control-Allow-Origin': "'*'" }),
        ...(retryAfter ? { 'Retry-After': `'${RETRY_AFTER_SECONDS}'` } : {}),
      },
      templates: { 'application/json': error === undefined ? '' : body(error) },
    });
  }
}

/** Body of a request that is refused for what it is, by API Gateway or by the firewall. */
export const REQUEST_REFUSED = body(REFUSED);

/** The id of the call is unknown here, which JSON-RPC writes as null. */
function body({ code, message, reason, retryable }: FrontError): string {
  return JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message, data: { reason, retryable } } });
}
