/** Identity of a metric of CloudWatch. */
export interface MetricId {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

/** One value of a metric at a time. */
export interface Measurement extends MetricId {
  readonly value: number;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

/** Text that two metrics share only if they are the same. */
export function metricKey({ namespace, name, dimensions }: MetricId): string {
  return JSON.stringify([namespace, name, Object.entries(dimensions).sort()]);
}
