/** An upstream is out of use after failures in a row, and back by a success. */
import { HOLD_RULES } from '../../../../lambdas/shared/upstream/health/holds.ts';
import { UpstreamHealth } from '../../../../lambdas/shared/upstream/health/upstream-health.ts';

const { refusals: FAILURES_TO_OPEN, firstMs: FIRST_BACK_OFF_MS } = HOLD_RULES.failing;

let now: number;
let states: string[];
let health: UpstreamHealth;

beforeEach(() => {
  now = 1_000_000;
  states = [];
  health = new UpstreamHealth({
    clock: { now: () => now },
    random: () => 0,
    onBreaker: (state) => states.push(state),
  });
});

function fail(times = 1): void {
  for (let failure = 0; failure < times; failure++) health.failed();
}

test('is well until proven otherwise', () => {
  expect([health.usable, health.alive, health.errorRate, health.p50Ms]).toEqual([true, false, 0, undefined]);
});

test('the error rate follows outcomes, and fades with time', () => {
  fail(3);
  const rate = health.errorRate;
  expect(rate).toBeCloseTo(0.271);
  health.succeeded(1, 'light');
  expect(health.errorRate).toBeLessThan(rate);
  fail(3);
  const later = health.errorRate;
  now += 20_000;
  expect(health.errorRate).toBeCloseTo(later / 2);
});

test('latencies of light and of heavy requests are told apart', () => {
  for (let request = 1; request <= 20; request++) health.succeeded(request, 'light');
  for (let request = 1; request <= 9; request++) health.succeeded(1_000, 'heavy');
  expect([health.p50Ms, health.p95Ms('light'), health.p95Ms('heavy')]).toEqual([10, 19, undefined]);
});

test('is taken out of use by failures in a row, and back by a success', () => {
  fail(FAILURES_TO_OPEN - 1);
  health.succeeded(1, 'light');
  fail(FAILURES_TO_OPEN - 1);
  expect(health.usable).toBe(true);
  fail();
  expect([health.usable, health.alive, health.mayProbe]).toEqual([false, true, false]);
  now += FIRST_BACK_OFF_MS;
  expect(health.mayProbe).toBe(true);
  health.probing(now + 100);
  expect(health.mayProbe).toBe(false);
  health.succeeded(1, 'light');
  expect([health.usable, states]).toEqual([true, ['open', 'closed']]);
});

test('is taken out of use at once where that is known to be right, and back by a success', () => {
  health.exclude();
  health.exclude();
  expect([health.usable, states]).toEqual([false, ['open']]);
  now += FIRST_BACK_OFF_MS;
  fail();
  health.succeeded(1, 'light');
  expect([health.usable, states]).toEqual([true, ['open', 'still_open', 'closed']]);
});

test('that it is asked again in vain is told, each time', () => {
  fail(FAILURES_TO_OPEN + 2);
  expect(states).toEqual(['open']);
  for (const backOffMs of [FIRST_BACK_OFF_MS, 2 * FIRST_BACK_OFF_MS]) {
    now += backOffMs;
    health.probing(now + 100);
    fail(2);
  }
  health.succeeded(1, 'light');
  expect(states).toEqual(['open', 'still_open', 'still_open', 'closed']);
});

test('an upstream that is overtaken time and again is taken out of use, unless the requests are heavy', () => {
  for (let request = 0; request < FAILURES_TO_OPEN; request++) health.overtaken(100, 'heavy');
  expect(health.usable).toBe(true);
  for (let request = 0; request < FAILURES_TO_OPEN; request++) health.overtaken(100, 'light');
  expect(health.usable).toBe(false);
});

test('is alive for a while after a success', () => {
  health.succeeded(1, 'light');
  now += 9_999;
  expect([health.alive, health.sinceSuccessMs]).toEqual([true, 9_999]);
  now += 1;
  expect(health.alive).toBe(false);
});

test('what only others report is passed on by nobody who has not seen it too', () => {
  health.heard({ kind: 'out', of: '', at: now }, true);
  health.heard({ kind: 'method', of: 'a', at: now }, true);
  expect([health.usable, health.lacks('a'), health.own]).toEqual([false, true, []]);
  now += FIRST_BACK_OFF_MS;
  fail();
  health.refusedMethod('a', 'method');
  expect(health.own).toEqual([
    { kind: 'out', of: '', at: now },
    { kind: 'method', of: 'a', at: now },
  ]);
});

test('of what processes report, the word of one is a suspicion, and what was answered since counts more', () => {
  const told = { kind: 'out', of: '', at: now } as const;
  health.heard(told, false);
  expect(health.usable).toBe(true);
  fail();
  expect([health.usable, health.deniedAt(told)]).toEqual([false, Number.NEGATIVE_INFINITY]);
  health.succeeded(1, 'light');
  health.heard(told, true);
  expect([health.usable, health.deniedAt(told)]).toEqual([true, now]);
});

test('forgets what is old, and says nothing by too few', () => {
  const medianAt = (ms: number) => {
    now = 1_000_000 + ms;
    return health.p50Ms;
  };
  health.succeeded(1, 'light');
  now += 500;
  health.succeeded(2, 'light');
  expect([medianAt(60_000), medianAt(60_001), medianAt(60_501)]).toEqual([1, 2, undefined]);
  expect(health.p95Ms('light')).toBeUndefined();
});
