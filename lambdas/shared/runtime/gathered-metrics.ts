import type { LogFields } from './log.ts';
import {
  emitMetrics,
  type MetricLine,
  type MetricName,
  type MetricValue,
  type MetricValues,
  type TimeMetric,
} from './metrics.ts';
import { requestsAtATime } from './process-bounds.ts';
import { systemTelemetry, type Telemetry } from './telemetry.ts';

/** Time for which lines are gathered, in milliseconds: what a process loses of them that is killed. */
const GATHER_MS = 1_000;
/** Most values of a metric in one line: a limit of the format. */
const MAX_VALUES = 100;
/** Metrics in milliseconds. The compiler compares them with the table of units, which no function has to load. */
const TIMES = {
  RunTime: true,
  Latency: true,
  UpstreamLatency: true,
  AddedLatency: true,
  DataLatency: true,
} satisfies Record<TimeMetric, true>;
/** Counts of which it matters how often they were emitted: release gates compare responses that are due with what they paid. */
const COUNTED_EACH: ReadonlySet<string> = new Set<MetricName>(['ChargedComputeUnits']);

type Values = Partial<Record<MetricName, MetricValue>>;

/** Lines of the same dimensions as one. */
interface Gathered {
  readonly line: MetricLine<MetricValue>;
  readonly values: Values;
  readonly byValues: Values;
  readonly runValues: Values;
}

interface GatheredMetricsOptions {
  readonly emit: (line: MetricLine<MetricValue>, nowMs: number) => void;
  /** Calls back after a time in milliseconds. @default timers of Node.js, which keep no process running */
  readonly after?: (run: () => void, durationMs: number) => void;
}

/**
 * Makes few lines of metrics of those of many requests: one a second for each chain and account, class of methods or reason.
 * Counts are added up; of times each value is kept, so that percentiles are those of the requests. What is of one request alone, such
 * as its id, is left out.
 */
export class GatheredMetrics {
  readonly #emit: GatheredMetricsOptions['emit'];
  readonly #after: NonNullable<GatheredMetricsOptions['after']>;
  readonly #lines = new Map<string, Gathered>();
  #isWaiting = false;

  constructor({ emit, after = afterTime }: GatheredMetricsOptions) {
    this.#emit = emit;
    this.#after = after;
  }

  /** Takes a line in. */
  readonly add = (line: MetricLine, nowMs: number): void => {
    const key = keyOf(line);
    const gathered = this.#lines.get(key) ?? this.#begin(key, line, nowMs);
    const lengths = [
      addTo(gathered.values, line.values),
      addTo(gathered.byValues, line.breakdown?.values),
      addTo(gathered.runValues, line.run?.values),
    ];
    if (Math.max(...lengths) >= MAX_VALUES) this.#end(key, nowMs);
  };

  /** Emits all that is gathered. */
  flush(nowMs: number): void {
    for (const key of [...this.#lines.keys()]) this.#end(key, nowMs);
  }

  #begin(key: string, line: MetricLine, nowMs: number): Gathered {
    this.#waitOnce(nowMs);
    const { dimensions, breakdown, run, fields } = line;
    const [values, byValues, runValues]: [Values, Values, Values] = [{}, {}, {}];
    const gathered: Gathered = {
      values,
      byValues,
      runValues,
      line: {
        values,
        ...(dimensions && { dimensions }),
        ...(breakdown && { breakdown: { by: breakdown.by, values: byValues } }),
        ...(run && { run: { of: run.of, values: runValues } }),
        fields: fieldsOfMany(fields),
      },
    };
    this.#lines.set(key, gathered);
    return gathered;
  }

  #waitOnce(nowMs: number): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#after(() => {
      this.#isWaiting = false;
      this.flush(nowMs + GATHER_MS);
    }, GATHER_MS);
  }

  #end(key: string, nowMs: number): void {
    const gathered = this.#lines.get(key);
    this.#lines.delete(key);
    if (gathered !== undefined) this.#emit(gathered.line, nowMs);
  }
}

/** What the requests of a process report by: one that may have many at a time gathers their lines of metrics. */
export function requestTelemetry(requests = requestsAtATime()): Telemetry {
  if (requests === 1) return systemTelemetry;
  const gathered = new GatheredMetrics({ emit: emitMetrics });
  // Where a signal arrives at all, nothing is lost.
  process.once('SIGTERM', () => gathered.flush(Date.now()));
  return { ...systemTelemetry, emit: gathered.add };
}

/** Fields that all requests of a line have in common. */
function fieldsOfMany({ account, startMs }: LogFields = {}): LogFields {
  return { ...(account !== undefined && { account }), ...(startMs !== undefined && { startMs }) };
}

function keyOf({ dimensions, breakdown, run, fields }: MetricLine): string {
  const [by] = Object.entries(breakdown?.by ?? {});
  const { account, startMs } = fields ?? {};
  return `${dimensions?.Chain} ${by} ${run?.of.Function} ${run?.of.Version} ${account} ${startMs}`;
}

/** Adds values to those of a line; returns the most that one metric has by now. */
function addTo(sums: Values, values: MetricValues = {}): number {
  let most = 0;
  for (const name of Object.keys(values) as MetricName[]) {
    const value = values[name] ?? 0;
    if (!(name in TIMES) && !COUNTED_EACH.has(name))
      sums[name] = ((sums[name] as number | undefined) ?? 0) + value;
    else {
      const all = (sums[name] as number[] | undefined) ?? [];
      all.push(value);
      sums[name] = all;
      most = Math.max(most, all.length);
    }
  }
  return most;
}

function afterTime(run: () => void, durationMs: number): void {
  setTimeout(run, durationMs).unref();
}
