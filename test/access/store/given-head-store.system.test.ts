import { createGivenHeadStore } from '../../../lambdas/access/store/given-head-store.ts';
import type { GivenHeadStore } from '../../../lambdas/shared/upstream/sharing/given-head.ts';
import { openOnCacheTable } from '../../emulators/cache-table.ts';
import { EMULATORS } from '../../emulators/emulators.ts';
import type { Emulator } from '../../emulators/server-process.ts';

const AT = 1_800_000_000_000;
const given = (sequence: number, number: bigint, by = 'primary') => ({ sequence, number, by, at: AT });

describe.each(EMULATORS)('on $name', ({ start }) => {
  let emulator: Emulator;
  let store: GivenHeadStore;

  beforeAll(async () => {
    emulator = await start();
    store = await openOnCacheTable(emulator, createGivenHeadStore);
  });
  afterAll(() => emulator.close());

  test('a key that was given no head has none, and each key and chain has its own', async () => {
    expect(await store.read('one', 'a')).toBeUndefined();
    expect(await store.raise('one', 'a', given(0, 5n))).toEqual(given(0, 5n));
    expect(await store.read('one', 'a')).toEqual(given(0, 5n));
    expect(await store.read('one', 'b')).toBeUndefined();
    expect(await store.read('other', 'a')).toBeUndefined();
  });

  test('a higher one takes its place; a lower one does not, and is told what does', async () => {
    const first = given(0, 100n);
    await store.raise('two', 'a', first);
    expect(await store.raise('two', 'a', given(0, 99n), first)).toEqual(first);
    expect(await store.raise('two', 'a', given(0, 100n, 'second'), first)).toEqual(first);
    expect(await store.raise('two', 'a', given(0, 101n), first)).toEqual(given(0, 101n));
    expect(await store.raise('two', 'a', given(0, 2n ** 70n), first)).toEqual(given(0, 2n ** 70n));
  });

  test('a new sequence takes the place of what was read, and of nothing that came meanwhile', async () => {
    const read = given(0, 100n);
    await store.raise('three', 'a', read);
    await store.raise('three', 'a', given(0, 101n), read);
    expect(await store.raise('three', 'a', given(1, 90n), read)).toEqual(given(0, 101n));
    expect(await store.raise('three', 'a', given(1, 90n), given(0, 101n))).toEqual(given(1, 90n));
    // Of the sequence before, nothing is taken any more.
    expect(await store.raise('three', 'a', given(0, 200n), given(0, 101n))).toEqual(given(1, 90n));
  });

  test('of many at once the highest stands', async () => {
    const numbers = Array.from({ length: 20 }, (_, index) => BigInt((index * 7) % 20));
    await Promise.all(numbers.map((number) => store.raise('four', 'a', given(0, number))));
    expect(await store.read('four', 'a')).toEqual(given(0, 19n));
  });
});
