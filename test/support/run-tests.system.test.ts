import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const RUN_TESTS = join(import.meta.dirname, 'run-tests.ts');
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tests-run-'));
  writeFileSync(join(folder, 'package.json'), '{}');
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the test files of the folder; `text` of a file stands before its one test. */
function run(files: Readonly<Record<string, string>>): {
  readonly code: number | null;
  readonly output: string;
} {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.test.js`), text);
  const { status, stderr } = spawnSync(process.execPath, [RUN_TESTS], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, FORCE_COLOR: '0' },
  });
  return { code: status, output: stderr };
}

const passes = "test('passes', () => {});";
const fails = "test('fails', () => { throw new Error('always'); });";
const failsOnce = `
  const { existsSync, writeFileSync } = require('node:fs');
  const mark = __filename + '.mark';
  beforeAll(() => { if (!existsSync(mark)) { writeFileSync(mark, ''); throw new Error('late'); } });
  test('waits', () => {});`;

test('a file that fails by chance, also before its first test, is run once more, and both are told', () => {
  const { code, output } = run({ good: passes, late: failsOnce });
  expect(code).toBe(0);
  expect(output).toMatch(
    /FAIL .*late\.test\.js[\s\S]*Once more[\s\S]*late\.test\.js[\s\S]*PASS .*late\.test\.js/,
  );
  expect(output.match(/(PASS|FAIL) .*good\.test\.js/g)).toHaveLength(1);
});

test('a file that fails again fails the run', () => {
  const { code, output } = run({ good: passes, bad: fails });
  expect(code).toBe(1);
  expect(output.match(/FAIL .*bad\.test\.js/g)?.length).toBeGreaterThan(1);
});

test('many files that fail are not run again', () => {
  const { code, output } = run(Object.fromEntries([1, 2, 3, 4, 5, 6].map((file) => [`bad-${file}`, fails])));
  expect(code).toBe(1);
  expect(output).not.toMatch(/Once more/);
});

test('what passes is run once', () => {
  const { code, output } = run({ good: passes });
  expect(code).toBe(0);
  expect(output).not.toMatch(/Once more/);
});
