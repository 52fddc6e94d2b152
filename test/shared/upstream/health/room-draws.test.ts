/** Draws of waiting time that go together grant what each alone would. */
import fc from 'fast-check';
import { WaitingBudget } from '../../../../lambdas/shared/upstream/health/waiting-budget.ts';
import type { WaitingRoom, WaitingStore } from '../../../../lambdas/shared/upstream/health/waiting-room.ts';

/** A room with so much time left that nothing flows back into. */
function storeWith(savedMs: number) {
  let leftMs = savedMs;
  const draws: number[] = [];
  const store = {
    async draw(_room: WaitingRoom, ms: number) {
      draws.push(ms);
      await new Promise(setImmediate);
      const granted = ms <= leftMs;
      if (granted) leftMs -= ms;
      return { granted, silentAt: 0, unheardAt: 0 };
    },
    giveBack: async () => {},
    tell: async () => {},
  };
  return { store, draws };
}

/** The draws of one process. */
function open(store: WaitingStore) {
  const budget = new WaitingBudget({
    ...{ store, clock: { now: () => 0 }, random: () => 0 },
    ...{ concurrency: 16, chains: 1 },
  });
  return { budget, draw: (ms: number) => budget.draw(budget.roomOfChain('example', 'read'), ms) };
}

test('rooms that save up differently are drawn from one by one', async () => {
  const { store, draws } = storeWith(10_000);
  const { budget } = open(store);
  const drawn = (['new', 'kept', 'new'] as const).map((kept, index) =>
    budget.draw(budget.roomUnheard('example', kept), index + 1),
  );
  await Promise.all(drawn);
  expect(draws).toEqual([1, 2, 3]);
});

test('where the store does not answer, no draw has an opinion, and the next one is made', async () => {
  const { store } = storeWith(10);
  const responses = [() => Promise.reject(new Error('no answer')), () => Promise.reject(new Error('again'))];
  const { draw } = open({ ...store, draw: (of, ms) => responses.shift()?.() ?? store.draw(of, ms) });
  expect(await Promise.all([draw(1), draw(1), draw(1)])).toEqual([undefined, undefined, undefined]);
  expect(await draw(1)).toMatchObject({ granted: true });
});

test('as many are granted as the room has time for, in at most twice as many draws', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(80),
      fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 64 }),
      async (left, wanted) => {
        const { store, draws } = storeWith(left);
        const { draw } = open(store);
        const drawn = await Promise.all(wanted.map(draw));
        const granted = wanted.filter((_, index) => drawn[index]?.granted);
        const refused = wanted.filter((_, index) => !drawn[index]?.granted);
        const used = granted.reduce((sum, ms) => sum + ms, 0);
        expect(used).toBeLessThanOrEqual(left);
        for (const ms of refused) expect(used + ms).toBeGreaterThan(left);
        expect(draws.length).toBeLessThanOrEqual(2 * wanted.length);
      },
    ),
  );
});
