/** Length of `0x`. */
const HEX_PREFIX_LENGTH = 2;
export const ZERO_ADDRESS = `0x${'0'.repeat(40)}` as const;
export const ZERO_HASH = `0x${'0'.repeat(64)}` as const;

/** How many bytes a hex string stands for. */
export function byteLength(hex: string): number {
  return (hex.length - HEX_PREFIX_LENGTH) / 2;
}

/** Where the digits of a byte begin in a hex string. */
export function digitsAt(byte: number): number {
  return HEX_PREFIX_LENGTH + byte * 2;
}

/** Hex digits of bytes, as `decode` of PostgreSQL takes them. */
export function hexDigits(hex: string): string {
  return hex.slice(HEX_PREFIX_LENGTH);
}

/** The same of several, as the literal of a PostgreSQL `text[]`. */
export function hexList(values: Iterable<string>): string {
  return `{${Array.from(values, hexDigits).join(',')}}`;
}
