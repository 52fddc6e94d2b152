/** A memory holds no more than its bound, and nothing longer than its time. */
import fc from 'fast-check';
import { ExpiringMemory } from '../../../lambdas/shared/runtime/expiring-memory.ts';

const ENTRY_OVERHEAD_BYTES = 512;

const FAR_MS = Number.MAX_SAFE_INTEGER;
const ENTRY = ENTRY_OVERHEAD_BYTES;

test('forgets the entry that was not used for longest', () => {
  const memory = new ExpiringMemory<number>(10 * ENTRY, { now: () => 0 });
  for (let key = 0; key < 10; key++) memory.set(String(key), key, 0, FAR_MS);
  expect(memory.get('0')).toBe(0);
  memory.set('10', 10, 0, FAR_MS);
  expect([memory.get('0'), memory.get('1'), memory.get('2')]).toEqual([0, undefined, 2]);
});

test('an entry ends at its time', () => {
  let now = 0;
  const memory = new ExpiringMemory<string>(100 * ENTRY, { now: () => now });
  memory.set('key', 'value', 5, 1_000);
  now = 999;
  expect(memory.get('key')).toBe('value');
  now = 1_000;
  expect(memory.get('key')).toBeUndefined();
  expect(memory.bytes).toBe(0);
});

test('does not take what would push out too much, and then drops the old value as well', () => {
  const memory = new ExpiringMemory<string>(80 * ENTRY, { now: () => 0 });
  memory.set('key', 'old', 3, FAR_MS);
  memory.set('key', 'new', 10 * ENTRY, FAR_MS);
  expect(memory.get('key')).toBeUndefined();
  expect(memory.bytes).toBe(0);
});

test('never takes more than its bound, and counts exactly what it holds', () => {
  const step = fc.record({
    key: fc.nat(20).map(String),
    bytes: fc.nat(3_000),
    lifeMs: fc.nat(20),
    read: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      let now = 0;
      const memory = new ExpiringMemory<number>(20_000, { now: () => now });
      for (const { key, bytes, lifeMs, read } of steps) {
        now += 1;
        if (read) memory.get(key);
        else memory.set(key, bytes, bytes, now + lifeMs);
        expect(memory.bytes).toBeLessThanOrEqual(20_000);
      }
      const held = Array.from({ length: 21 }, (_, key) => memory.get(String(key)) ?? -ENTRY);
      expect(memory.bytes).toBe(held.reduce((sum, bytes) => sum + bytes + ENTRY, 0));
    }),
  );
});
