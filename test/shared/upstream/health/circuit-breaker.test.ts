import {
  afterRefusal,
  HOLD_RULES,
  isInForce,
  mayProbe,
  type NodeHold,
} from '../../../../lambdas/shared/upstream/health/holds.ts';

const NOW = 1_000_000;
const {
  refusals: FAILURES_TO_OPEN,
  firstMs: FIRST_BACK_OFF_MS,
  mostMs: MAX_BACK_OFF_MS,
} = HOLD_RULES.failing;

function failed(before: NodeHold | undefined, now: number, random = 0): NodeHold {
  return afterRefusal(before, { reason: 'failing', now, random });
}

function failedTimes(count: number, random = 0): NodeHold {
  let hold: NodeHold | undefined;
  for (let failure = 0; failure < count; failure++) hold = failed(hold, NOW, random);
  if (hold === undefined) throw new Error('no failure');
  return hold;
}

test('opens after so many failures in a row, and not before', () => {
  expect(isInForce(failedTimes(FAILURES_TO_OPEN - 1), NOW)).toBe(false);
  const open = failedTimes(FAILURES_TO_OPEN);
  expect(open.until).toBe(NOW + FIRST_BACK_OFF_MS);
  // Its time is over, and no response has come.
  expect([isInForce(open, NOW), isInForce(open, NOW + 2 * FIRST_BACK_OFF_MS)]).toEqual([true, true]);
});

test('opens at once for what is known to be of no use, and stays as it is if it is open', () => {
  const excluded = afterRefusal(failedTimes(1), { reason: 'wrong_chain', now: NOW, random: 1 });
  expect(isInForce(excluded, NOW)).toBe(true);
  expect(excluded.until).toBe(NOW + 1.25 * FIRST_BACK_OFF_MS);
  expect(afterRefusal(excluded, { reason: 'wrong_chain', now: NOW + 500 })).toEqual({
    ...excluded,
    at: NOW + 500,
  });
});

test('waits longer by chance, so that instances do not probe all at once', () => {
  expect(failedTimes(FAILURES_TO_OPEN, 1)).toMatchObject({ until: NOW + 1.25 * FIRST_BACK_OFF_MS });
});

test('is probed once the back-off is over, by one at a time', () => {
  const open = failedTimes(FAILURES_TO_OPEN);
  const later = NOW + FIRST_BACK_OFF_MS;
  expect(mayProbe(undefined, later)).toBe(false);
  expect([mayProbe(open, later - 1), mayProbe(open, later)]).toEqual([false, true]);
  const probed = { ...open, probeUntil: later + 500 };
  expect([mayProbe(probed, later + 499), mayProbe(probed, later + 500)]).toEqual([false, true]);
});

test('backs off twice as long each time that a probe fails, up to a limit', () => {
  let hold = failedTimes(FAILURES_TO_OPEN);
  const backOffs: number[] = [];
  for (let probe = 0; probe < 8; probe++) {
    const now = hold.until;
    hold = failed(hold, now);
    backOffs.push(hold.until - now);
  }
  expect(backOffs.slice(0, 3)).toEqual([2, 4, 8].map((times) => times * FIRST_BACK_OFF_MS));
  expect(backOffs.at(-1)).toBe(MAX_BACK_OFF_MS);
});

test('does not mind what fails while it is open', () => {
  const open = failedTimes(FAILURES_TO_OPEN);
  expect(failed(open, NOW + FIRST_BACK_OFF_MS - 1)).toMatchObject({
    until: open.until,
    backOffMs: open.backOffMs,
  });
});
