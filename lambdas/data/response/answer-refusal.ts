import {
  type Admission,
  type HttpResponse,
  notFound,
  rateLimitHeaders,
  retryAfterSeconds,
} from 'gateway-access';
import { answerFailure, BILLING_UNAVAILABLE, type Failure } from './failure.ts';

const RATE_LIMITED: Failure = { statusCode: 429, code: 'rate_limited', message: 'rate limit exceeded' };

/** A refusal of the meter in the envelope of the Data API. */
export function answerRefusal(
  { refusal }: Extract<Admission, { admitted: false }>,
  requestId: string,
): HttpResponse {
  switch (refusal.reason) {
    case 'key_unknown':
      return notFound(requestId);
    case 'insufficient_balance':
      return answerFailure(
        { statusCode: 402, code: 'insufficient_balance', message: 'insufficient balance' },
        requestId,
        { 'X-CU-Balance': String(refusal.balanceCu) },
      );
    case 'rate_limited':
      return answerFailure(RATE_LIMITED, requestId, {
        ...rateLimitHeaders(refusal.limits),
        'Retry-After': String(retryAfterSeconds(refusal.retryAfterMs)),
      });
    case 'cost_exceeds_burst':
      return answerFailure(
        {
          statusCode: 429,
          code: 'cost_exceeds_burst',
          message: `request cost ${refusal.cost} CU exceeds burst capacity ${refusal.capacity} CU`,
        },
        requestId,
      );
    case 'billing_unavailable':
      return answerFailure(BILLING_UNAVAILABLE, requestId);
  }
}

/** Answer to a key that has sent too much for which nobody pays. */
export function answerUnmetered(retryAfterMs: number, requestId: string): HttpResponse {
  return answerFailure(RATE_LIMITED, requestId, { 'Retry-After': String(retryAfterSeconds(retryAfterMs)) });
}
