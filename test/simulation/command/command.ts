import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { Hosting } from '../../../lib/config/function-config.ts';
import { findMutants } from '../mutants/mutants.ts';
import { Tally } from '../tally.ts';
import { type HuntedMutant, repeatCommand, reportMutants, reportRuns } from './report.ts';
import { SeedPool } from './seed-pool.ts';

const HOSTINGS: readonly Hosting[] = ['event', 'instances'];
const DEFAULT_SEEDS = 20;
/** A mutant that was not found by then counts as one that is not found. */
const DEFAULT_MUTANT_SEEDS = 150;
const DEFAULT_REQUESTS = 2_000;

const USAGE = `Usage: npm run simulate -- [options]

Runs the metering code in a simulated world, and checks every invariant. A run is a pure function of its seed.

  --seeds N           runs, of seeds that follow each other (default ${DEFAULT_SEEDS})
  --requests N        requests of each run (default ${DEFAULT_REQUESTS})
  --seed N            first seed (default 1); with --seeds 1 it repeats one run
  --mutant NAME|all   run the code with a mistake put in, until it is found: one mutant, or all of them
                      (default of --seeds for each mutant: ${DEFAULT_MUTANT_SEEDS})
  --hosting HOSTING   event (default), or instances: environments of 64 requests at a time
  --workers N         threads (default: the processors of this machine)
  --help              print this help
`;

interface CommandOptions {
  readonly seeds: number;
  readonly requests: number;
  readonly firstSeed: number;
  /** Whether the command names that seed. */
  readonly isSeedGiven: boolean;
  readonly workers: number;
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
      workers: { type: 'string' },
      hosting: { type: 'string', default: 'event' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const options = {
    seeds: count(values.seeds, values.mutant === undefined ? DEFAULT_SEEDS : DEFAULT_MUTANT_SEEDS),
    requests: count(values.requests, DEFAULT_REQUESTS),
    firstSeed: count(values.seed, 1),
    isSeedGiven: values.seed !== undefined,
    workers: count(values.workers, availableParallelism()),
    hosting: hostingOf(values.hosting),
  };
  return values.mutant === undefined ? simulateSeeds(options) : huntMutants(options, values.mutant);
}

/** All seeds, whether one fails or not. */
async function simulateSeeds({
  seeds,
  requests,
  firstSeed,
  workers,
  hosting,
}: CommandOptions): Promise<number> {
  const pool = new SeedPool(Math.min(workers, seeds));
  const counts = new Tally();
  const failures: string[] = [];
  const startedMs = performance.now();
  let next = firstSeed;
  try {
    await pool.run(
      () => (next < firstSeed + seeds ? { seed: next++, requests, hosting } : undefined),
      ({ seed }, result) => {
        counts.merge(result.counts);
        if (result.violation === undefined) return;
        failures.push(
          `seed ${seed}: ${result.violation}\n  repeat: ${repeatCommand(seed, requests, { hosting })}`,
        );
      },
    );
  } finally {
    await pool.close();
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  print(reportRuns({ seeds, requests, firstSeed, hosting, workers, seconds, counts, failures }));
  return failures.length === 0 ? 0 : 1;
}

/** Seed after seed for every mutant that is asked for, until it is found. */
async function huntMutants(
  { seeds, requests, firstSeed, isSeedGiven, workers }: CommandOptions,
  name: string,
): Promise<number> {
  const hunted: HuntedMutant[] = findMutants(name).map((mutant) => ({
    mutant,
    violation: undefined,
    seed: 0,
  }));
  const waiting = hunted.map((one) => ({
    one,
    seed: isSeedGiven ? firstSeed : (one.mutant.seed ?? firstSeed),
  }));
  const pool = new SeedPool(Math.min(workers, hunted.length));
  try {
    await pool.run(
      () => {
        const turn = waiting.shift();
        return turn && { seed: turn.seed, requests, mutant: turn.one.mutant.name };
      },
      ({ seed, mutant }, { violation }) => {
        const one = hunted.find((candidate) => candidate.mutant.name === mutant);
        if (one === undefined) return;
        Object.assign(one, { violation, seed });
        if (violation === undefined && seed + 1 < firstSeed + seeds) waiting.unshift({ one, seed: seed + 1 });
      },
    );
  } finally {
    await pool.close();
  }
  print(reportMutants(hunted, requests));
  return hunted.every(({ violation }) => violation !== undefined) ? 0 : 1;
}

function hostingOf(text: string): Hosting {
  const hosting = HOSTINGS.find((name) => name === text);
  if (hosting === undefined) throw new Error(`'${text}' is not a hosting`);
  return hosting;
}

function count(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new Error(`'${text}' is not a number of seeds, requests or workers`);
  return Number(text);
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
