import { type Admission, type HttpResponse, notFound, rateLimitHeaders } from 'gateway-access';
import { BILLING_UNAVAILABLE, type Failure, renderFailure } from './failure.ts';

const RATE_LIMITED: Failure = { statusCode: 429, code: 'rate_limited', message: 'rate limit exceeded' };

/** What a refusal of the meter is in the Data API. */
export function refusalFailure({ refusal }: Extract<Admission, { admitted: false }>): Failure {
  switch (refusal.reason) {
    case 'key_unknown':
      return { statusCode: 404, code: 'not_found', message: 'the key is not active' };
    case 'insufficient_balance':
      return { statusCode: 402, code: 'insufficient_balance', message: 'insufficient balance' };
    case 'rate_limited':
      return { ...RATE_LIMITED, retryAfterMs: refusal.retryAfterMs };
    case 'key_daily_limit':
      return { statusCode: 429, code: 'key_daily_limit', message: 'rate limit exceeded' };
    case 'cost_exceeds_burst':
      return {
        statusCode: 429,
        code: 'cost_exceeds_burst',
        message: `request cost ${refusal.cost} CU exceeds burst capacity ${refusal.capacity} CU`,
      };
    case 'billing_unavailable':
      return BILLING_UNAVAILABLE;
  }
}

/** A refusal of the meter in the envelope of the Data API. */
export function refusalResponse(
  admission: Extract<Admission, { admitted: false }>,
  requestId: string,
): HttpResponse {
  const { refusal } = admission;
  if (refusal.reason === 'key_unknown') return notFound(requestId);
  return renderFailure(refusalFailure(admission), requestId, {
    ...(refusal.reason === 'insufficient_balance' && { 'X-CU-Balance': String(refusal.balanceCu) }),
    ...('limits' in refusal && rateLimitHeaders(refusal.limits)),
  });
}

/** Answer to a key that has sent too many unbilled requests. */
export function renderUnmetered(retryAfterMs: number, requestId: string): HttpResponse {
  return renderFailure({ ...RATE_LIMITED, retryAfterMs }, requestId);
}
