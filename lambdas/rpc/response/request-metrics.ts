import { errorLines, type MetricLine, type MetricValues } from '../../shared/runtime/metrics.ts';
import type { CallFigures, ClassFigures } from './call-figures.ts';
import type { RpcResponse } from './rpc-response.ts';

const BALANCE_STATUS = 402;
const RATE_STATUS = 429;
const UNAVAILABLE_STATUS = 503;

/** A request that has been answered. */
export interface AnsweredRequest {
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
  const classes = [...(figures?.classes ?? [])].map(([MethodClass, of]) => ({
    by: { MethodClass },
    values: classValues(of),
  }));
  const [only] = classes;
  const apart = classes.length === 1 ? [] : classes;
  return [
    {
      values: requestValues(response, latencyMs),
      dimensions,
      fields: {
        requestId,
        status,
        admissionMs: times?.admissionMs,
        ...(response.billedCu !== undefined && { chargeMs }),
      },
      ...(apart.length === 0 && only !== undefined && { breakdown: only }),
    },
    ...apart.map((breakdown) => ({ dimensions, breakdown })),
    ...errorLines(dimensions, reasonsOf(response)),
  ];
}

function reasonsOf({ figures, refused }: RpcResponse): ReadonlyMap<string, number> {
  return figures?.errors ?? new Map(refused === undefined ? [] : [[refused, 1]]);
}

function classValues({ calls, cu }: ClassFigures): MetricValues {
  return { Calls: calls, BilledComputeUnits: cu };
}

function requestValues({ status, figures, billedCu, times }: RpcResponse, latencyMs: number): MetricValues {
  const upstreamMs = times?.upstreamMs ?? 0;
  const {
    calls = 0,
    refused = 0,
    unanswered = 0,
    nodeErrors = 0,
    cached = 0,
  }: Partial<CallFigures> = {
    ...figures,
  };
  return {
    Requests: 1,
    Calls: calls,
    ...(refused > 0 && { RefusedCalls: refused }),
    ...(nodeErrors > 0 && { NodeErrors: nodeErrors }),
    ...(unanswered > 0 && { UnansweredCalls: unanswered }),
    ...(cached > 0 && { CacheHits: cached }),
    Latency: latencyMs,
    ...(upstreamMs > 0 && { UpstreamLatency: upstreamMs }),
    AddedLatency: Math.max(0, latencyMs - upstreamMs),
    BilledComputeUnits: billedCu ?? 0,
    ...refusalMetrics(status),
  };
}

/** The metric of a request that was refused as a whole. */
function refusalMetrics(status: number): MetricValues {
  if (status === BALANCE_STATUS) return { RefusedForBalance: 1 };
  if (status === RATE_STATUS) return { RefusedForRate: 1 };
  return status === UNAVAILABLE_STATUS ? { RefusedForUnavailability: 1 } : {};
}
