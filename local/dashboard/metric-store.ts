import type { Clock } from '../../lambdas/shared/runtime/clock.ts';
import { isKnownLocally } from './known-metrics.ts';
import { type Measurement, type MetricId, metricKey } from './metric-series.ts';
import { addDistribution, addValue, type Distribution, emptyDistribution } from './statistics.ts';

/** Values of this span are kept as one distribution; every period is a multiple of it. */
export const RESOLUTION_MS = 10_000;
/** How far back a run knows values: an alarm that looks back for a day sees the last hours of it. */
const RETENTION_MS = 4 * 60 * 60_000;
/** Metrics that are kept; of further ones nothing is. */
const MAX_SERIES = 1_000;
/** How far ahead of the clock a value may be. */
const MAX_AHEAD_MS = 60_000;

type Series = Map<number, Distribution>;

/** What only an account has: then every metric of AWS is known too. */
interface MetricAccount {
  /** How much of what a metric counts the account may have; undefined: no quota bounds it. */
  quotaOf(metric: MetricId): number | undefined;
}

interface MetricStoreOptions {
  /** How far back values are known. */
  readonly retentionMs?: number | undefined;
  /** Absent: a local run, which has none. */
  readonly account?: MetricAccount | undefined;
}

/** The metrics of a run, in memory: what CloudWatch is to a stage that is deployed. */
export class MetricStore {
  readonly account: MetricAccount | undefined;
  readonly #series = new Map<string, Series>();
  readonly #clock: Clock;
  readonly #retentionMs: number;
  #isFull = false;

  constructor(clock: Clock, { retentionMs = RETENTION_MS, account }: MetricStoreOptions = {}) {
    this.account = account;
    this.#clock = clock;
    this.#retentionMs = retentionMs;
  }

  /** Whether metrics were left out because there are too many. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Whether there can be values of a metric. */
  knows(metric: MetricId): boolean {
    return this.account !== undefined || isKnownLocally(metric);
  }

  /** The values of a dimension that a metric has been recorded with, where it has no other dimension. */
  valuesOf(namespace: string, name: string, dimension: string): string[] {
    return [...this.#series.keys()].flatMap((key) => {
      const [ofNamespace, ofName, dimensions] = JSON.parse(key) as [string, string, [string, string][]];
      const [[known, value] = [], ...others] = dimensions;
      const isOne =
        ofNamespace === namespace && ofName === name && known === dimension && others.length === 0;
      return isOne && value !== undefined ? [value] : [];
    });
  }

  record(measurement: Measurement): void {
    const now = this.#clock.now();
    const start = Math.floor(measurement.atMs / RESOLUTION_MS) * RESOLUTION_MS;
    if (start <= now - this.#retentionMs || start > now + MAX_AHEAD_MS) return;
    const series = this.#seriesOf(metricKey(measurement));
    if (series === undefined) return;
    const point = series.get(start) ?? emptyDistribution();
    addValue(point, measurement.value);
    series.set(start, point);
    if (series.size > this.#retentionMs / RESOLUTION_MS) forget(series, now - this.#retentionMs);
  }

  /** All values of a metric from one time to another, exclusive; both are rounded down to the resolution. */
  between(key: string, fromMs: number, toMs: number): Distribution {
    const total = emptyDistribution();
    const series = this.#series.get(key);
    if (series === undefined) return total;
    const first = Math.floor(fromMs / RESOLUTION_MS) * RESOLUTION_MS;
    for (let start = first; start + RESOLUTION_MS <= toMs; start += RESOLUTION_MS) {
      const point = series.get(start);
      if (point !== undefined) addDistribution(total, point);
    }
    return total;
  }

  #seriesOf(key: string): Series | undefined {
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    if (this.#series.size >= MAX_SERIES) {
      this.#isFull = true;
      return undefined;
    }
    const series: Series = new Map();
    this.#series.set(key, series);
    return series;
  }
}

function forget(series: Series, beforeMs: number): void {
  for (const start of series.keys()) if (start <= beforeMs) series.delete(start);
}
