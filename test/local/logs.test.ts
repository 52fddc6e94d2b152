/** That every line of a run is in its log, and that a full disk costs only the lines that it has no room for, counted. */
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLogs } from '../../local/logs.ts';

const NOW = Date.UTC(2026, 3, 9, 12, 34, 55);
const SINCE = '2026-04-09T12:34:56.000Z';

let folder: string;
let told: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'logs-'));
  told = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

function open() {
  let now = NOW;
  // Each look at the clock is a second later, so that it shows whose time a loss has.
  const later = () => {
    now += 1_000;
    return now;
  };
  return openLogs({ path: folder, logs: folder }, { now: later }, (line) => told.push(line));
}

const linesOf = (name: string) =>
  readFileSync(join(folder, `${name}.log`), 'utf8')
    .split('\n')
    .slice(0, -1);

/** A disk that has no room for a log. */
const fill = (name: string) => symlinkSync('/dev/full', join(folder, `${name}.log`));
const makeRoom = (name: string) => rmSync(join(folder, `${name}.log`));

test('each name has a file, which goes on where the last run ended', () => {
  for (const line of ['one', 'two']) {
    const logs = open();
    logs.write('access', line);
    logs.close();
  }
  expect(linesOf('access')).toEqual(['one', 'two']);
  expect(told).toEqual([]);
});

test('a full disk is named once, and costs only the lines that it has no room for', () => {
  fill('full');
  const logs = open();
  logs.write('access', 'one');
  for (const name of ['full', 'full', 'access']) logs.write(name, 'two');
  expect(told).toEqual([
    `logging has stopped: the data folder ${folder} is on a full disk: free some space, or choose another with --data-dir. Each line is tried again; those that are lost are counted`,
  ]);
  expect(linesOf('access')).toEqual(['one', 'two']);
  logs.close();
  expect(told.slice(1)).toEqual([
    expect.stringMatching(new RegExp(`^2 lines were not logged since ${SINCE}: .* full disk`)),
  ]);
});

test('once the disk has room again, lines are written again, after one that says since when and how many were lost', () => {
  for (const name of ['one', 'other']) fill(name);
  const logs = open();
  for (const name of ['one', 'one', 'other', 'one']) logs.write(name, 'lost');
  for (const name of ['one', 'other']) makeRoom(name);
  for (const line of ['back', 'and on']) logs.write('one', line);
  const loss = { event: 'log_lines_lost', since: SINCE, reason: expect.stringContaining('full disk') };
  expect(linesOf('one').map((line) => (line.startsWith('{') ? JSON.parse(line) : line))).toEqual([
    { ...loss, lines: 3 },
    'back',
    'and on',
  ]);
  // The other file has its line too, also if nothing more is written to it.
  expect(linesOf('other').map((line) => JSON.parse(line))).toEqual([
    { ...loss, since: '2026-04-09T12:34:58.000Z', lines: 1 },
  ]);
  expect(told.slice(1)).toEqual([`lines are logged again: 4 were lost since ${SINCE}`]);
  logs.close();
  expect(told).toHaveLength(2);
});

test('a log of 64 MiB is put aside, and the next begins', () => {
  const logs = open();
  logs.write('access', 'one');
  logs.close();
  truncateSync(join(folder, 'access.log'), 64 * 1024 * 1024 + 1);
  const next = open();
  for (const line of ['two', 'three']) next.write('access', line);
  next.close();
  expect(linesOf('access')).toEqual(['three']);
  expect(statSync(join(folder, 'access.log.1')).size).toBe(64 * 1024 * 1024 + 5);
});
