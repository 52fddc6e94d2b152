import type { Hex } from '../indexer/decode/raw-block.ts';

const HEX_PREFIX_LENGTH = 2;

/** Hex digits of an address, an id or a hash, as `decode` of PostgreSQL takes them. */
export function hexDigits(hex: Hex): string {
  return hex.slice(HEX_PREFIX_LENGTH);
}

/** The same of several, as the literal of a PostgreSQL `text[]`. */
export function hexList(values: Iterable<Hex>): string {
  return `{${Array.from(values, hexDigits).join(',')}}`;
}
