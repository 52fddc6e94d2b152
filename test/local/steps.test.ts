import { LocalRunError } from '../../local/processes/local-run-error.ts';
import { createSteps } from '../../local/steps.ts';

let told: string[];
let kept: string[];
let now: number;

beforeEach(() => {
  told = [];
  kept = [];
  now = 5_000;
});

const steps = (cause?: string) =>
  createSteps({
    tell: (line) => told.push(line),
    now: () => now,
    cause: async () => cause,
    keep: (details) => kept.push(details),
    keptIn: 'logs/start.log',
  });

const failing = (error: Error) => async () => {
  now += 61_000;
  throw error;
};

test('a step says a line as it begins, and one with its time as it ends', async () => {
  const result = await steps()('PostgreSQL', async () => {
    expect(told).toEqual(['PostgreSQL ...']);
    now += 1_234;
    return 7;
  });
  expect([result, told]).toEqual([7, ['PostgreSQL ...', 'PostgreSQL: done in 1.2 s']]);
});

test('a step that takes long says so before ten seconds are over, until it ends', async () => {
  jest.useFakeTimers();
  await steps()('Synthesis of the stack', async () => {
    now += 25_000;
    await jest.advanceTimersByTimeAsync(25_000);
  });
  await jest.advanceTimersByTimeAsync(60_000);
  jest.useRealTimers();
  const name = 'Synthesis of the stack';
  const line = `${name}: 25.0 s ...`;
  expect(told).toEqual([`${name} ...`, line, line, line, `${name}: done in 25.0 s`]);
});

test('a step that fails says which one, why, and what to do; only the log has the stack', async () => {
  const failed = steps()('DynamoDB', failing(new TypeError('x is not a function')));
  await expect(failed).rejects.toThrow(
    new LocalRunError(
      'the start failed at "DynamoDB": x is not a function\nStart again; if it fails again, --fresh empties the data folder. Details are in logs/start.log',
    ),
  );
  expect(told).toEqual(['DynamoDB ...', 'DynamoDB: failed after 61.0 s']);
  expect(kept).toEqual([expect.stringMatching(/^TypeError: x is not a function\n +at /)]);
});

test('a step that fails for want of room says so', async () => {
  const trouble = 'the data folder /data is on a full disk';
  await expect(steps(trouble)('PostgreSQL', failing(new LocalRunError('it ended', 1)))).rejects.toThrow(
    new LocalRunError(`the start failed at "PostgreSQL": it ended\n${trouble}`),
  );
});

test('an error that says what to do keeps its words and its exit code', async () => {
  const error = new LocalRunError('anvil is missing: run "npm ci"', 2);
  await expect(steps()('EVM node', failing(error))).rejects.toMatchObject({
    message: 'the start failed at "EVM node": anvil is missing: run "npm ci"',
    exitCode: 2,
  });
  expect(kept).toEqual([]);
});
