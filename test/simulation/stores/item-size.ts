import type { Item, Value } from '../../../lambdas/access/store/store.ts';

/** Sizes of the names of attributes, which are few. */
const nameSizes = new Map<string, number>();

/** Size of an item as DynamoDB counts it, in bytes: names and values in UTF-8, two digits of a number in a byte. */
export function itemSize(item: Item): number {
  let size = 0;
  for (const name of Object.keys(item)) size += nameSize(name) + valueSize(item[name] ?? '');
  return size;
}

function nameSize(name: string): number {
  const known = nameSizes.get(name);
  if (known !== undefined) return known;
  const size = textSize(name);
  nameSizes.set(name, size);
  return size;
}

/** Bytes of a text in UTF-8. */
export function textSize(text: string): number {
  return Buffer.byteLength(text);
}

/** Digits of a number. */
function digitsOf(value: bigint): number {
  return value.toString().length - Number(value < 0n);
}

function valueSize(value: Value): number {
  if (typeof value === 'string') return textSize(value);
  return Math.ceil(digitsOf(value) / 2) + 1 + Number(value < 0n);
}
