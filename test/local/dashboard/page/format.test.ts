import { formatAge, formatSeconds, formatValue } from '../../../../local/dashboard/page/format.ts';

test.each([
  [0, '0'],
  [12, '12'],
  [6_862, '6,862'],
  [2.3456, '2.35'],
  [0.00534, '0.00534'],
  [0.00000035, '0.00000035'],
  [12_345_678, '12M'],
])('the figure %d is %s', (value, text) => expect(formatValue(value)).toBe(text));

test.each([
  [10, '10 s'],
  [60, '1 min'],
  [90, '90 s'],
  [3_600, '1 h'],
])('a period of %d s is %s', (seconds, text) => expect(formatSeconds(seconds)).toBe(text));

test.each([
  [0, '0 s'],
  [-5, '0 s'],
  [59_400, '59 s'],
  [61_000, '1 min'],
  [7_300_000, '2 h'],
])('an age of %d ms is %s', (age, text) => expect(formatAge(age)).toBe(text));
