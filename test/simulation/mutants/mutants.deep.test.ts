import { runSimulate } from '../command/simulate-command.ts';
import { DEFECT } from '../witness.ts';
import { MUTANTS } from './mutants.ts';

const TIME_LIMIT_MS = 600_000;

test(
  'every mutant is found, and by what it does to the books',
  async () => {
    const { output, exitCode } = await runSimulate(['--mutant', 'all']);
    process.stdout.write(output);
    expect(output).toContain(`${MUTANTS.length} of ${MUTANTS.length} mutants were found`);
    expect(output).not.toContain(DEFECT);
    expect(exitCode).toBe(0);
  },
  TIME_LIMIT_MS,
);
