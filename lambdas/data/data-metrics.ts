import type { HttpResponse } from 'gateway-access';
import type { MetricLine, MetricValues } from '../shared/runtime/metrics.ts';
import { errorLines } from '../shared/runtime/metrics.ts';
import type { DataDependencies, DataRequest } from './handle-data.ts';
import { stageChainNamed } from './list-chains.ts';

const BILLING_CODE = 'billing_unavailable';
const REFUSALS: Readonly<Record<number, MetricValues>> = {
  402: { RefusedForBalance: 1 },
  429: { RefusedForRate: 1 },
};
const FIRST_ERROR_STATUS = 400;
/** Errors of the Data API are distinguished from those of JSON-RPC, some of which have the same name. */
export const DATA_REASON_PREFIX = 'data_';

/** A request's answer, and when it began, in milliseconds since the epoch. */
interface Answered {
  readonly response: HttpResponse;
  readonly startedAt: number;
}

/** The metrics of a Data API request that is answered now. */
export function dataMetrics(
  request: Pick<DataRequest, 'chain' | 'requestId'>,
  { response, startedAt }: Answered,
  { chains, clock }: Pick<DataDependencies, 'chains' | 'clock'>,
): MetricLine[] {
  const { statusCode, headers } = response;
  const chain = stageChainNamed(chains, request.chain)?.chain;
  const code = errorCodeOf(response);
  const isUnavailable = statusCode === 503;
  const dimensions = chain === undefined ? {} : { Chain: chain };
  const values = {
    DataRequests: 1,
    DataErrors: statusCode >= 500 ? 1 : 0,
    DataLatency: clock.now() - startedAt,
    BilledComputeUnits: Number(headers['X-CU-Billed'] ?? 0),
    ...REFUSALS[statusCode],
    ...(isUnavailable &&
      (code === BILLING_CODE ? { RefusedForUnavailability: 1 } : { DatabaseUnavailable: 1 })),
  };
  const reasons = new Map(code === undefined ? [] : [[`${DATA_REASON_PREFIX}${code}`, 1]]);
  return [
    { values, dimensions, fields: { requestId: request.requestId, status: statusCode } },
    ...errorLines(dimensions, reasons),
  ];
}

/** Undefined for what has no body: the answer to a key that is not active tells nothing. */
function errorCodeOf({ statusCode, body }: HttpResponse): string | undefined {
  if (statusCode < FIRST_ERROR_STATUS || body.length === 0) return undefined;
  const { error } = JSON.parse(String(body)) as { readonly error?: { readonly code?: string } };
  return error?.code;
}
