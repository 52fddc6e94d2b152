import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeOverDatabase } from '../../../local/processes/dynamodb.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dynamodb-local-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, content: string) => writeFileSync(join(folder, name), content);
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

test('a folder without data stays so', async () => {
  await takeOverDatabase(folder, 'one');
  expect(readdirSync(folder)).toEqual(['access-keys']);
  expect(statSync(join(folder, 'access-keys')).mode & 0o777).toBe(0o600);
});

test('each run takes over the file of the last, and none of those that strangers made', async () => {
  await takeOverDatabase(folder, 'one');
  write('one_us-east-1.db', 'data');
  write('one_us-east-1.db-wal', 'log');
  write('evil_us-east-1.db', 'evil');
  for (const key of ['two', 'three']) {
    await takeOverDatabase(folder, key);
    expect([read(`${key}_us-east-1.db`), read(`${key}_us-east-1.db-wal`)]).toEqual(['data', 'log']);
  }
  expect(readdirSync(folder).sort()).toEqual([
    'access-keys',
    'evil_us-east-1.db',
    'three_us-east-1.db',
    'three_us-east-1.db-wal',
  ]);
});

test('a run that ended before it renamed the file is followed by one that finds it', async () => {
  await takeOverDatabase(folder, 'one');
  write('one_us-east-1.db', 'data');
  await takeOverDatabase(folder, 'two');
  renameSync(join(folder, 'two_us-east-1.db'), join(folder, 'one_us-east-1.db'));
  await takeOverDatabase(folder, 'three');
  expect(read('three_us-east-1.db')).toBe('data');
});
