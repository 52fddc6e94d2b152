import fc from 'fast-check';
import {
  add,
  compare,
  decimal,
  formatDecimal,
  multiply,
  parseDecimal,
  ratio,
  shift,
} from '../../lambdas/rollups/prices/decimal.ts';

const DIGITS = 30;
const digits = fc.bigInt({ min: -(10n ** 29n), max: 10n ** 29n });
const exponent = fc.integer({ min: -60, max: 40 });
const number = fc.tuple(digits, exponent).map(([value, places]) => decimal(value, places));
const amount = fc.bigInt({ min: 1n, max: 2n ** 256n });

test.each([
  [decimal(0n, -5), '0'],
  [decimal(1_500n, -3), '1.5'],
  [decimal(-5n, -4), '-0.0005'],
  [decimal(12n, 3), '12000'],
  [ratio(1n, 3n), `0.${'3'.repeat(DIGITS)}`],
  [ratio(2n, 3n * 10n ** 40n), `0.${'0'.repeat(40)}${'6'.repeat(DIGITS)}`],
  [ratio(10n ** 40n, 4n), `25${'0'.repeat(38)}`],
  [decimal(10n ** 31n + 9n), `1${'0'.repeat(31)}`],
])('%j is written %s', (value, text) => {
  expect(formatDecimal(value)).toBe(text);
});

test('equal numbers are equal, and survive being written and read', () => {
  fc.assert(
    fc.property(number, fc.nat(20), (value, zeros) => {
      expect(parseDecimal(formatDecimal(value))).toEqual(value);
      expect(decimal(value.digits * 10n ** BigInt(zeros), value.exponent - zeros)).toEqual(value);
      expect(shift(shift(value, zeros), -zeros)).toEqual(value);
    }),
  );
});

test('a quotient has thirty digits of the true one and is not more', () => {
  fc.assert(
    fc.property(amount, amount, (numerator, denominator) => {
      const { digits: found, exponent: places } = ratio(numerator, denominator);
      const scale = 10n ** 200n;
      const value =
        ((found * scale) / 10n ** BigInt(-Math.min(places, 0))) * 10n ** BigInt(Math.max(places, 0));
      const exact = (numerator * scale) / denominator;
      expect(value <= exact).toBe(true);
      expect((exact - value) * 10n ** BigInt(DIGITS - 1) <= exact + 10n ** BigInt(DIGITS)).toBe(true);
    }),
  );
});

test('sums, products and order are those of integers', () => {
  const small = fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n });
  fc.assert(
    fc.property(small, small, fc.integer({ min: -20, max: 20 }), (one, other, places) => {
      const [first, second] = [decimal(one, places), decimal(other, places)];
      expect(add(first, second)).toEqual(decimal(one + other, places));
      expect(multiply(first, second)).toEqual(decimal(one * other, 2 * places));
      expect(Math.sign(compare(first, second))).toBe(one < other ? -1 : Number(one > other));
    }),
  );
});

test.each(['', '.5', '1.', '1e5', '0x1', ' 1', '--1'])('%j is no number', (text) => {
  expect(() => parseDecimal(text)).toThrow(TypeError);
});
