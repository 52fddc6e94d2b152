import type { MetricValues } from '../metrics.ts';
import type { RpcAnswer } from './handle-request.ts';

const BALANCE_STATUS = 402;
const RATE_STATUS = 429;
const UNAVAILABLE_STATUS = 503;

/** What became of the calls of a request. */
export interface CallFigures {
  readonly calls: number;
  /** Calls that the gateway refused, each by itself. */
  readonly refused: number;
  /** Calls that were answered from the cache. */
  readonly cached: number;
  /** Calls that the node answered with an error. */
  readonly nodeErrors: number;
  /** Time that the request waited for the cache and the node, in milliseconds. */
  readonly upstreamMs: number;
}

/** The metrics of one JSON-RPC request. */
export function requestMetrics(answer: RpcAnswer, latencyMs: number): MetricValues {
  const { status, headers, figures } = answer;
  const upstreamMs = figures?.upstreamMs ?? 0;
  return {
    Requests: 1,
    Calls: figures?.calls ?? 0,
    RefusedCalls: figures?.refused ?? 0,
    NodeErrors: figures?.nodeErrors ?? 0,
    CacheHits: figures?.cached ?? 0,
    Latency: latencyMs,
    ...(upstreamMs > 0 && { UpstreamLatency: upstreamMs }),
    AddedLatency: Math.max(0, latencyMs - upstreamMs),
    BilledComputeUnits: Number(headers['X-CU-Billed'] ?? 0),
    ...refusalMetrics(status),
  };
}

/** The metric of a request that was refused as a whole. */
export function refusalMetrics(status: number): MetricValues {
  if (status === BALANCE_STATUS) return { RefusedForBalance: 1 };
  if (status === RATE_STATUS) return { RefusedForRate: 1 };
  return status === UNAVAILABLE_STATUS ? { RefusedForUnavailability: 1 } : {};
}
