import { isKnownLocally } from './known-metrics.ts';
import { faultOf, type MetricQuery, metricsOf, periodOf, valueIn } from './metric-query.ts';
import type { MetricStore } from './metric-store.ts';
import type { Annotation, MetricsWidget, Widget } from './read-dashboard.ts';
import type { SeriesView, WidgetView } from './view.ts';

/** Periods from this on are part of what a figure means, such as "an hour", and stay what they are. */
const MEANT_PERIOD_SECONDS = 3_600;

/** The points of a chart. */
interface Grid {
  readonly nowMs: number;
  readonly rangeSeconds: number;
  readonly stepSeconds: number;
}

/** A widget with its data. Short periods adapt to the range that is shown, as they do in the console. */
export function drawWidget(widget: Widget, store: MetricStore, grid: Grid): WidgetView {
  if (widget.kind !== 'metrics') return widget;
  const { kind, view, title, queries } = widget;
  const drawn = view === 'singleValue' ? singleValueGrid(widget, grid) : grid;
  const starts = startsOf(drawn);
  const series = queries
    .filter(({ isVisible }) => isVisible)
    .map((query) => drawSeries(query, queries, store, { starts, stepSeconds: drawn.stepSeconds }));
  // A limit alone would look as if nothing of it was used.
  const isUsed = series.some(({ availability }) => availability === 'available');
  const limits = isUsed ? widget.annotations : [];
  const levels = limits.map((one) => drawLevel(one, starts.length, drawn.stepSeconds));
  return { kind, title, series: [...series, ...levels], times: starts.map((start) => start / 1_000) };
}

/** A single value is the latest that there is, however long ago. */
function singleValueGrid({ queries }: MetricsWidget, { nowMs }: Grid): Grid {
  const stepSeconds = Math.max(...queries.map((query) => periodOf(query, queries)));
  return { nowMs, stepSeconds, rangeSeconds: MEANT_PERIOD_SECONDS * 3 };
}

function drawLevel({ label, value }: Annotation, points: number, periodSeconds: number): SeriesView {
  const values = Array<number>(points).fill(value);
  return { label, values, periodSeconds, availability: 'available', reason: null };
}

function startsOf({ nowMs, rangeSeconds, stepSeconds }: Grid): number[] {
  const stepMs = stepSeconds * 1_000;
  const count = Math.max(1, Math.ceil(rangeSeconds / stepSeconds));
  const last = Math.floor(nowMs / stepMs) * stepMs;
  return Array.from({ length: count }, (_, index) => last - (count - 1 - index) * stepMs);
}

function drawSeries(
  query: MetricQuery,
  all: readonly MetricQuery[],
  store: MetricStore,
  { starts, stepSeconds }: { readonly starts: readonly number[]; readonly stepSeconds: number },
): SeriesView {
  const periodFor = (seconds: number) => (seconds < MEANT_PERIOD_SECONDS ? stepSeconds : seconds);
  const shared = { label: query.label, periodSeconds: periodFor(periodOf(query, all)) };
  const fault = faultOf(query, all);
  if (fault !== undefined) return { ...shared, values: [], availability: 'faulty', reason: fault };
  const unknown = metricsOf(query, all).find((metric) => !isKnownLocally(metric));
  if (unknown !== undefined) {
    const reason = `${unknown.namespace} ${unknown.name}`;
    return { ...shared, values: [], availability: 'unavailable', reason };
  }
  const valueAt = (start: number) =>
    valueIn(query, all, store, (seconds) => {
      const lengthMs = periodFor(seconds) * 1_000;
      const fromMs = Math.floor(start / lengthMs) * lengthMs;
      return { fromMs, toMs: fromMs + lengthMs };
    }) ?? null;
  const periodMs = shared.periodSeconds * 1_000;
  const periods = Map.groupBy(starts, (start) => Math.floor(start / periodMs) * periodMs);
  const values = [...periods].flatMap(([period, within]) => {
    const value = valueAt(period);
    return within.map(() => value);
  });
  return { ...shared, values, availability: 'available', reason: null };
}
