import type { LogFields } from '../../lambdas/shared/runtime/log.ts';
import type { MetricDimensions, MetricLine, MetricValues } from '../../lambdas/shared/runtime/metrics.ts';
import type { Telemetry } from '../../lambdas/shared/runtime/telemetry.ts';

export interface LogLine extends LogFields {
  readonly level: string;
  readonly event: string;
}

/** Telemetry that keeps what it is told. */
export class RecordedTelemetry implements Telemetry {
  readonly logged: LogLine[] = [];
  readonly emitted: MetricLine[] = [];

  readonly log: Telemetry['log'] = (level, event, fields = {}) => {
    this.logged.push({ level, event, ...fields });
  };

  readonly emit: Telemetry['emit'] = (line) => {
    this.emitted.push(line);
  };

  /** The values of each line, with its dimensions. */
  metrics(): readonly (MetricValues & MetricDimensions)[] {
    return this.emitted.map(({ values, dimensions }) => ({ ...dimensions, ...values }));
  }
}
