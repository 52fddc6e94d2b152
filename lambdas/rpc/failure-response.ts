import type { HttpResponse } from 'gateway-access';
import type { BodyPieces } from '../http/body-pieces.ts';
import { renderRefusal } from './answer.ts';
import type { Reason } from './error-catalogue.ts';
import { UNAVAILABLE_RETRY_SECONDS } from './refusal-error.ts';
import { httpStatusOf } from './render-error.ts';

const FREE_HEADERS = { 'X-CU-Cost': '0', 'X-CU-Billed': '0' };

/** Answer to a request that failed before it was read, or for a defect of ours: no id is known, nothing is billed. */
export function failureResponse(reason: Reason, requestId: string): HttpResponse {
  const error = { reason };
  const statusCode = httpStatusOf(error);
  return {
    statusCode,
    headers: {
      'Content-Type': 'application/json',
      'X-Request-Id': requestId,
      ...FREE_HEADERS,
      ...(statusCode === 503 ? { 'Retry-After': String(UNAVAILABLE_RETRY_SECONDS) } : {}),
    },
    body: textOf(renderRefusal(error, { refused: error })),
  };
}

function textOf(pieces: BodyPieces): string {
  return Buffer.concat(pieces).toString();
}
