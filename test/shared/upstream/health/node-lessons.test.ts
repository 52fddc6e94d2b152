/** What was learnt of a node is believed for a bounded time. */
import { createNodeLessons } from '../../../../lambdas/shared/upstream/health/node-lessons.ts';
import { UpstreamHealth } from '../../../../lambdas/shared/upstream/health/upstream-health.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function world() {
  let now = 0;
  const clock = { now: () => now };
  return {
    lessons: createNodeLessons(clock),
    health: new UpstreamHealth({ clock, random: () => 1 }),
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test('a method is believed to be missing after two refusals within a minute, for ten minutes', () => {
  const { health, pass } = world();
  health.refusedMethod('a', 'method');
  expect(health.lacks('a')).toBe(false);
  pass(2 * MINUTE_MS);
  health.refusedMethod('a', 'method');
  expect(health.lacks('a')).toBe(false);
  health.refusedMethod('a', 'method');
  expect(health.lacks('a')).toBe(true);
  expect(health.lacks('b')).toBe(false);
  pass(10 * MINUTE_MS);
  expect(health.lacks('a')).toBe(false);
  // It is asked once more, and not twice.
  health.refusedMethod('a', 'method');
  expect(health.lacks('a')).toBe(true);
});

test('a plan is believed for six hours; a response ends it, and so does another URL', () => {
  const { health, pass } = world();
  const refuse = () => {
    health.refusedMethod('a', 'plan');
    health.refusedMethod('a', 'plan');
  };
  refuse();
  pass(6 * HOUR_MS - 1);
  expect(health.lacks('a')).toBe(true);
  health.answeredMethod('a');
  expect(health.lacks('a')).toBe(false);
  refuse();
  health.forgetMethods();
  expect(health.lacks('a')).toBe(false);
});

test('the size of batches is halved, or what the node says, and forgotten after an hour', () => {
  const { lessons, pass } = world();
  expect(lessons.maxBatch).toBe(Number.POSITIVE_INFINITY);
  lessons.refusedBatch(100, undefined);
  expect(lessons.maxBatch).toBe(Number.POSITIVE_INFINITY);
  lessons.refusedBatch(100, undefined);
  expect(lessons.maxBatch).toBe(50);
  lessons.refusedBatch(50, 10);
  expect(lessons.maxBatch).toBe(10);
  pass(HOUR_MS);
  expect(lessons.maxBatch).toBe(Number.POSITIVE_INFINITY);
});

test('methods that clients make up do not fill the memory', () => {
  const { health } = world();
  for (let index = 0; index < 10_000; index += 1) health.refusedMethod(`eth_${index}`, 'method');
  health.refusedMethod('eth_9999', 'method');
  health.refusedMethod('eth_0', 'method');
  expect([health.lacks('eth_9999'), health.lacks('eth_0')]).toEqual([true, false]);
});
