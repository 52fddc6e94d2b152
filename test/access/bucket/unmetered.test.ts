/** What costs nothing is limited as well, for each key and by its size. */
import fc from 'fast-check';
import {
  UnmeteredRequests,
  unmeteredWeight,
  usedAfter,
  waitMs,
} from '../../../lambdas/access/bucket/unmetered.ts';

const UNMETERED_PER_SECOND = 50;
const MAX_UNMETERED_REQUESTS = 500;

const START = Date.UTC(2026, 10, 20, 23, 30);
/** That of a body of 10 MiB, the largest that API Gateway takes. */
const MAX_WEIGHT = unmeteredWeight(10 * 1024 * 1024, 0);

/** Requests of one key: how long after the one before, and what each counts for. */
const requests = fc.array(
  fc.record({
    afterMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 20_000 })),
    weight: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: MAX_WEIGHT })),
  }),
  { maxLength: 1_200 },
);

test('in any window a key passes what the limit has, what comes back meanwhile, and one request more', () => {
  fc.assert(
    fc.property(requests, (sent) => {
      const limit = new UnmeteredRequests();
      const passed: { readonly at: number; readonly weight: number }[] = [];
      let now = START;
      for (const { afterMs, weight } of sent) {
        now += afterMs;
        if (limit.waitMs('key', now) > 0) continue;
        passed.push({ at: now, weight });
        limit.note('key', weight, now);
      }
      for (const [index, { at: from }] of passed.entries()) {
        let total = 0;
        for (const { at, weight } of passed.slice(index)) {
          const most = MAX_UNMETERED_REQUESTS + ((at - from) / 1_000) * UNMETERED_PER_SECOND;
          // Whatever is left lets one pass.
          expect(total).toBeLessThan(most);
          total += weight;
        }
      }
    }),
    { numRuns: 60 },
  );
});

test('a client that waits as long as it is told passes, and a millisecond sooner does not', () => {
  const weights = fc.array(fc.integer({ min: 1, max: MAX_WEIGHT }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(weights, (all) => {
      const usedUntil = all.reduce((until, weight) => usedAfter(until, weight, START), START);
      const wait = waitMs(usedUntil, START);
      expect(waitMs(usedUntil, START + wait)).toBe(0);
      if (wait > 0) expect(waitMs(usedUntil, START + wait - 1)).toBe(1);
    }),
  );
});

test('a clock that was set back locks no client out', () => {
  const limit = new UnmeteredRequests();
  for (let count = 0; count < 2 * MAX_UNMETERED_REQUESTS; count++) limit.note('key', 1, START);
  expect(limit.waitMs('key', START)).toBeGreaterThan(0);
  expect(limit.waitMs('key', START - 3_600_000)).toBe(0);
});

test('of many keys the limit of the one that was not used for longest is forgotten: the memory is bounded', () => {
  const limit = new UnmeteredRequests();
  const spend = (key: string) => limit.note(key, MAX_UNMETERED_REQUESTS, START);
  for (let key = 0; key <= 10_000; key++) spend(String(key));
  expect(limit.waitMs('0', START)).toBe(0);
  expect(limit.waitMs('10000', START)).toBeGreaterThan(0);
});
