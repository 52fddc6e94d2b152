import type { HttpResponse } from 'gateway-access';
import { emitMetrics } from '../shared/runtime/metrics.ts';
import type { DataDependencies, DataRequest } from './handle-data.ts';
import { chainNamed } from './list-chains.ts';
import { dataMetrics } from './response/data-metrics.ts';

/** A request's answer, and when it began, in milliseconds since the epoch. */
interface Answered {
  readonly answer: HttpResponse;
  readonly startedAt: number;
}

/** Emits the metrics of a request that is answered now. */
export function emitDataMetrics(
  request: Pick<DataRequest, 'chain' | 'requestId'>,
  { answer, startedAt }: Answered,
  { chains, clock }: Pick<DataDependencies, 'chains' | 'clock'>,
): void {
  const endedAt = clock.now();
  const lines = dataMetrics({
    answer,
    chain: chainNamed(chains, request.chain)?.chain,
    requestId: request.requestId,
    latencyMs: endedAt - startedAt,
  });
  for (const line of lines) emitMetrics(line, endedAt);
}
