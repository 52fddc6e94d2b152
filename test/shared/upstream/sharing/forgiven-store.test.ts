/** A store or an item that fails is left alone for a second. */
import { forgiveStore } from '../../../../lambdas/shared/upstream/sharing/shared-item.ts';

/** Failures of a store, as the SDK has them. */
const FAILURES = {
  throttled: Object.assign(new Error('slow down'), { $metadata: { httpStatusCode: 400 } }),
  broken: Object.assign(new Error('not now'), { $metadata: { httpStatusCode: 500 } }),
  late: new Error('timed out'),
};

/** A store by a clock that is set by hand, and what it logs. */
function open() {
  const world = { now: 1_000, asked: [] as string[], logged: 0 };
  const ask = forgiveStore({
    clock: { now: () => world.now },
    telemetry: {
      log: () => {
        world.logged += 1;
      },
    },
    event: 'store_unavailable',
  });
  const from = (item: string, failure?: Error) =>
    ask(item, async () => {
      world.asked.push(item);
      if (failure !== undefined) throw failure;
      return item;
    });
  return { world, from };
}

test.each([
  ['throttled', FAILURES.throttled],
  ['throttled as one of several', new Error('left out', { cause: FAILURES.throttled })],
])('an item that is %s is left alone for a second, and no other', async (_, failure) => {
  const { world, from } = open();
  expect(await from('hot', failure)).toBe('unread');
  expect([await from('hot'), await from('other')]).toEqual(['unread', 'other']);
  world.now += 1_000;
  expect(await from('hot')).toBe('hot');
  expect(world.asked).toEqual(['hot', 'other', 'hot']);
});

test.each(['broken', 'late'] as const)('a store that is %s is left alone for a second', async (kind) => {
  const { world, from } = open();
  expect(await from('one', FAILURES[kind])).toBe('unread');
  expect([await from('one'), await from('other')]).toEqual(['unread', 'unread']);
  world.now += 1_000;
  expect([await from('one'), await from('other')]).toEqual(['one', 'other']);
});

test('a thousand throttled items are one line of the log in a second', async () => {
  const { world, from } = open();
  for (let item = 0; item < 1_000; item++) await from(String(item), FAILURES.throttled);
  expect(world.logged).toBe(1);
});
