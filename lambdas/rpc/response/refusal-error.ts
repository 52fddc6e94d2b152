import { type MeterRefusal, retryAfterSeconds } from 'gateway-access';
import type { CataloguedError } from '../../shared/jsonrpc/error-catalogue.ts';

/** Headers of a request that is refused as a whole, or has no call to send. */
export const FREE_HEADERS = { 'X-CU-Cost': '0', 'X-CU-Billed': '0' };

/** Seconds after which an outage of the billing store is worth another try. */
export const UNAVAILABLE_RETRY_SECONDS = 1;

/** A refusal of the meter as a JSON-RPC error. A key that is no longer known has none: it is a 404. */
export function refusalError(refusal: Exclude<MeterRefusal, { reason: 'key_unknown' }>): CataloguedError {
  switch (refusal.reason) {
    case 'insufficient_balance':
      return { reason: refusal.reason, details: { balance_cu: Number(refusal.balanceCu) } };
    case 'cost_exceeds_burst': {
      const { cost, capacity } = refusal;
      return {
        reason: refusal.reason,
        parameters: { cost, capacity },
        details: { cost_cu: cost, capacity_cu: capacity },
      };
    }
    case 'key_daily_limit':
      return { reason: refusal.reason, details: { resets_at: new Date(refusal.resetsAtMs).toISOString() } };
    case 'rate_limited': {
      const { limit, retryAfterMs } = refusal;
      return { reason: refusal.reason, details: { limit, retry_after_ms: retryAfterMs } };
    }
    case 'billing_unavailable':
      return { reason: refusal.reason };
  }
}

/** Value of `Retry-After` for a refusal, in seconds; undefined if time does not help. */
export function retryAfterOf(refusal: MeterRefusal): number | undefined {
  switch (refusal.reason) {
    case 'rate_limited':
      return retryAfterSeconds(refusal.retryAfterMs);
    case 'billing_unavailable':
      return UNAVAILABLE_RETRY_SECONDS;
    default:
      return undefined;
  }
}
