import {
  afterExclusion,
  afterFailure,
  type Breaker,
  CLOSED,
  FAILURES_TO_OPEN,
  FIRST_BACK_OFF_MS,
  MAX_BACK_OFF_MS,
  mayProbe,
  whileProbing,
} from '../../../../lambdas/shared/upstream/health/pauses.ts';

const NOW = 1_000_000;

function failedTimes(count: number, now = NOW, random = 0): Breaker {
  let breaker = CLOSED;
  for (let failure = 0; failure < count; failure++) breaker = afterFailure(breaker, now, random);
  return breaker;
}

test('opens after so many failures in a row, and not before', () => {
  expect(failedTimes(FAILURES_TO_OPEN - 1).kind).toBe('closed');
  expect(failedTimes(FAILURES_TO_OPEN)).toMatchObject({ kind: 'open', until: NOW + FIRST_BACK_OFF_MS });
});

test('opens at once for what is known to be of no use, and stays as it is if it is open', () => {
  const excluded = afterExclusion(failedTimes(1), NOW, 1);
  expect(excluded).toMatchObject({ kind: 'open', until: NOW + 1.25 * FIRST_BACK_OFF_MS });
  expect(afterExclusion(excluded, NOW + 500, 0)).toBe(excluded);
});

test('waits longer by chance, so that instances do not probe all at once', () => {
  expect(failedTimes(FAILURES_TO_OPEN, NOW, 1)).toMatchObject({ until: NOW + 1.25 * FIRST_BACK_OFF_MS });
});

test('is probed once the back-off is over, by one at a time', () => {
  const open = failedTimes(FAILURES_TO_OPEN);
  const later = NOW + FIRST_BACK_OFF_MS;
  expect(mayProbe(CLOSED, later)).toBe(false);
  expect([mayProbe(open, later - 1), mayProbe(open, later)]).toEqual([false, true]);
  const probed = whileProbing(open, later + 500);
  expect([mayProbe(probed, later + 499), mayProbe(probed, later + 500)]).toEqual([false, true]);
  expect(whileProbing(CLOSED, later)).toBe(CLOSED);
});

test('backs off twice as long each time that a probe fails, up to a limit', () => {
  let breaker = failedTimes(FAILURES_TO_OPEN);
  const backOffs: number[] = [];
  for (let probe = 0; probe < 8; probe++) {
    if (breaker.kind !== 'open') throw new Error('closed');
    const now = breaker.until;
    breaker = afterFailure(breaker, now, 0);
    backOffs.push((breaker as Extract<Breaker, { kind: 'open' }>).until - now);
  }
  expect(backOffs.slice(0, 3)).toEqual([2, 4, 8].map((times) => times * FIRST_BACK_OFF_MS));
  expect(backOffs.at(-1)).toBe(MAX_BACK_OFF_MS);
});

test('does not mind what fails while it is open', () => {
  const open = failedTimes(FAILURES_TO_OPEN);
  expect(afterFailure(open, NOW + FIRST_BACK_OFF_MS - 1, 0)).toBe(open);
});
