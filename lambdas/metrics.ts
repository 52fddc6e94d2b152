/** Namespace of the gateway's own CloudWatch metrics. */
export const METRIC_NAMESPACE = 'Gateway';

/** Every metric that a function emits, with its CloudWatch unit. */
export const METRIC_UNITS = {
  /** JSON-RPC requests of a chain, and their calls. */
  Requests: 'Count',
  Calls: 'Count',
  /** Calls that the gateway refused one by one, and calls that the node answered with an error. */
  RefusedCalls: 'Count',
  NodeErrors: 'Count',
  CacheHits: 'Count',
  /** Time that a request took, that of it which it waited for the node, and the rest. */
  Latency: 'Milliseconds',
  UpstreamLatency: 'Milliseconds',
  AddedLatency: 'Milliseconds',
  /** Compute units billed, by both interfaces. */
  BilledComputeUnits: 'Count',
  /** Requests refused as a whole: balance used up, over a limit, more than the bucket holds, billing not available. */
  RefusedForBalance: 'Count',
  RefusedForRate: 'Count',
  RefusedForUnavailability: 'Count',
  /** Data API requests, and what they took. */
  DataRequests: 'Count',
  DataErrors: 'Count',
  DataLatency: 'Milliseconds',
  /** Data API requests that the chain database did not answer in time, because it slept or was not there. */
  DatabaseUnavailable: 'Count',
  /** Charges whose outcome was not certain, left to the queue; and those that even the queue did not take. */
  ChargesQueued: 'Count',
  ChargesLost: 'Count',
  UpstreamsTakenOut: 'Count',
  AuditedAccounts: 'Count',
  AuditViolations: 'Count',
  SettledComputeUnits: 'Count',
  SettlementRecords: 'Count',
  SettlementFailures: 'Count',
  /** Blocks between the node's head and the indexed one at the end of a slot, of which there is one a minute. */
  IndexerLagBlocks: 'Count',
  IndexedBlocks: 'Count',
  Reorganisations: 'Count',
  IndexerHalted: 'Count',
} as const;

export type MetricName = keyof typeof METRIC_UNITS;

export type MetricValues = Readonly<Partial<Record<MetricName, number>>>;

/** What a metric may be told apart by; never a key and never an account, of which there are too many. */
export interface MetricDimensions {
  readonly Chain?: string;
}

/**
 * Renders one line in the embedded metric format, from which CloudWatch Logs makes metrics. Values with dimensions count
 * for these, and for all together.
 */
export function renderMetrics(
  values: MetricValues,
  nowMs: number,
  dimensions: MetricDimensions = {},
): string {
  const metrics = Object.keys(values).map((name) => ({ Name: name, Unit: METRIC_UNITS[name as MetricName] }));
  const names = Object.keys(dimensions);
  const sets = names.length === 0 ? [[]] : [[], names];
  const directive = { Namespace: METRIC_NAMESPACE, Dimensions: sets, Metrics: metrics };
  return JSON.stringify({
    _aws: { Timestamp: nowMs, CloudWatchMetrics: [directive] },
    ...dimensions,
    ...values,
  });
}

/** Emits metrics of this moment. */
export function emitMetrics(values: MetricValues, nowMs: number, dimensions: MetricDimensions = {}): void {
  process.stdout.write(`${renderMetrics(values, nowMs, dimensions)}\n`);
}
