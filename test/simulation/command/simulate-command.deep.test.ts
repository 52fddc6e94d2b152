/** The command of the simulation: its options, and that what it prints finds a fault again. */
import { MUTANTS } from '../mutants/mutants.ts';
import { simulate } from '../simulation.ts';
import { runSimulate } from './simulate-command.ts';

describe('the command', () => {
  test('--help lists every option', async () => {
    const { output, exitCode } = await runSimulate(['--help']);
    expect(exitCode).toBe(0);
    for (const option of ['seeds', 'requests', 'seed', 'mutant', 'hosting']) {
      expect(output).toMatch(new RegExp(`^ {2}--${option} `, 'm'));
    }
  });

  test('seeds follow each other', async () => {
    const { output, exitCode } = await runSimulate(['--seeds', '3', '--requests', '20']);
    expect(exitCode).toBe(0);
    expect(output).toMatch(/^requests +60$/m);
    expect(output).toContain('every invariant held in all 3 runs');
  });

  test('an unknown option is refused, and the way to the list is told', async () => {
    expect(await runSimulate(['--bogus'])).toEqual({
      output: "Unknown option '--bogus' (npm run simulate -- --help lists the options)\n",
      exitCode: 2,
    });
  });
});

describe('mutants', () => {
  test('what was found is found again by the printed command, in another process', async () => {
    const args = ['--seeds', '1', '--requests', '2000', '--seed', '1', '--mutant', 'increments'];
    const { output } = await runSimulate(args);
    const mutant = MUTANTS.find(({ name }) => name === 'increments');
    const here = await simulate({ seed: 1, requests: 2_000, ...(mutant && { mutant }) });
    expect(here.violation).toMatch(/\blane\b/);
    expect(output).toContain(here.violation);
    expect(output).toContain('npm run simulate -- --seeds 1 --requests 2000 --seed 1 --mutant increments');
  });

  test('a mutant that is not found, and one that is not there, fail the command', async () => {
    const unfound = await runSimulate(['--seeds', '1', '--requests', '1', '--mutant', 'open-from-unread']);
    expect(unfound).toMatchObject({ exitCode: 1, output: expect.stringMatching(/NOT FOUND by seed \d+/) });
    const unknown = await runSimulate(['--mutant', 'none']);
    expect(unknown).toMatchObject({ exitCode: 2, output: expect.stringContaining("no mutant 'none'") });
  });
});
