import { createSharedTextStore } from '../../../lambdas/access/store/shared-text-store.ts';
import type { SharedText, SharedTextStore } from '../../../lambdas/shared/upstream/sharing/shared-text.ts';
import { openOnCacheTable } from '../../emulators/cache-table.ts';
import { EMULATORS } from '../../emulators/emulators.ts';
import type { Emulator } from '../../emulators/server-process.ts';

const view = (sequence: number, number: bigint): SharedText => ({
  sequence,
  toldAt: 1_800_000_000_000,
  text: `[["primary","${number}"]]`,
});

describe.each(EMULATORS)('on $name', ({ start }) => {
  let emulator: Emulator;
  let store: SharedTextStore;

  beforeAll(async () => {
    emulator = await start();
    store = await openOnCacheTable(emulator, createSharedTextStore);
  });
  afterAll(() => emulator.close());

  test('a view takes the place of just the one that was read, and each chain has its own', async () => {
    expect(await store.read('a')).toBeUndefined();
    expect(await store.write('a', view(1, 5n), undefined)).toBe(true);
    expect(await store.write('a', view(1, 6n), undefined)).toBe(false);
    expect(await store.read('a')).toEqual(view(1, 5n));
    expect(await store.write('a', view(2, 7n), view(1, 5n))).toBe(true);
    expect(await store.write('a', view(2, 8n), view(1, 5n))).toBe(false);
    expect(await store.read('a', { isNow: true })).toEqual(view(2, 7n));
    expect(await store.read('b')).toBeUndefined();
  });

  test('of many instances that ask at once one writes', async () => {
    const told = await Promise.all(
      Array.from({ length: 20 }, (_, index) => store.write('c', view(1, BigInt(index)), undefined)),
    );
    expect(told.filter((isTold) => isTold)).toHaveLength(1);
  });
});
