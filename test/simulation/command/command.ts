import { parseArgs } from 'node:util';
import type { Hosting } from '../../../lib/config/function-config.ts';
import type { Mutant } from '../mutants/mutant.ts';
import { findMutants } from '../mutants/mutants.ts';
import { simulate } from '../simulation.ts';
import { Tally } from '../tally.ts';

const HOSTINGS: readonly Hosting[] = ['event', 'instances'];
const DEFAULT_SEEDS = 20;
/** A mutant that was not found by then counts as one that is not found. */
const DEFAULT_MUTANT_SEEDS = 150;
const DEFAULT_REQUESTS = 2_000;
const NAME_WIDTH = 60;
const MUTANT_WIDTH = 28;
const MAX_VIOLATION_LENGTH = 110;

const USAGE = `Usage: npm run simulate -- [options]

Runs the metering code in a simulated world, and checks every invariant. A run is a pure function of its seed.

  --seeds N           runs, of seeds that follow each other (default ${DEFAULT_SEEDS})
  --requests N        requests of each run (default ${DEFAULT_REQUESTS})
  --seed N            first seed (default 1); with --seeds 1 it repeats one run
  --mutant NAME|all   run the code with a mistake put in, until it is found: one mutant, or all of them
                      (default of --seeds for each mutant: ${DEFAULT_MUTANT_SEEDS})
  --hosting HOSTING   event (default), or instances: environments of 64 requests at a time
  --help              print this help
`;

interface CommandOptions {
  readonly seeds: number;
  readonly requests: number;
  /** Undefined: the command names none. */
  readonly firstSeed: number | undefined;
  readonly hosting: Hosting;
}

/** Runs the command line and resolves to the exit code: 1 if an invariant was broken, or if a mutant was not found. */
export async function runCommand(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seeds: { type: 'string' },
      requests: { type: 'string' },
      seed: { type: 'string' },
      mutant: { type: 'string' },
      hosting: { type: 'string', default: 'event' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const options = {
    seeds: count(values.seeds) ?? (values.mutant === undefined ? DEFAULT_SEEDS : DEFAULT_MUTANT_SEEDS),
    requests: count(values.requests) ?? DEFAULT_REQUESTS,
    firstSeed: count(values.seed),
    hosting: hostingOf(values.hosting),
  };
  return values.mutant === undefined ? simulateSeeds(options) : huntMutants(options, values.mutant);
}

/** All seeds, whether one fails or not; then what happened in them, by name. */
async function simulateSeeds({ seeds, requests, firstSeed = 1, hosting }: CommandOptions): Promise<number> {
  const counts = new Tally();
  let failures = 0;
  for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) {
    const { counts: ofRun, violation } = await simulate({ seed, requests, hosting });
    counts.merge(ofRun);
    if (violation === undefined) continue;
    failures += 1;
    print(`seed ${seed}: ${violation}`, `  repeat: ${repeatCommand(seed, requests, `--hosting ${hosting}`)}`);
  }
  print(
    ...counts
      .entries()
      .map(([name, count]) => `${name.padEnd(NAME_WIDTH)} ${Math.round(count).toLocaleString('en-US')}`),
    failures === 0
      ? `every invariant held in all ${seeds} runs`
      : `${failures} of ${seeds} runs broke an invariant`,
  );
  return failures === 0 ? 0 : 1;
}

/** Seed after seed for every mutant that is asked for, until it is found. */
async function huntMutants(options: CommandOptions, name: string): Promise<number> {
  const mutants = findMutants(name);
  let found = 0;
  for (const mutant of mutants) found += Number(await isFound(mutant, options));
  print(`${found} of ${mutants.length} mutants were found`);
  return found === mutants.length ? 0 : 1;
}

async function isFound(mutant: Mutant, { seeds, requests, firstSeed }: CommandOptions): Promise<boolean> {
  const first = firstSeed ?? mutant.seed ?? 1;
  const end = (firstSeed ?? 1) + seeds;
  const told = (outcome: string) =>
    print(`${mutant.name.padEnd(MUTANT_WIDTH)} ${outcome}: ${mutant.simplification}`);
  let seed = first;
  do {
    const { violation } = await simulate({ seed, requests, mutant });
    if (violation !== undefined) {
      told(`seed ${seed}`);
      const [cause = ''] = violation.split('\n');
      print(
        `${' '.repeat(MUTANT_WIDTH)} ${cause.slice(0, MAX_VIOLATION_LENGTH)}`,
        `${' '.repeat(MUTANT_WIDTH)} ${repeatCommand(seed, requests, `--mutant ${mutant.name}`)}`,
      );
      return true;
    }
    seed += 1;
  } while (seed < end);
  told(`NOT FOUND by seed ${seed - 1}`);
  return false;
}

/** The command that repeats a run exactly. */
function repeatCommand(seed: number, requests: number, more: string): string {
  return `npm run simulate -- --seeds 1 --requests ${requests} --seed ${seed} ${more}`;
}

function hostingOf(text: string): Hosting {
  const hosting = HOSTINGS.find((name) => name === text);
  if (hosting === undefined) throw new Error(`'${text}' is not a hosting`);
  return hosting;
}

function count(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`'${text}' is not a number of seeds or requests`);
  return Number(text);
}

function print(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
