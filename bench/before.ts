import { readFileSync } from 'node:fs';
import { type Figure, median } from './figures.ts';

/** Names the file that a benchmark adds its figures to, a line for each title. */
export const FIGURES_VARIABLE = 'GATEWAY_BENCH_FIGURES';

/** Figures as a benchmark has shown them. */
export interface Shown {
  readonly title: string;
  readonly figures: readonly Figure[];
}

/** Reads what the benchmark of one run has added to its file. */
export function readShown(file: string): readonly Shown[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Shown);
}

/**
 * Puts figures of this version beside those of another, each as the median of its runs. Those that only one version has are
 * left out.
 */
export function besideBefore(
  now: readonly (readonly Shown[])[],
  before: readonly (readonly Shown[])[],
): Shown[] {
  const others = mediansOf(before);
  return [...mediansOf(now)].map(([title, figures]) => ({
    title,
    figures: [...figures].flatMap(([name, { unit, value }]): Figure[] => {
      const other = others.get(title)?.get(name);
      return other === undefined
        ? []
        : [{ name, unit, value, baseline: { name: 'before', value: other.value } }];
    }),
  }));
}

type Medians = ReadonlyMap<string, ReadonlyMap<string, Pick<Figure, 'unit' | 'value'>>>;

/** The median of each figure over all runs, by title and name. */
function mediansOf(runs: readonly (readonly Shown[])[]): Medians {
  const titles = Map.groupBy(runs.flat(), ({ title }) => title);
  return new Map(
    [...titles].map(([title, shown]) => {
      const names = Map.groupBy(
        shown.flatMap(({ figures }) => figures),
        ({ name }) => name,
      );
      const medians = [...names].map(([name, figures]) => {
        const value = median(figures.map((figure) => figure.value));
        return [name, { unit: figures[0]?.unit ?? '', value }] as const;
      });
      return [title, new Map(medians)];
    }),
  );
}
