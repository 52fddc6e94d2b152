import fc from 'fast-check';
import {
  afterRefusal,
  HOLD_RULES,
  MAX_TOLD_PAUSE_MS,
  type NodeHold,
} from '../../../../lambdas/shared/upstream/health/holds.ts';
import {
  type LimitNotice,
  UpstreamHealth,
} from '../../../../lambdas/shared/upstream/health/upstream-health.ts';

const NOW = 1_000_000;
const { firstMs: FIRST_PAUSE_MS, mostMs: MAX_PAUSE_MS } = HOLD_RULES.rate;
const RATE: LimitNotice = { limit: 'rate', waitMs: undefined };

function afterLimit(
  before: NodeHold | undefined,
  { limit, waitMs }: LimitNotice,
  now: number,
  random = 0,
): NodeHold {
  return afterRefusal(before, { reason: limit, waitMs, now, random });
}

/** Lengths of pauses of an upstream that refuses each time that it is asked again. */
function lengths(notice: LimitNotice, times: number): number[] {
  const told: number[] = [];
  let pause: NodeHold | undefined;
  for (let now = NOW; told.length < times; now = pause.until) {
    pause = afterLimit(pause, notice, now);
    told.push(pause.until - now);
  }
  return told;
}

test('grows with each refusal that follows one, up to a minute', () => {
  expect(lengths(RATE, 8)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
});

test('is as long as it can be at once where a quota is used up', () => {
  expect(lengths({ limit: 'quota', waitMs: undefined }, 2)).toEqual([MAX_PAUSE_MS, MAX_PAUSE_MS]);
});

test.each([
  [30_000, 30_000],
  [10, FIRST_PAUSE_MS],
  [3 * 365 * 86_400_000, MAX_TOLD_PAUSE_MS],
])('of a node that asks for %i ms is %i ms', (waitMs, ms) => {
  expect(lengths({ limit: 'rate', waitMs }, 2)).toEqual([ms, ms]);
  expect(lengths({ limit: 'quota', waitMs }, 1)).toEqual([ms]);
});

test('is not longer for what was sent before it, unless that asks for more time', () => {
  const pause = afterLimit(undefined, RATE, NOW);
  expect(afterLimit(pause, RATE, NOW + 500).until).toBe(pause.until);
  expect(afterLimit(pause, { limit: 'rate', waitMs: 5_000 }, NOW + 500).until).toBe(NOW + 5_500);
});

test('ends by itself, and a response after it makes the next one short again', () => {
  let now = NOW;
  const health = new UpstreamHealth({ clock: { now: () => now }, random: () => 0 });
  const refuse = () => {
    health.limited(RATE);
    return (health.limitedUntil ?? 0) - now;
  };
  for (const ms of [1_000, 2_000, 4_000, 8_000]) {
    expect(refuse()).toBe(ms);
    now += ms - 1;
    // It can have been sent before the refusal.
    health.succeeded(1, 'light');
    expect(health.usable).toBe(false);
    now += 1;
    expect(health.usable).toBe(true);
  }
  health.succeeded(1, 'light');
  expect(refuse()).toBe(FIRST_PAUSE_MS);
});

test('is in its bounds whatever a node asks for, and longer by a quarter at most', () => {
  const waits = fc.option(fc.double({ min: Number.MIN_VALUE, noNaN: true }), { nil: undefined });
  const limits = fc.constantFrom('rate' as const, 'quota' as const);
  fc.assert(
    fc.property(waits, limits, fc.double({ min: 0, max: 1, noNaN: true }), (waitMs, limit, random) => {
      const { until } = afterLimit(undefined, { limit, waitMs }, NOW, random);
      expect(until - NOW).toBeGreaterThanOrEqual(FIRST_PAUSE_MS);
      expect(until - NOW).toBeLessThanOrEqual(1.25 * MAX_TOLD_PAUSE_MS);
    }),
  );
});
