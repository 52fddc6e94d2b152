/** Programs that a command starts speak on stderr, and how they end is seen; without a terminal nobody is asked or shown a key. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const OUTSIDE = join(import.meta.dirname, '../../../bin/operator/stage/outside.ts');

/** Runs some lines with the world as a process without a terminal has it. */
function runWith(lines: string) {
  const program = `import { openOutside } from '${OUTSIDE}'; const outside = openOutside(); ${lines}`;
  const options = { encoding: 'utf8', input: 'yes\n', timeout: 60_000 } as const;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module-typescript', '-e', program],
    options,
  );
  return { status, stdout, stderr };
}

test('a program is run to its end, and what it prints is no output of the command', () => {
  const lines = `process.exitCode = await outside.run(process.execPath, ['-e', 'console.log("made"); process.exit(3)']);`;
  expect(runWith(lines)).toMatchObject({ status: 3, stdout: '', stderr: expect.stringContaining('made\n') });
});

test('a program that is not there, and one that a signal ends, are no success', () => {
  const lines = `
    const missing = await outside.run('/no/such/program', []).catch(({ code }) => code);
    console.log(missing, await outside.run('sh', ['-c', 'kill -9 $$']));`;
  expect(runWith(lines).stdout).toBe('ENOENT 1\n');
});

test('without a terminal nobody answers, and no key is shown', () => {
  const lines = `console.log(outside.show('rgw_secret'), await outside.inquire('sure?'));`;
  expect(runWith(lines)).toMatchObject({ status: 0, stdout: 'false undefined\n' });
});
