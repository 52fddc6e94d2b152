import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Migration } from '../../lambdas/migrate/read-migrations.ts';
import { openDataFolder } from '../../local/data-folder.ts';

let parent: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'data-folder-'));
});

afterEach(() => rm(parent, { recursive: true }));

test('a new folder is made and can be taken again once it is released', async () => {
  const path = join(parent, 'new', 'folder');
  const folder = await openDataFolder(path, false);
  expect(folder.gatewayFile).toBe(join(path, 'gateway.json'));
  folder.release();
  (await openDataFolder(path, false)).release();
});

test('a folder in use is refused', async () => {
  const folder = await openDataFolder(parent, false);
  await expect(openDataFolder(parent, true)).rejects.toThrow(/another run uses the data folder/);
  folder.release();
});

test.each([true, false])(
  'a folder with something else in it is refused and left alone (fresh: %s)',
  async (fresh) => {
    await writeFile(join(parent, 'gateway.json'), '{}');
    await expect(openDataFolder(parent, fresh)).rejects.toThrow(/not empty and not a data folder/);
    expect(await readdir(parent)).toEqual(['gateway.json']);
  },
);

test('fresh removes what runs write and nothing else', async () => {
  (await openDataFolder(parent, false)).release();
  await writeFile(join(parent, 'gateway.json'), '{}');
  await writeFile(join(parent, 'notes.txt'), 'mine');
  (await openDataFolder(parent, false)).release();
  expect(await readdir(parent)).toEqual(['gateway.json', 'gateway.lock', 'layout', 'notes.txt']);
  (await openDataFolder(parent, true)).release();
  expect(await readdir(parent)).toEqual(['gateway.lock', 'layout', 'notes.txt']);
});

test('data of another version is refused, and can be removed', async () => {
  (await openDataFolder(parent, false)).release();
  await mkdir(join(parent, 'dynamodb'));
  (await openDataFolder(parent, false)).release();
  const layout = await readFile(join(parent, 'layout'), 'utf8');
  // The items of another layout, and a table of another key.
  for (const other of ['', layout.replace('"partitionKey":"key_id"', '"partitionKey":"key"')]) {
    await writeFile(join(parent, 'layout'), other);
    await expect(openDataFolder(parent, false)).rejects.toThrow(/another version.*--fresh/);
  }
  (await openDataFolder(parent, true)).release();
  (await openDataFolder(parent, false)).release();
});

test('a database of other migrations is refused in one line; one that lacks the newest is not', async () => {
  const migration = (name: string, checksum: string) => ({ name, script: '', checksum });
  const open = (...migrations: readonly Migration[]) => openDataFolder(parent, false, migrations);
  const blocks = migration('001-blocks', 'a');
  (await open(blocks)).release();
  await mkdir(join(parent, 'dynamodb'));
  (await open(blocks, migration('002-more', 'b'))).release();
  for (const others of [[blocks], [migration('001-blocks', 'c'), migration('002-more', 'b')]])
    await expect(open(...others)).rejects.toThrow(
      `${parent} holds data of another version of the gateway: start with --fresh (it empties the data folder)`,
    );
});

test('a path that is a file is refused in one line', async () => {
  const path = join(parent, 'file');
  await writeFile(path, '');
  await expect(openDataFolder(path, false)).rejects.toThrow(
    `the data folder ${path} is a file, or lies below one: move that away, or choose another with --data-dir`,
  );
});

test('a folder that can never be made is refused in one line', async () => {
  const path = '/proc/no-such-process/data';
  await expect(openDataFolder(path, false)).rejects.toThrow(
    `the data folder ${path} cannot be made there: make its parent folder, or choose another with --data-dir`,
  );
});
