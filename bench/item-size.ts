import type { Item, Value } from '../lambdas/access/store.ts';

/** Bytes of an item that one write unit pays for. */
export const WRITE_UNIT_BYTES = 1_024;

/** Size of an item as DynamoDB counts it: names and texts in UTF-8, two digits of a number a byte and one more. */
export function sizeOf(item: Item): number {
  return Object.entries(item).reduce(
    (bytes, [name, value]) => bytes + Buffer.byteLength(name) + sizeOfValue(value),
    0,
  );
}

function sizeOfValue(value: Value): number {
  if (typeof value !== 'bigint') return Buffer.byteLength(String(value));
  const digits = String(value).replace(/^-/, '').replace(/0+$/, '');
  return Math.ceil(digits.length / 2) + 1;
}
