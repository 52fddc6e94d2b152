/** Heads of keys and chains keep their promises whatever happens, and simplifications of the rule are found. */
import { repetitions } from '../support/at-length.ts';
import { HEAD_MUTANTS } from './head-mutants.ts';
import { type HeadRun, simulateHeads } from './head-simulation.ts';

const SEEDS = repetitions(60);
const TIME_LIMIT_MS = 120_000;

test(
  'whatever happens to nodes, processes and their store, heads are as they are promised',
  async () => {
    const runs: HeadRun[] = [];
    for (let seed = 1; seed <= SEEDS; seed++) runs.push(await simulateHeads(seed));
    expect(runs.filter(({ violation }) => violation !== undefined)).toEqual([]);
    const sum = (of: (run: HeadRun) => number) => runs.reduce((all, run) => all + of(run), 0);
    process.stdout.write(
      `${SEEDS} seeds: ${sum(({ processes }) => processes)} processes, ${sum(({ nodes }) => nodes)} nodes, ` +
        `${sum(({ answers }) => answers)} answers, ${sum(({ notKept }) => notKept)} heads without their promise\n`,
    );
  },
  TIME_LIMIT_MS,
);

test(
  'what a key was shown is there when another process is asked for it by its hash',
  async () => {
    const violations: HeadRun[] = [];
    for (let seed = 1; seed <= SEEDS; seed++) {
      const run = await simulateHeads(seed, { looks: true });
      if (run.violation?.check === 'nothing where there was') violations.push(run);
    }
    expect(violations).toEqual([]);
  },
  TIME_LIMIT_MS,
);

test(
  'what is safe and finalized goes back for no process, whatever happens to nodes and processes',
  async () => {
    const violations: HeadRun[] = [];
    for (let seed = 1; seed <= repetitions(20); seed++) {
      const run = await simulateHeads(seed, { steps: 60, tags: true });
      if (run.violation?.check === 'tag went back') violations.push(run);
    }
    expect(violations).toEqual([]);
  },
  TIME_LIMIT_MS,
);

test.each(HEAD_MUTANTS)('the mutant $name is found by its check', async (mutant) => {
  const { violation } = await simulateHeads(mutant.seed, { mutant });
  expect(violation?.check).toBe(mutant.foundBy);
});
