import { log } from './log.ts';
import { emitMetrics, type MetricLine } from './metrics.ts';

/** What a function reports. Handed in as the clock is, so that a test reads it from an array. */
export interface Telemetry {
  readonly log: typeof log;
  readonly emit: (line: MetricLine, nowMs: number) => void;
}

/** Reports to CloudWatch by way of the standard output. */
export const systemTelemetry: Telemetry = { log, emit: emitMetrics };
