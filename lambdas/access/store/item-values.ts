import type { Item } from './store.ts';

/** The integer of a stored attribute. Throws a TypeError if it has none. */
export function amountOf(item: Item, attribute: string): bigint {
  const value = item[attribute];
  if (typeof value !== 'bigint')
    throw new TypeError(`attribute ${attribute} of a stored item is not an integer`);
  return value;
}

/** The integer of a stored attribute; 0 if it has none, as an item that was never written. */
export function amountOrZero(item: Item, attribute: string): bigint {
  const value = item[attribute];
  return typeof value === 'bigint' ? value : 0n;
}

/** The text of a stored attribute. Throws a TypeError if it has none. */
export function textOf(item: Item, attribute: string): string {
  const value = item[attribute];
  if (typeof value !== 'string')
    throw new TypeError(`attribute ${attribute} of a stored item is not a string`);
  return value;
}
