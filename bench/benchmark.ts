import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { FIGURES_VARIABLE, type Shown } from './before.ts';
import { type Figure, printFigures, printMachine } from './figures.ts';

/** Prints figures under a title. One that misses its target makes the exit code 1. */
export type Show = (title: string, figures: readonly Figure[]) => void;

/** What a benchmark takes as `--name VALUE`, with its default: a whole number from 1, or a text. */
type Options = Readonly<Record<string, number | string>>;
type Given<Defaults extends Options> = {
  readonly [Name in keyof Defaults]: Defaults[Name] extends number ? number : string;
};

/** Runs a benchmark in this process: prints the machine, its figures, the time it took and the targets it missed. */
export async function runBenchmark<const Defaults extends Options>(
  defaults: Defaults,
  measure: (show: Show, options: Given<Defaults>) => Promise<void>,
): Promise<void> {
  // What was started ends with this process.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
  const startedMs = performance.now();
  const missed: string[] = [];
  try {
    const options = readOptions(defaults);
    printMachine();
    await measure((title, figures) => {
      missed.push(...printFigures(title, figures));
      keep({ title, figures });
    }, options);
  } catch (error) {
    console.error(error);
    process.exit(1);
  }
  console.log(`\n${((performance.now() - startedMs) / 1_000).toFixed(0)} s in all`);
  if (missed.length === 0) return;
  console.log(`targets missed: ${missed.join('; ')}`);
  process.exitCode = 1;
}

/** Adds figures to the file of whoever compares runs. */
function keep(shown: Shown): void {
  const file = process.env[FIGURES_VARIABLE];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(shown)}\n`);
}

/** @throws Error for an option that there is not, and for what is no number */
function readOptions<const Defaults extends Options>(defaults: Defaults): Given<Defaults> {
  const options = Object.fromEntries(
    Object.keys(defaults).map((name) => [name, { type: 'string' as const }]),
  );
  const { values } = parseArgs({ options });
  const entries = Object.entries(defaults).map(([name, usual]) => {
    const text = values[name];
    if (typeof text !== 'string') return [name, usual];
    const count = Number(text);
    if (typeof usual === 'number' && !(Number.isSafeInteger(count) && count >= 1))
      throw new Error(`--${name} is a whole number from 1`);
    return [name, typeof usual === 'number' ? count : text];
  });
  return Object.fromEntries(entries) as Given<Defaults>;
}
