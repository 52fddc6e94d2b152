import { runSimulate } from '../command/simulate-command.ts';
import { simulate } from '../simulation.ts';
import { MUTANTS } from './mutants.ts';

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
  expect(unfound).toMatchObject({ exitCode: 1, output: expect.stringContaining('NOT FOUND by seed 294') });
  const unknown = await runSimulate(['--mutant', 'none']);
  expect(unknown).toMatchObject({ exitCode: 2, output: expect.stringContaining("no mutant 'none'") });
});
