import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type HttpResponse, type Meter, retryAfterSeconds } from 'gateway-access';
import type { BodyPieces } from '../../shared/http/body-pieces.ts';
import type { CataloguedError, Reason } from '../../shared/jsonrpc/error-catalogue.ts';
import { httpStatusOf } from '../../shared/jsonrpc/render-error.ts';
import { FREE_HEADERS, UNAVAILABLE_RETRY_SECONDS } from './refusal-error.ts';
import { renderRefusal } from './render-response.ts';

/** Response to a request that failed before it was read, or for a defect of ours: no id is known, nothing is billed. */
export function failureResponse(reason: Reason, requestId: string): HttpResponse {
  const error = { reason };
  const retryAfter = httpStatusOf(error) === 503 ? UNAVAILABLE_RETRY_SECONDS : undefined;
  return unreadResponse(error, requestId, retryAfter);
}

/** What checks the key of a request: the responses to one that cannot be checked, and to one that has to wait. */
export function keyCheck(meter: Meter) {
  return {
    meter,
    unavailable: ({ requestContext }: APIGatewayProxyEvent) =>
      failureResponse('billing_unavailable', requestContext.requestId),
    limited: ({ requestContext }: APIGatewayProxyEvent, retryAfterMs: number) =>
      unmeteredResponse(retryAfterMs, requestContext.requestId),
  };
}

/** Response to a key that has sent too many unbilled requests. Its request was not read: no id is known. */
function unmeteredResponse(retryAfterMs: number, requestId: string): HttpResponse {
  const details = { limit: 'unmetered', retry_after_ms: retryAfterMs };
  return unreadResponse({ reason: 'rate_limited', details }, requestId, retryAfterSeconds(retryAfterMs));
}

function unreadResponse(
  error: CataloguedError,
  requestId: string,
  retryAfter: number | undefined,
): HttpResponse {
  return {
    statusCode: httpStatusOf(error),
    headers: {
      'Content-Type': 'application/json',
      'X-Request-Id': requestId,
      ...FREE_HEADERS,
      ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
    },
    body: textOf(renderRefusal(error, { refused: error })),
  };
}

function textOf(pieces: BodyPieces): string {
  return Buffer.concat(pieces).toString();
}
