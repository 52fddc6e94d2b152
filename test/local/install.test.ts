import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'install-'));
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin', 'npm'), '#!/bin/sh\necho "npm $1" >&2\n', { mode: 0o700 });
  writeFileSync(join(folder, 'package-lock.json'), '{}');
});

afterEach(() => rmSync(folder, { recursive: true }));

/** What `npm start` and `npm test` do first, with a npm that only says that it was called. */
function installIfNeeded(): string {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const { status, stdout, stderr } = spawnSync('sh', ['-c', scripts['install-if-needed'] ?? ''], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter) },
  });
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  return stderr;
}

test('packages that have to be installed are announced before npm begins', () => {
  expect(installIfNeeded()).toBe(
    'Installing the packages: a minute, or several on a busy machine ...\nnpm ci\n',
  );
});

test('nothing is said where they are installed', () => {
  mkdirSync(join(folder, 'node_modules'));
  writeFileSync(join(folder, 'node_modules', '.package-lock.json'), '{}');
  utimesSync(join(folder, 'package-lock.json'), 1, 1);
  expect(installIfNeeded()).toBe('');
});
