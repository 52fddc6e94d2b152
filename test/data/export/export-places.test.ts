import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createExportPlaces, PLACE_MS } from '../../../lambdas/data/export/export-places.ts';
import { memoryWaitingStore } from '../../support/memory/waiting-store.ts';

const KEY = 'k';
const PLACES = { exportsPerKey: 4 };

/** Places of many instances, each of which remembers nothing, at a time that the test sets. */
function places() {
  const clock = { at: 1_000_000, now: () => clock.at };
  const store = memoryWaitingStore(clock, PLACE_MS);
  return { clock, take: (keyId = KEY) => createExportPlaces(PLACES, store, clock).take(keyId) };
}

describe('the places of the exports of a key', () => {
  test('are so many at a time, and free again when one ends, and another key has its own', async () => {
    const { take, clock } = places();
    const all = await Promise.all(Array.from({ length: 200 }, () => take()));
    const taken = all.filter((place) => place !== undefined);
    expect(taken).toHaveLength(4);
    expect(await take('another')).toBeDefined();
    clock.at += 100;
    await taken[0]?.leave();
    expect([await take(), await take()].map((place) => place !== undefined)).toEqual([true, false]);
  });

  test('come back by themselves from instances that died', async () => {
    const { take, clock } = places();
    for (let place = 0; place < 4; place += 1) await take();
    clock.at += PLACE_MS / 4 - 1;
    expect(await take()).toBeUndefined();
    clock.at += 1;
    expect(await take()).toBeDefined();
    clock.at += PLACE_MS;
    for (let place = 0; place < 4; place += 1) expect(await take()).toBeDefined();
  });

  test('are never more than twice as many, however they come and go, and so many over a long time', async () => {
    const step = fc.record({ wait: fc.integer({ min: 0, max: PLACE_MS / 2 }), ends: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 120 }), async (steps) => {
        const { take, clock } = places();
        const startedAt = clock.at;
        let busyMs = 0;
        let running: { readonly since: number; leave: () => Promise<void> }[] = [];
        for (const { wait, ends } of steps) {
          clock.at += wait;
          busyMs += running
            .filter(({ since }) => clock.at - since > PLACE_MS)
            .reduce((sum) => sum + PLACE_MS, 0);
          running = running.filter(({ since }) => clock.at - since <= PLACE_MS);
          const [first, ...others] = running;
          if (ends && first !== undefined) {
            await first.leave();
            busyMs += clock.at - first.since;
            running = others;
          }
          const place = await take();
          if (place !== undefined) running.push({ since: clock.at, leave: place.leave });
          expect(running.length).toBeLessThanOrEqual(2 * PLACES.exportsPerKey);
        }
        expect(busyMs).toBeLessThanOrEqual(PLACES.exportsPerKey * (clock.at - startedAt + PLACE_MS));
      }),
    );
  });

  test('that the store does not tell of are granted', async () => {
    const refused = async () => {
      throw new Error('throttled');
    };
    const store = { draw: refused, giveBack: refused };
    const place = await createExportPlaces(PLACES, store, { now: () => 0 }).take(KEY);
    await expect(place?.leave()).resolves.toBeUndefined();
  });
});
