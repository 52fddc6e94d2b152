import { availableParallelism, cpus, loadavg } from 'node:os';
import { renderTable } from '../bin/operator/context/text-table.ts';

/** The baseline of a figure, from the same run and in the same unit. */
interface Baseline {
  readonly name: string;
  readonly value: number;
}

/** One measured number. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** Such as `ms` or `writes`. */
  readonly unit: string;
  readonly baseline?: Baseline;
  /** Target: the most that the value may be. */
  readonly most?: number;
  /** Target: the least that the value may be. */
  readonly least?: number;
  /** Target: the most that the ratio to the baseline may be. */
  readonly mostRatio?: number;
  /** Target: the least that the ratio to the baseline may be. */
  readonly leastRatio?: number;
  /** Target: the most that the value may be above the baseline, in their unit. */
  readonly mostAbove?: number;
}

/** Prints what the figures were measured on. */
export function printMachine(): void {
  const load = loadavg().map((average) => average.toFixed(1));
  console.log(
    `${cpus()[0]?.model ?? 'unknown CPU'}, ${availableParallelism()} cores, Node ${process.version}`,
  );
  console.log(`load of the last 1, 5 and 15 minutes before the run: ${load.join(', ')}`);
}

/** Prints figures under a title, one a line; returns the names of those that miss their target. */
export function printFigures(title: string, figures: readonly Figure[]): readonly string[] {
  const table = renderTable(['figure', 'value', 'baseline', 'ratio', 'target'], figures.map(figureRow));
  for (const line of ['', title, ...table.split('\n')]) console.log(line);
  return figures.filter(misses).map(({ name }) => `${title}: ${name}`);
}

/** How often each of some outcomes came, as figures without a target. */
export function countsOf(name: string, outcomes: readonly string[]): Figure[] {
  return [...Map.groupBy(outcomes, (outcome) => outcome)]
    .map(([outcome, { length }]) => ({ name: `${name}: ${outcome}`, value: length, unit: '' }))
    .sort((one, other) => one.name.localeCompare(other.name));
}

/** The value in the middle; of an even number the higher one. */
export function median(values: readonly number[]): number {
  return quantile(
    values.toSorted((left, right) => left - right),
    0.5,
  );
}

/** The value that a share of sorted values is below. */
export function quantile(sorted: readonly number[], share: number): number {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (value === undefined) throw new Error('nothing was measured');
  return value;
}

function figureRow(figure: Figure): string[] {
  const { name, value, unit, baseline } = figure;
  const ratio = ratioOf(figure);
  return [
    name,
    render(value, unit),
    baseline === undefined ? '' : `${baseline.name} ${render(baseline.value, unit)}`,
    ratio === undefined ? '' : `x ${ratio.toFixed(2)}`,
    renderTarget(figure),
  ];
}

function renderTarget(figure: Figure): string {
  const targets = targetsOf(figure).map(({ text }) => text);
  if (targets.length === 0) return '';
  return `${targets.join(', ')}: ${misses(figure) ? 'MISSED' : 'met'}`;
}

function misses(figure: Figure): boolean {
  return targetsOf(figure).some(({ met }) => !met);
}

function targetsOf(figure: Figure): { text: string; met: boolean }[] {
  const { value, unit, baseline, most, least, mostRatio, leastRatio, mostAbove } = figure;
  const ratio = ratioOf(figure) ?? Number.NaN;
  return [
    most === undefined ? [] : { text: `at most ${most}`, met: value <= most },
    least === undefined ? [] : { text: `at least ${least}`, met: value >= least },
    mostRatio === undefined ? [] : { text: `at most x ${rounded(mostRatio)}`, met: ratio <= mostRatio },
    leastRatio === undefined ? [] : { text: `at least x ${rounded(leastRatio)}`, met: ratio >= leastRatio },
    mostAbove === undefined
      ? []
      : { text: `at most ${mostAbove} ${unit} more`, met: value - (baseline?.value ?? 0) <= mostAbove },
  ].flat();
}

function rounded(ratio: number): number {
  return Number(ratio.toFixed(3));
}

function ratioOf({ value, baseline }: Figure): number | undefined {
  return baseline === undefined || baseline.value === 0 ? undefined : value / baseline.value;
}

/** Three digits that count, all of those before the point. */
function render(value: number, unit: string): string {
  const digits = value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toPrecision(3);
  return `${digits} ${unit}`;
}

/** What one request of an operation took. */
export interface PricedRequest {
  /** Operation and, where it is not the default, the size of the page. */
  readonly name: string;
  /** Price that it was billed at, in CU. */
  readonly cu: number;
  /** Processor time of the database, in milliseconds. */
  readonly databaseMs: number;
  /** Bytes of the response, before compression. */
  readonly bytes: number;
}

/** A request beside the others. */
interface JudgedRequest extends PricedRequest {
  /** What one CU of it costs the operator, as milliseconds of the database. */
  readonly msPerCu: number;
  /** The same in parts of the median of all requests. */
  readonly ratio: number;
}

/** Most times the median that a CU of any request may cost. */
export const MAX_PRICE_RATIO = 3;
/** What a mebibyte takes beside the query: to render, seal, compress and send it. Milliseconds of the database. */
const MS_PER_MIB = 20;
const MIB = 1_048_576;

/** Puts each request beside the median, the dearest for the operator first. */
export function judgePrices(requests: readonly PricedRequest[]): readonly JudgedRequest[] {
  const costs = requests.map((request) => ({ ...request, msPerCu: costOf(request) / request.cu }));
  const sorted = costs.map(({ msPerCu }) => msPerCu).sort((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return costs
    .map((request) => ({ ...request, ratio: median === 0 ? 1 : request.msPerCu / median }))
    .sort((one, other) => other.ratio - one.ratio);
}

function costOf({ databaseMs, bytes }: PricedRequest): number {
  return databaseMs + (bytes / MIB) * MS_PER_MIB;
}
