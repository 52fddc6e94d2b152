import { openData } from '../../lambdas/data/open-data.ts';
import {
  ANSWER_KEY_VARIABLE,
  CACHE_TABLE_VARIABLE,
  DATABASE_ARN_VARIABLE,
  DATABASE_NAME_VARIABLE,
  DATABASE_SECRET_ARN_VARIABLE,
} from '../../lambdas/shared/runtime/environment.ts';

const WAKES_IN_MS = 15_000;
let mockAwakeAt = 0;

jest.mock('../../lambdas/shared/aws/rds-data.ts', () => ({
  connectRdsData: () => ({
    async execute() {
      if (Date.now() >= mockAwakeAt) return { records: [] };
      throw Object.assign(new Error('resuming'), { name: 'DatabaseResumingException' });
    },
  }),
}));

beforeEach(() => {
  for (const variable of [
    ANSWER_KEY_VARIABLE,
    CACHE_TABLE_VARIABLE,
    DATABASE_ARN_VARIABLE,
    DATABASE_NAME_VARIABLE,
    DATABASE_SECRET_ARN_VARIABLE,
  ])
    process.env[variable] = 'of a test';
  jest.useFakeTimers();
  mockAwakeAt = Date.now() + WAKES_IN_MS;
});
afterEach(() => jest.useRealTimers());

/** What becomes of a statement within a second after the database is awake, and when, in milliseconds. */
async function askedWhileAsleep(batchMinutes?: 15) {
  const startedMs = Date.now();
  const { database } = openData(
    {
      chains: [],
      dataApi: { queriesPerKey: 8, exportsPerKey: 4 },
      metering: { storeBeforeAnswer: false, groupCommitCu: 0 },
      batchMinutes,
    },
    Object.create(null),
    new Map(),
  );
  const outcome = database
    ?.query('SELECT 1', {})
    .then(
      () => 'served',
      ({ name }: Error) => name,
    )
    .then((ended) => ({ ended, afterMs: Date.now() - startedMs }));
  await jest.advanceTimersByTimeAsync(WAKES_IN_MS + 1_000);
  return outcome;
}

test('a stage of batches waits for a database that takes 15 s to wake, and serves', async () => {
  expect(await askedWhileAsleep(15)).toEqual({ ended: 'served', afterMs: expect.any(Number) });
});

test('any other refuses soon', async () => {
  const outcome = await askedWhileAsleep();
  expect(outcome?.ended).toBe('DatabaseResumingError');
  expect(outcome?.afterMs).toBeLessThanOrEqual(1_500);
});
