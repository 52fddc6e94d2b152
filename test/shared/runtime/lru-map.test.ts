/** The entries that were used last are kept. */
import fc from 'fast-check';
import { LruMap } from '../../../lambdas/shared/runtime/expiring-memory.ts';

const KEYS = ['a', 'b', 'c', 'd', 'e'];
const CAPACITY = 3;

const step = fc.record({ what: fc.constantFrom('get', 'set', 'delete'), key: fc.constantFrom(...KEYS) });

test('the entries that were used last are there, and no others', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const map = new LruMap<number>(CAPACITY);
      let used: [string, number][] = [];
      for (const [place, { what, key }] of steps.entries()) {
        const known = used.find(([name]) => name === key);
        const others = used.filter(([name]) => name !== key);
        if (what === 'get') expect(map.get(key)).toBe(known?.[1]);
        if (what === 'get' && known !== undefined) used = [...others, known];
        if (what === 'set') map.set(key, place);
        if (what === 'set') used = [...others, [key, place] as [string, number]].slice(-CAPACITY);
        if (what === 'delete') map.delete(key);
        if (what === 'delete') used = others;
        expect(map.size).toBe(used.length);
      }
      for (const [key, value] of used) expect(map.get(key)).toBe(value);
    }),
    { numRuns: 500 },
  );
});
