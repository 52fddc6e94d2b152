import uPlot from 'uplot';
import type { SeriesView } from '../view.ts';
import { element } from './element.ts';
import { formatSeconds, formatTime, formatValue, type LatestValue, latestValue } from './format.ts';

const AXIS_FONT = '11px system-ui, sans-serif';
const AXIS_WIDTH = 66;
const COLOURS = 6;
const DASH = [6, 4];
/** A chart of more lines names those only that have data. */
const MANY_LINES = 8;

/** A chart in its place on the page; it is drawn anew when its lines change, and else only gets their data. */
interface Chart {
  readonly root: HTMLElement;
  update(series: readonly SeriesView[], times: readonly number[]): void;
  resize(): void;
  /** Reads the colours of the page again. */
  restyle(): void;
}

/** Makes the chart of a widget. @param minimum least value of the axis, if it is fixed */
export function createChart(minimum: number | null): Chart {
  const plot = element('div', 'plot');
  const legend = element('ul', 'legend');
  const root = element('div', 'chart', plot, legend);
  let chart: uPlot | undefined;
  let lines = '';
  let shown: readonly SeriesView[] = [];
  let data: uPlot.AlignedData = [[]];

  function draw(): void {
    chart?.destroy();
    chart = shown.length === 0 ? undefined : new uPlot(chartOptions(shown, minimum, size(plot)), data, plot);
  }

  return {
    root,
    update(series, times) {
      shown = series.filter(({ availability }) => availability === 'available');
      data = [[...times], ...shown.map(({ values }) => [...values])];
      const names = JSON.stringify(shown.map(({ label }) => label));
      if (names !== lines) {
        lines = names;
        draw();
      } else chart?.setData(data);
      plot.hidden = shown.length === 0;
      plot.classList.toggle(
        'empty',
        shown.every(({ values }) => values.every((value) => value === null)),
      );
      const named = series.length > MANY_LINES ? series.filter(hasNews) : series;
      legend.replaceChildren(...named.map((line) => legendItem(line, times, shown.indexOf(line))));
      const left = series.length - named.length;
      if (left > 0)
        legend.append(element('li', 'rest', `${left} ${named.length > 0 ? 'others ' : ''}without data`));
    },
    resize() {
      chart?.setSize(size(plot));
    },
    restyle: draw,
  };
}

function size(plot: HTMLElement): { width: number; height: number } {
  return { width: Math.max(120, plot.clientWidth), height: Math.max(80, plot.clientHeight) };
}

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function chartOptions(
  shown: readonly SeriesView[],
  minimum: number | null,
  dimensions: { width: number; height: number },
): uPlot.Options {
  const axis = {
    stroke: colour('--quiet'),
    font: AXIS_FONT,
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  return {
    ...dimensions,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
    padding: [10, 30, 0, 0],
    scales: { y: { range: (_, low, high) => axisRange(low, high, minimum) } },
    axes: [
      { ...axis, grid: { show: false }, space: 64, size: 26, values: (_, ticks) => ticks.map(formatTime) },
      { ...axis, size: AXIS_WIDTH, values: (_, ticks) => ticks.map(formatValue) },
    ],
    series: [
      {},
      ...shown.map(({ label }, index) => ({
        label,
        stroke: colour(`--series-${index % COLOURS}`),
        width: 1.75,
        ...(isDashed(index) && { dash: DASH }),
        points: { show: true, filter: lonePoints, size: 5, fill: colour(`--series-${index % COLOURS}`) },
      })),
    ],
  };
}

/** Lines beyond the colours are dashed, so that each can be distinguished. */
function isDashed(index: number): boolean {
  return index >= COLOURS;
}

/** Whether a line has data, or a reason why it has none. */
function hasNews({ availability, values }: SeriesView): boolean {
  return availability !== 'available' || values.some((value) => value !== null);
}

/** Points without a neighbour, which no line would show. */
function lonePoints(plot: uPlot, line: number): number[] {
  const values = plot.data[line] ?? [];
  return Array.from(values.keys()).filter(
    (at) => values[at] != null && values[at - 1] == null && values[at + 1] == null,
  );
}

/** Leaves room above the highest value, and never collapses where all values are the same. */
function axisRange(low: number | null, high: number | null, minimum: number | null): [number, number] {
  const bottom = minimum ?? Math.min(0, low ?? 0);
  const top = Math.max(high ?? 0, bottom);
  return [bottom, top === bottom ? bottom + 1 : bottom + (top - bottom) * 1.15];
}

/** @param index of the line in the chart; negative: it is not drawn */
function legendItem(line: SeriesView, times: readonly number[], index: number): HTMLElement {
  const { label, availability, reason, periodSeconds } = line;
  const mark = element('span', `mark${index < 0 ? ' none' : ''}${isDashed(index) ? ' dashed' : ''}`);
  if (index >= 0) mark.style.background = `var(--series-${index % COLOURS})`;
  const latest = latestValue(line, times);
  const text = {
    available: latestText(latest),
    unavailable: 'not available locally',
    faulty: `error: ${reason}`,
  }[availability];
  const state = availability === 'available' && latest?.isFresh !== true ? 'past' : availability;
  const item = element(
    'li',
    '',
    mark,
    element('span', 'label', label),
    element('span', `value ${state}`, text),
  );
  item.title = reason ?? `latest value of ${formatSeconds(periodSeconds)}`;
  return item;
}

/** A figure that is not of now has its time, so that it is not taken for the present one. */
function latestText(latest: LatestValue | undefined): string {
  if (latest === undefined) return 'no data';
  const { value, atSeconds, isFresh } = latest;
  return isFresh ? formatValue(value) : `${formatValue(value)} at ${formatTime(atSeconds)}`;
}
