/** Length of `0x`. */
export const HEX_PREFIX_LENGTH = 2;
export const ZERO_ADDRESS = `0x${'0'.repeat(40)}` as const;

/** The zero address as SQL: in a transfer it is nobody, as tokens come from it and go to it. */
export const NOBODY = byteaLiteral(ZERO_ADDRESS);

/** Hex digits of bytes, as `decode` of PostgreSQL takes them. */
export function hexDigits(hex: string): string {
  return hex.slice(HEX_PREFIX_LENGTH);
}

/** The same of several, as the literal of a PostgreSQL `text[]`. */
export function hexList(values: Iterable<string>): string {
  return `{${Array.from(values, hexDigits).join(',')}}`;
}

/** Bytes as a literal of a PostgreSQL `bytea`. */
export function byteaLiteral(hex: string): string {
  return `'\\x${hexDigits(hex)}'::bytea`;
}
