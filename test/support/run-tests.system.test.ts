/** That the runner runs each file once, few that fail once more in a deep run, and prints what the run took and made. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testAtLength } from './at-length-tests.ts';
import { MOST_MADE } from './figures/made-counts.ts';

const RUN_TESTS = join(import.meta.dirname, 'run-tests.ts');
/** What one test file takes of the processors, above what an empty one does. */
const BURNT_SECONDS = 1;
const require = createRequire(import.meta.url);
const CONFIG = {
  jest: {
    testEnvironment: join(import.meta.dirname, 'measured-environment.ts'),
    transform: { '\\.ts$': [require.resolve('@swc/jest'), { jsc: { parser: { syntax: 'typescript' } } }] },
  },
};
let folder: string;

function newFolder(): void {
  folder = mkdtempSync(join(tmpdir(), 'tests-run-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify(CONFIG));
}
beforeEach(newFolder);
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs the test files of the folder; `text` of a file stands before its one test. */
function run(
  files: Readonly<Record<string, string>>,
  programArguments: readonly string[] = [],
): {
  readonly code: number | null;
  readonly output: string;
} {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.test.js`), text);
  // One process: workers would load all of jest again.
  const { status, stderr } = spawnSync(process.execPath, [RUN_TESTS, '--runInBand', ...programArguments], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, FORCE_COLOR: '0', GATEWAY_TEST_SECONDS: undefined },
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
const makesGateways = (count: number) => `
  test('makes gateways', () => {
    require('node:fs').appendFileSync(process.env.GATEWAY_TEST_MADE, 'gateways\\n'.repeat(${count}));
  });`;
/** The processor time is that of the child alone, which ends when it has taken as much. */
const dear = `
  test('starts a child', () => {
    const burn = 'while (process.cpuUsage().user < ${BURNT_SECONDS * 1_000_000});';
    require('node:child_process').execFileSync(process.execPath, ['-e', burn]);
  });`;

test('a file that fails, also before its first test and by chance, fails the run and is not run again', () => {
  const { code, output } = run({ good: passes, late: failsOnce });
  expect(code).toBe(1);
  expect(output.match(/^(PASS|FAIL) .*\.test\.js/gm)?.sort()).toEqual([
    expect.stringMatching(/^FAIL .*late\.test\.js/),
    expect.stringMatching(/^PASS .*good\.test\.js/),
  ]);
});

testAtLength('a deep run runs few files that fail once more, and names them at its end', () => {
  const { code, output } = run({ good: passes, late: failsOnce }, ['--deep']);
  expect(code).toBe(0);
  expect(output.match(/(PASS|FAIL) .*good\.test\.js/g)).toHaveLength(1);
  expect(output).toMatch(
    /FAIL .*late[\s\S]*PASS .*late[\s\S]*Failed, and ran once more:\n.*late\.test\.js\n$/,
  );
});

testAtLength.each([
  ['one file that fails again', 1],
  ['many files that fail', 4],
])('a deep run with %s fails', (_, count) => {
  const files = Object.fromEntries(Array.from({ length: count }, (_, file) => [`bad-${file}`, fails]));
  const { code, output } = run(files, ['--deep']);
  expect(code).toBe(1);
  expect(output.match(/^FAIL .*bad-0\.test\.js/gm)).toHaveLength(count === 1 ? 2 : 1);
});

describe('a run whose tests pass', () => {
  const MADE = MOST_MADE.gateways.quick;
  let atMost: ReturnType<typeof run>;
  const toldOf = (output: string, count: number) =>
    new RegExp(`^ +${count} {2}gateways, at most ${MADE}(.*)$`, 'm').exec(output)?.[1];

  beforeAll(() => {
    newFolder();
    atMost = run({ cheap: passes, dear, made: makesGateways(MADE) });
    rmSync(folder, { recursive: true });
  });

  test.each([
    ['as many gateways as it may passes', MADE, 0],
    ['one gateway more fails', MADE + 1, 1],
  ])('a run that makes %s, and prints how many', (_, count, expected) => {
    const { code, output } = expected === 0 ? atMost : run({ made: makesGateways(count) });
    expect(code).toBe(expected);
    expect(toldOf(output, count)).toBe(expected === 0 ? '' : ': too many');
  });

  test('the processor time of each file is printed, its ended children included, the dearest first', () => {
    const { code, output } = atMost;
    expect(code).toBe(0);
    expect(output.match(/^PASS /gm)).toHaveLength(3);
    const rows = [...output.matchAll(/^ +([\d.]+) {2}(\w+)\.test\.js$/gm)].map(([, seconds, file]) => ({
      file,
      seconds: Number(seconds),
    }));
    expect(rows.map(({ file }) => file).sort()).toEqual(['cheap', 'dear', 'made']);
    expect(rows[0]?.file).toBe('dear');
    expect(rows[0]?.seconds).toBeGreaterThanOrEqual(BURNT_SECONDS);
    expect(rows[1]?.seconds).toBeLessThan(BURNT_SECONDS);
    expect(output).toMatch(/^ +[\d.]+ {2}all 3 test files$/m);
  });
});
