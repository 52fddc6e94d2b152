import { errorLines, type MetricLine, type MetricValues } from '../../shared/runtime/metrics.ts';
import type { CallFigures, ClassFigures } from './call-figures.ts';
import type { RpcResponse } from './rpc-response.ts';

/** The metric of a request that was refused as a whole, by its status. */
const REFUSAL_METRICS: ReadonlyMap<number, MetricValues> = new Map<number, MetricValues>([
  [402, { RefusedForBalance: 1 }],
  [429, { RefusedForRate: 1 }],
  [503, { RefusedForUnavailability: 1 }],
]);

/** A request that has been answered. */
interface AnsweredRequest {
  readonly response: RpcResponse;
  readonly chain: string;
  readonly requestId: string;
  /** Time until its response was ready, in milliseconds. */
  readonly latencyMs: number;
  /** Time for its charge, after the response, in milliseconds. */
  readonly chargeMs: number;
}

/**
 * The metrics of one JSON-RPC request, and how its time was spent. Calls of a single class, the usual case, take one
 * line; a mixed batch takes one more for each further class.
 */
export function requestMetrics({
  response,
  chain,
  requestId,
  latencyMs,
  chargeMs,
}: AnsweredRequest): MetricLine[] {
  const { status, figures, times } = response;
  const dimensions = { Chain: chain };
  const classes = Array.from(figures?.classes ?? [], ([MethodClass, of]) => ({
    by: { MethodClass },
    values: classValues(of),
  }));
  const ofAll = classes.length === 1 ? classes.pop() : undefined;
  const first: MetricLine = {
    values: requestValues(response, latencyMs),
    dimensions,
    fields: {
      requestId,
      status,
      admissionMs: times?.admissionMs,
      ...(figures?.method !== undefined && { method: figures.method }),
      ...(response.billedCu !== undefined && { chargeMs }),
    },
    ...(ofAll !== undefined && { breakdown: ofAll }),
  };
  const apart = classes.map((breakdown) => ({ dimensions, breakdown }));
  return [first, ...apart, ...errorLines(dimensions, reasonsOf(response))];
}

function reasonsOf({ figures, refused }: RpcResponse): ReadonlyMap<string, number> {
  return figures?.errors ?? new Map(refused === undefined ? [] : [[refused, 1]]);
}

function classValues({ calls, cu }: ClassFigures): MetricValues {
  return { Calls: calls, BilledComputeUnits: cu };
}

function requestValues({ status, figures, billedCu, times }: RpcResponse, latencyMs: number): MetricValues {
  const upstreamMs = times?.upstreamMs ?? 0;
  return {
    Requests: 1,
    Calls: figures?.calls ?? 0,
    ...(figures !== undefined && rareCounts(figures)),
    Latency: latencyMs,
    ...(upstreamMs > 0 && { UpstreamLatency: upstreamMs }),
    AddedLatency: Math.max(0, latencyMs - upstreamMs),
    BilledComputeUnits: billedCu ?? 0,
    ...REFUSAL_METRICS.get(status),
  };
}

/** Counts of what most requests have none of. */
function rareCounts({ refused, nodeErrors, unanswered, cached }: CallFigures): MetricValues | undefined {
  if (refused + nodeErrors + unanswered + cached === 0) return undefined;
  return {
    ...(refused > 0 && { RefusedCalls: refused }),
    ...(nodeErrors > 0 && { NodeErrors: nodeErrors }),
    ...(unanswered > 0 && { UnansweredCalls: unanswered }),
    ...(cached > 0 && { CacheHits: cached }),
  };
}
