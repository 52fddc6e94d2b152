import type { Item, Value } from '../../../lambdas/access/store/store.ts';

const sizes = new WeakMap<Item, number>();

/** Size of an item as DynamoDB counts it, in bytes: names and values in UTF-8, two digits of a number in a byte. */
export function itemSize(item: Item): number {
  const known = sizes.get(item);
  if (known !== undefined) return known;
  const size = Object.entries(item).reduce(
    (sum, [name, value]) => sum + textSize(name) + valueSize(value),
    0,
  );
  sizes.set(item, size);
  return size;
}

/** Bytes of a text in UTF-8. */
export function textSize(text: string): number {
  return Buffer.byteLength(text);
}

/** Digits of a number. */
export function digitsOf(value: bigint): number {
  return value.toString().replace('-', '').length;
}

function valueSize(value: Value): number {
  if (typeof value === 'string') return textSize(value);
  return Math.ceil(digitsOf(value) / 2) + 1 + Number(value < 0n);
}
