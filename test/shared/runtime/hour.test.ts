/** Hours are those of the calendar. */
import fc from 'fast-check';
import { HOUR_MS, hourOf, hourStartMs } from '../../../lambdas/shared/runtime/clock.ts';

/** Times of a few hours, so that often two that follow each other are of the same one. */
const timeMs = fc
  .tuple(fc.integer({ min: -2, max: 2 }), fc.integer({ min: 0, max: HOUR_MS - 1 }))
  .map(([hour, ms]) => Date.UTC(2026, 11, 31, 23) + hour * HOUR_MS + ms);

test('the hour of a time and the start of an hour are those of the calendar, in any order of times', () => {
  fc.assert(
    fc.property(fc.array(timeMs), (times) => {
      for (const time of times) {
        const hour = new Date(time).toISOString().slice(0, 13);
        expect(hourOf(time)).toBe(hour);
        expect(hourStartMs(hour)).toBe(Date.parse(`${hour}:00:00.000Z`));
      }
    }),
  );
});

test('a time that is none has no hour, and a text that is none has no start', () => {
  expect(() => hourOf(Number.NaN)).toThrow(RangeError);
  expect(hourStartMs('')).toBeNaN();
});
