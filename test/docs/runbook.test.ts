import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseInvocation } from '../../bin/operator/parse-invocation.ts';
import { isOnlyOnAws, runbookBlocks, runbookCommands } from './runbook-commands.ts';

test('every block of the runbook is what a shell understands', () => {
  expect(runbookBlocks().length).toBeGreaterThan(10);
  for (const block of runbookBlocks()) {
    const { stderr, status } = spawnSync('bash', ['-n'], { input: block, encoding: 'utf8' });
    expect({ block, stderr, status }).toEqual({ block, stderr: '', status: 0 });
  }
});

test('every command of the runbook is one of the operator, or stands on the list of those of AWS', () => {
  const commands = runbookCommands();
  expect(commands).toContain('operator account rebuild --all');
  expect(commands.filter((one) => one.startsWith('operator ')).length).toBeGreaterThan(8);
  expect(commands.filter((one) => !one.startsWith('operator ') && !isOnlyOnAws(one))).toEqual([]);
});

test.each(runbookCommands().filter((command) => command.startsWith('operator ')))(
  '%s: the command line is understood',
  (command) => {
    const [, ...words] = command.split(' ');
    expect(parseInvocation([...words, '--stack', 'gateway-example'])).toHaveProperty('command');
  },
);

test('the tests that walk bad days are there', () => {
  const root = join(import.meta.dirname, '..', '..');
  const page = readFileSync(join(root, 'docs', 'bad-days.md'), 'utf8');
  const named = [...page.matchAll(/`(test\/[^`]+)`/g)].map(([, file = '']) => file);
  expect(named.length).toBeGreaterThan(9);
  expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
