import fc from 'fast-check';
import { latestValue } from '../../../../local/dashboard/page/format.ts';

const times = [100, 110, 120, 130, 140];

test.each([
  ['the last point', [1, 2, 3, 4, 5], 10, { value: 5, atSeconds: 140, isFresh: true }],
  ['zero is a value', [1, null, null, null, 0], 10, { value: 0, atSeconds: 140, isFresh: true }],
  ['three periods ago', [1, 2, null, null, null], 10, { value: 2, atSeconds: 110, isFresh: true }],
  ['longer ago', [1, null, null, null, null], 10, { value: 1, atSeconds: 100, isFresh: false }],
  ['an hour is no long time for hours', [1, null, null, null, null], 3_600, { isFresh: true }],
])('%s', (_, values, periodSeconds, latest) =>
  expect(latestValue({ values, periodSeconds }, times)).toMatchObject(latest),
);

test('a line without a value, or without points, has none', () => {
  expect(latestValue({ values: [null, null], periodSeconds: 10 }, [100, 110])).toBeUndefined();
  expect(latestValue({ values: [], periodSeconds: 10 }, times)).toBeUndefined();
  expect(latestValue({ values: [], periodSeconds: 10 }, [])).toBeUndefined();
});

test('what is fresh stays so with a longer period, and no later value is passed over', () => {
  const line = fc.array(fc.option(fc.integer({ min: 0, max: 9 })), { maxLength: 30 });
  fc.assert(
    fc.property(line, fc.integer({ min: 1, max: 40 }), (values, periodSeconds) => {
      const at = values.map((_, index) => 1_000 + index * 10);
      const latest = latestValue({ values, periodSeconds }, at);
      const left = values.filter((_, index) => (at[index] ?? 0) > (latest?.atSeconds ?? 0));
      expect(left.filter((value) => value !== null)).toEqual([]);
      if (latest?.isFresh === true)
        expect(latestValue({ values, periodSeconds: periodSeconds + 1 }, at)?.isFresh).toBe(true);
    }),
  );
});
