/** Digits that a price or a value is cut to; what is exact with fewer stays exact. */
const SIGNIFICANT_DIGITS = 30;
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/**
 * The number `digits * 10^exponent`, cut to 30 significant digits and without zeros at the end: equal numbers
 * look equal.
 */
export interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

export const ZERO: Decimal = { digits: 0n, exponent: 0 };

/** The number `digits * 10^exponent`, rounded towards zero if it has too many digits. */
export function decimal(digits: bigint, exponent = 0): Decimal {
  if (digits === 0n) return ZERO;
  const surplus = Math.max(0, lengthOf(digits) - SIGNIFICANT_DIGITS);
  let significant = digits / 10n ** BigInt(surplus);
  let zeros = 0;
  while (significant % 10n === 0n) {
    significant /= 10n;
    zeros += 1;
  }
  return { digits: significant, exponent: exponent + surplus + zeros };
}

/** A quotient, rounded towards zero. `denominator`: not 0. */
export function ratio(numerator: bigint, denominator: bigint): Decimal {
  const scale = Math.max(0, SIGNIFICANT_DIGITS + lengthOf(denominator) - lengthOf(numerator));
  return decimal((numerator * 10n ** BigInt(scale)) / denominator, -scale);
}

export function multiply(one: Decimal, other: Decimal): Decimal {
  return decimal(one.digits * other.digits, one.exponent + other.exponent);
}

export function add(one: Decimal, other: Decimal): Decimal {
  const exponent = Math.min(one.exponent, other.exponent);
  return decimal(digitsAt(one, exponent) + digitsAt(other, exponent), exponent);
}

/** Times a power of ten. */
export function shift({ digits, exponent }: Decimal, places: number): Decimal {
  return decimal(digits, exponent + places);
}

/** Negative if the first is less, positive if it is more. */
export function compare(one: Decimal, other: Decimal): number {
  const exponent = Math.min(one.exponent, other.exponent);
  const difference = digitsAt(one, exponent) - digitsAt(other, exponent);
  return difference < 0n ? -1 : Number(difference > 0n);
}

/**
 * Reads a number such as `-12.5`.
 * @throws TypeError if it is none
 */
export function parseDecimal(text: string): Decimal {
  const [, sign, whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) throw new TypeError('not a decimal number');
  return decimal(BigInt(`${sign}${whole}${fraction}`), -fraction.length);
}

/** All digits, without an exponent. */
export function formatDecimal({ digits, exponent }: Decimal): string {
  if (exponent >= 0) return (digits * 10n ** BigInt(exponent)).toString();
  const sign = digits < 0n ? '-' : '';
  const text = (digits < 0n ? -digits : digits).toString().padStart(1 - exponent, '0');
  return `${sign}${text.slice(0, exponent)}.${text.slice(exponent)}`;
}

function digitsAt({ digits, exponent }: Decimal, lower: number): bigint {
  return digits * 10n ** BigInt(exponent - lower);
}

function lengthOf(digits: bigint): number {
  return (digits < 0n ? -digits : digits).toString().length;
}
