import { spawnSync } from 'node:child_process';
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
