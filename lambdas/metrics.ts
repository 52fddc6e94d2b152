/** Namespace of the gateway's own CloudWatch metrics. */
export const METRIC_NAMESPACE = 'Gateway';

/** Every metric that a function emits, with its CloudWatch unit. */
export const METRIC_UNITS = {
  AuditedAccounts: 'Count',
  AuditViolations: 'Count',
  SettledComputeUnits: 'Count',
  SettlementRecords: 'Count',
  SettlementFailures: 'Count',
} as const;

export type MetricName = keyof typeof METRIC_UNITS;

/** Renders one line in the embedded metric format, from which CloudWatch Logs makes metrics. No dimensions. */
export function renderMetrics(values: Readonly<Partial<Record<MetricName, number>>>, nowMs: number): string {
  const metrics = Object.keys(values).map((name) => ({ Name: name, Unit: METRIC_UNITS[name as MetricName] }));
  const directive = { Namespace: METRIC_NAMESPACE, Dimensions: [[]], Metrics: metrics };
  return JSON.stringify({ _aws: { Timestamp: nowMs, CloudWatchMetrics: [directive] }, ...values });
}

/** Emits metrics of this moment. */
export function emitMetrics(values: Readonly<Partial<Record<MetricName, number>>>, nowMs: number): void {
  process.stdout.write(`${renderMetrics(values, nowMs)}\n`);
}
