import { createNodeLessons } from '../../../../lambdas/shared/upstream/health/node-lessons.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

function world() {
  let now = 0;
  const lessons = createNodeLessons({ now: () => now });
  return {
    lessons,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test('a method is believed to be missing after two refusals within a minute, for ten minutes', () => {
  const { lessons, pass } = world();
  lessons.refusedMethod('a', 'method');
  expect(lessons.lacksMethod('a')).toBe(false);
  pass(2 * MINUTE_MS);
  lessons.refusedMethod('a', 'method');
  expect(lessons.lacksMethod('a')).toBe(false);
  lessons.refusedMethod('a', 'method');
  expect(lessons.lacksMethod('a')).toBe(true);
  expect(lessons.lacksMethod('b')).toBe(false);
  pass(10 * MINUTE_MS);
  expect(lessons.lacksMethod('a')).toBe(false);
  // It is asked once more, and not twice.
  lessons.refusedMethod('a', 'method');
  expect(lessons.lacksMethod('a')).toBe(true);
});

test('a plan is believed for six hours; a response ends it, and so does another URL', () => {
  const { lessons, pass } = world();
  const refuse = () => {
    lessons.refusedMethod('a', 'plan');
    lessons.refusedMethod('a', 'plan');
  };
  refuse();
  pass(6 * HOUR_MS - 1);
  expect(lessons.lacksMethod('a')).toBe(true);
  lessons.answeredMethod('a');
  expect(lessons.lacksMethod('a')).toBe(false);
  refuse();
  lessons.forget();
  expect(lessons.lacksMethod('a')).toBe(false);
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
  const { lessons } = world();
  for (let index = 0; index < 10_000; index += 1) lessons.refusedMethod(`eth_${index}`, 'method');
  lessons.refusedMethod('eth_9999', 'method');
  lessons.refusedMethod('eth_0', 'method');
  expect([lessons.lacksMethod('eth_9999'), lessons.lacksMethod('eth_0')]).toEqual([true, false]);
});
