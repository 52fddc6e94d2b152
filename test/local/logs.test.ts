import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLogs } from '../../local/logs.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'logs-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('each name has a file, which goes on where the last run ended', () => {
  for (const line of ['one', 'two']) {
    const logs = openLogs(folder, fail);
    logs.write('access', line);
    logs.close();
  }
  expect(readFileSync(join(folder, 'access.log'), 'utf8')).toBe('one\ntwo\n');
});

test('a full disk ends the logging, and is told once', () => {
  symlinkSync('/dev/full', join(folder, 'full.log'));
  const told: string[] = [];
  const logs = openLogs(folder, (line) => told.push(line));
  logs.write('access', 'one');
  for (const name of ['full', 'full', 'access']) logs.write(name, 'two');
  logs.close();
  expect(told).toEqual([expect.stringMatching(/^logging has stopped: ENOSPC/)]);
  expect(readFileSync(join(folder, 'access.log'), 'utf8')).toBe('one\n');
});

function fail(line: string): never {
  throw new Error(line);
}
