import { throttledRetries } from '../../../bin/operator/restore/throttled-retries.ts';
import { withStoreRetries } from '../../../lambdas/access/store/query-items.ts';
import { StoreUnavailableError } from '../../../lambdas/access/store/store.ts';

const GIVE_UP_AFTER_MS = 15 * 60_000;

function named(name: string): Error {
  return Object.assign(new Error(name), { name });
}

const throttled = new StoreUnavailableError('t', false, named('ThrottlingException'));
const refused = new StoreUnavailableError('r', false, named('AccessDeniedException'));
const unknown = new StoreUnavailableError('u', true);

function patience(random = 0, signal = new AbortController().signal) {
  const pauses: number[] = [];
  let waits = 0;
  const waited = () => {
    waits += 1;
  };
  const pause = async (ms: number) => {
    pauses.push(ms);
  };
  return {
    patience: throttledRetries({ pause, random: () => random, signal, waited }),
    pauses,
    waits: () => waits,
  };
}

test('pauses double up to the longest and end with the throttling', async () => {
  const { patience: some, pauses, waits } = patience();
  let calls = 0;
  const result = await withStoreRetries(some, async () => {
    calls += 1;
    if (calls <= 9) throw calls % 2 === 0 ? unknown : throttled;
    return 'done';
  });
  expect(result).toBe('done');
  expect(pauses).toEqual([50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
  expect(waits()).toBe(9);
});

test('pauses are drawn below the longest, so that requests do not come back together', async () => {
  const { patience: some, pauses } = patience(0.75);
  let calls = 0;
  await withStoreRetries(some, async () => {
    calls += 1;
    if (calls <= 3) throw throttled;
  });
  expect(pauses).toEqual([13, 25, 50]);
});

test('a request is given up when its pauses have come to the bound', async () => {
  const { patience: some, pauses } = patience();
  const given = withStoreRetries(some, () => Promise.reject(throttled));
  await expect(given).rejects.toBe(throttled);
  const sum = pauses.reduce((total, ms) => total + ms, 0);
  expect(sum).toBeGreaterThanOrEqual(GIVE_UP_AFTER_MS);
  expect(sum).toBeLessThan(GIVE_UP_AFTER_MS + 5_001);
});

test.each([
  ['what DynamoDB refuses for another reason', refused],
  ['a failure of something else', new Error('no disk')],
])('%s is not repeated', async (_case, error) => {
  const { patience: some, pauses } = patience();
  await expect(withStoreRetries(some, () => Promise.reject(error))).rejects.toBe(error);
  expect(pauses).toEqual([]);
});

test('nothing waits once the rest has failed', async () => {
  const { patience: some, pauses } = patience(0, AbortSignal.abort());
  await expect(withStoreRetries(some, () => Promise.reject(throttled))).rejects.toBe(throttled);
  expect(pauses).toEqual([]);
});
