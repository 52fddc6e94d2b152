import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderTrouble } from '../../local/folder-trouble.ts';
import { sampled } from '../support/at-length.ts';

/** A start whose data folder has no room, or may not be written, says so in a line. */
export function testFolderTrouble(): void {
  /** A bound for a start that does not end. */
  const END_TIMEOUT_MS = 240_000;

  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'folder-trouble-'));
    mkdirSync(join(folder, 'disk'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Starts a gateway in a data folder of a disk that only its process sees. */
  function startOn(
    mountOptions: string,
    dataFolder: string,
    prepare = 'true',
    startArguments: readonly string[] = [],
  ) {
    const disk = join(folder, 'disk');
    const script = `mount -t tmpfs -o "$1" none "$2" && cd "$2" && ${prepare} && cd "$3" && shift 3 && exec "$@"`;
    const path = join(disk, dataFolder);
    const command = [
      process.execPath,
      'local/start.ts',
      '--port',
      '0',
      '--data-dir',
      path,
      ...startArguments,
    ];
    const { status, stdout, stderr } = spawnSync(
      'unshare',
      ['--mount', 'sh', '-c', script, 'start', mountOptions, disk, process.cwd(), ...command],
      { encoding: 'utf8', timeout: END_TIMEOUT_MS },
    );
    return { path, code: status, stdout, stderr };
  }

  const mounts = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', tmpdir()]).status === 0;
  const testWithDisks = mounts ? test : test.skip;
  const skipped = mounts ? '' : ' (skipped: this user may not mount a disk)';

  const TROUBLES: [string, string, string, string, RegExp][] = [
    [
      'a new folder on a read-only disk',
      'size=1m',
      'data',
      'mount -o remount,ro .',
      /is on a read-only file system: mount it/,
    ],
    [
      'a folder on a read-only disk',
      'size=1m',
      'data',
      'mkdir data && mount -o remount,ro .',
      /is on a read-only file system: mount it/,
    ],
    ['a new folder without inodes', 'nr_inodes=1', 'data', 'true', /no inodes are left: remove files/],
    [
      'a folder whose disk has no inode left',
      'nr_inodes=2',
      'data',
      'mkdir data',
      /no inodes are left: remove files/,
    ],
    [
      'a full disk',
      'size=8k',
      'data',
      'mkdir data && dd if=/dev/zero of=fill bs=4k count=2 2>/dev/null',
      /is on a full disk \(0 MB are left\): free/,
    ],
  ];
  testWithDisks.each(sampled(TROUBLES))(
    `%s ends a start with one line that says what to do${skipped}`,
    (_, options, name, prepare, reason) => {
      const { path, code, stdout, stderr } = startOn(options, name, prepare);
      expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 1, stdout: '', lines: 2 });
      expect(stderr).toContain(`the data folder ${path} is on `);
      expect(stderr).toMatch(reason);
      expect(stderr).toMatch(/, or choose another with --data-dir\n$/);
    },
  );

  testWithDisks(`a disk that fills up as a run starts is named with the step that failed${skipped}`, () => {
    const stage = JSON.parse(readFileSync('config/local.json', 'utf8'));
    const file = join(folder, 'stage.json');
    writeFileSync(file, JSON.stringify({ ...stage, demo: {} }));
    const { path, code, stdout, stderr } = startOn('size=3m', 'data', 'true', ['--config', file]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^the start failed at "[^"]+": [\s\S]*\nthe data folder .* is on a full disk/,
      ),
    });
    expect(stderr).toContain(`the data folder ${path} is on a full disk`);
    expect(stderr).not.toMatch(/^ +at /m);
    expect(stdout).toMatch(/^PostgreSQL \.\.\.$/m);
    expect(stdout).toMatch(/^PostgreSQL: failed after \d+\.\d s$/m);
  });

  test.each([
    ['ENOENT', 'cannot be made there: make its parent folder'],
    ['EACCES', 'may not be written by this user: give it to this user'],
    ['EPERM', 'may not be written by this user: give it to this user'],
    ['ENOTDIR', 'is a file, or lies below one: move that away'],
    ['EDQUOT', 'has used up the disk quota of this user: remove files'],
  ])('%s is told in words', (code, words) => {
    const expected = `the data folder /data ${words}, or choose another with --data-dir`;
    expect(folderTrouble('/data', code, { bytes: 1, files: 1 })).toBe(expected);
  });

  test('a full disk and one without inodes are told apart, where that is known', () => {
    const full = (room: Parameters<typeof folderTrouble>[2]) => folderTrouble('/data', 'ENOSPC', room);
    expect(full({ bytes: 5 * 2 ** 20, files: 0 })).toContain('no inodes are left');
    expect(full({ bytes: 5 * 2 ** 20, files: undefined })).toContain('full disk (5 MB are left)');
    expect(full(undefined)).toContain('is on a full disk: free some space');
  });

  test('an error that says nothing about the folder stays what it is', () => {
    expect(folderTrouble('/data', 'ERR_INVALID_ARG_TYPE', undefined)).toBeUndefined();
  });
}
