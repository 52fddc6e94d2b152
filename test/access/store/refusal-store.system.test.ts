import type { RefusalStore } from '../../../lambdas/access/contract/refusals.ts';
import { createRefusalStore } from '../../../lambdas/access/store/refusal-store.ts';
import { openOnCacheTable } from '../../emulators/cache-table.ts';
import { EMULATORS } from '../../emulators/emulators.ts';
import type { Emulator } from '../../emulators/server-process.ts';

/** Within an hour. */
const AT = Date.UTC(2026, 10, 20, 9, 30);
const HOUR_MS = 3_600_000;

describe.each(EMULATORS)('on $name', ({ start }) => {
  let emulator: Emulator;
  let store: RefusalStore;

  beforeAll(async () => {
    emulator = await start();
    store = await openOnCacheTable(emulator, createRefusalStore);
  });
  afterAll(() => emulator.close());

  test('counts of many instances add up, of the hour and the 23 before it, and of each key alone', async () => {
    const last = { reason: 'method', address: '192.0.2.0/24', at: AT } as const;
    for (const hoursAgo of [0, 0, 23, 24])
      await store.add('one', {
        counts: { method: 2, day: 1 },
        last: { ...last, at: AT - hoursAgo * HOUR_MS },
      });
    expect(await store.read('one', AT)).toEqual({ counts: { method: 6, day: 3 }, last });
    expect(await store.read('other', AT)).toEqual({ counts: {} });
  });

  test('the last refusal is the latest, in whatever order instances write theirs', async () => {
    const latest = { reason: 'api', address: '198.51.100.0/24', at: AT } as const;
    // An instance writes what it did not write at once a minute later.
    const earlier = { reason: 'operation', address: '192.0.2.0/24', at: AT - 1 } as const;
    await store.add('two', { counts: { api: 2 }, last: latest });
    await store.add('two', { counts: { operation: 1, api: 1 }, last: earlier });
    expect(await store.read('two', AT)).toEqual({ counts: { api: 3, operation: 1 }, last: latest });
    const newest = { ...earlier, at: AT + 1 };
    await store.add('two', { counts: { operation: 1 }, last: newest });
    expect(await store.read('two', AT)).toEqual({ counts: { api: 3, operation: 2 }, last: newest });
  });
});
