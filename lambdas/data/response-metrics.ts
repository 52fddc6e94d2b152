import type { HttpResponse } from 'gateway-access';
import type { MetricLine } from '../shared/runtime/metrics.ts';
import type { DataDependencies, DataRequest } from './handle-data.ts';
import { stageChainNamed } from './list-chains.ts';
import { dataMetrics } from './response/data-metrics.ts';

/** A request's answer, and when it began, in milliseconds since the epoch. */
interface Answered {
  readonly response: HttpResponse;
  readonly startedAt: number;
}

/** The metrics of a request that is answered now. */
export function responseMetrics(
  request: Pick<DataRequest, 'chain' | 'requestId'>,
  { response, startedAt }: Answered,
  { chains, clock }: Pick<DataDependencies, 'chains' | 'clock'>,
): MetricLine[] {
  return dataMetrics({
    response,
    chain: stageChainNamed(chains, request.chain)?.chain,
    requestId: request.requestId,
    latencyMs: clock.now() - startedAt,
  });
}
