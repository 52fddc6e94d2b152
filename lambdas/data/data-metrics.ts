import type { HttpResponse } from 'gateway-access';
import type { MetricValues } from '../metrics.ts';

const BILLING_MESSAGE = 'billing_unavailable';
const REFUSALS: Readonly<Record<number, MetricValues>> = {
  402: { RefusedForBalance: 1 },
  429: { RefusedForRate: 1 },
};

/** The metrics of one Data API request. */
export function dataMetrics(answer: HttpResponse, latencyMs: number): MetricValues {
  const { statusCode, headers, body } = answer;
  const isUnavailable = statusCode === 503;
  const isBilling = isUnavailable && String(body).includes(BILLING_MESSAGE);
  return {
    DataRequests: 1,
    DataErrors: statusCode >= 500 ? 1 : 0,
    DataLatency: latencyMs,
    BilledComputeUnits: Number(headers?.['X-CU-Billed'] ?? 0),
    ...REFUSALS[statusCode],
    ...(isUnavailable && (isBilling ? { RefusedForUnavailability: 1 } : { DatabaseUnavailable: 1 })),
  };
}
