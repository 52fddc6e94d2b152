/** Draws of waiting time that go together grant what each alone would. */
import fc from 'fast-check';
import type { WaitingRoom } from '../../../../lambdas/shared/upstream/health/waiting-room.ts';
import { RoomDraws } from '../../../../lambdas/shared/upstream/health/waiting-room.ts';

const ROOM: WaitingRoom = { of: 'chain example', kind: 'read', seats: 8 };

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
  };
  return { store, draws };
}

test('rooms that save up differently are drawn from one by one', async () => {
  const { store, draws } = storeWith(10_000);
  const room = new RoomDraws(store);
  await Promise.all([room.draw(ROOM, 1), room.draw({ ...ROOM, burstMs: 500 }, 2), room.draw(ROOM, 3)]);
  expect(draws).toEqual([1, 2, 3]);
});

test('where the store does not answer, no draw has an opinion, and the next one is made', async () => {
  const { store } = storeWith(10);
  const responses = [() => Promise.reject(new Error('no answer')), () => Promise.reject(new Error('again'))];
  const room = new RoomDraws({ draw: (of, ms) => responses.shift()?.() ?? store.draw(of, ms) });
  expect(await Promise.all([room.draw(ROOM, 1), room.draw(ROOM, 1), room.draw(ROOM, 1)])).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(await room.draw(ROOM, 1)).toMatchObject({ granted: true });
});

test('as many are granted as the room has time for, in at most twice as many draws', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(80),
      fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 64 }),
      async (left, wanted) => {
        const { store, draws } = storeWith(left);
        const room = new RoomDraws(store);
        const drawn = await Promise.all(wanted.map((ms) => room.draw(ROOM, ms)));
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
