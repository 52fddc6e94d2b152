/**
 * Entry of `npm run simulate-heads -- [--seeds N] [--seed S] [--steps M] [--mutant NAME]`: runs the simulation of heads from
 * seed S on; with a mutant, until it is found.
 */
import { parseArgs } from 'node:util';
import { resolveLayer } from '../simulation/command/resolve-layer.ts';

resolveLayer();
const { HEAD_MUTANTS } = await import('./head-mutants.ts');
const { simulateHeads } = await import('./head-simulation.ts');

const EXIT_USAGE = 2;
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    steps: { type: 'string', default: '200' },
    mutant: { type: 'string' },
    looks: { type: 'boolean', default: false },
    tags: { type: 'boolean', default: false },
  },
});

/** Runs the seeds; resolves to the exit code: 0 if all hold, or the mutant was found. */
async function run(): Promise<number> {
  const [seeds, from, steps] = [values.seeds, values.seed, values.steps].map(Number) as [
    number,
    number,
    number,
  ];
  const mutant = HEAD_MUTANTS.find(({ name }) => name === values.mutant);
  if (values.mutant !== undefined && mutant === undefined) {
    process.stderr.write(
      `no mutant '${values.mutant}': ${HEAD_MUTANTS.map(({ name }) => name).join(', ')}\n`,
    );
    return EXIT_USAGE;
  }
  let violations = 0;
  for (let seed = from; seed < from + seeds; seed++) {
    const { violation } = await simulateHeads(seed, {
      steps,
      mutant,
      ...(values.looks && { looks: true }),
      ...(values.tags && { tags: true }),
    });
    if (violation === undefined) continue;
    violations += 1;
    process.stdout.write(`seed ${seed}: ${violation.check}: ${violation.what}\n`);
    if (mutant !== undefined) return 0;
  }
  process.stdout.write(`${seeds} seeds from ${from} on: ${violations} violations\n`);
  return Number((violations === 0) === (mutant !== undefined));
}

process.exitCode = await run();
