import { gunzipSync, gzipSync } from 'node:zlib';
import { amountOf, textOf } from '../access/store/item-values.ts';
import type { Item, Put } from '../access/store/store.ts';
import type { FrozenPlace } from './frozen-leaves.ts';

/** Partitions of the table of the work list that hold what no head has yet; no slots of it. */
export const UNSEALED_SLOTS: readonly string[] = Array.from(
  '0123456789abcdef',
  (digit) => `unsealed-${digit}`,
);

/** First part of the keys of objects that tell which records are below a head. */
export const SEALED_PREFIX = 'sealed/';
/** Most bytes that such an object is unpacked to: 131,072 records of 500 bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

/** A record that a head names by its hash, or that waits for one: what finds it again. */
export interface SealedRecord {
  /** Hash of its statement, in hex. */
  readonly hash: string;
  readonly account: string;
  /** Among the records of the account. */
  readonly number: number;
  /** Where its leaves are kept. Absent: they could not be. */
  readonly frozen?: FrozenPlace;
}

/** Key of the object that tells which records are below the head with a root. It is private: the head tells hashes alone. */
export function sealedKey(root: string): string {
  return SEALED_PREFIX + root;
}

/** What is kept of the records below a head. */
export function packSealed(records: readonly SealedRecord[]): Buffer {
  return gzipSync(JSON.stringify(records));
}

/** Reads what {@link packSealed} has packed. Throws an Error if it is damaged. */
export function unpackSealed(bytes: Uint8Array): readonly SealedRecord[] {
  return JSON.parse(gunzipSync(bytes, { maxOutputLength: MAX_BYTES }).toString('utf8'));
}

/** Puts a record on the list of those that no signed head has yet. `nowMs`: when it was settled. */
export function unsealedPut({ hash, account, number, frozen }: SealedRecord, nowMs: number): Put {
  const slot = UNSEALED_SLOTS[Number.parseInt(hash.slice(0, 1), 16)] ?? '';
  const named = { account, number: BigInt(number), ...(frozen && storedPlace(frozen)) };
  return {
    table: 'unsettled',
    item: { slot, entry: hash, mark: String(nowMs), ...named },
    when: [],
  };
}

/** Reads an item of that list. Throws a TypeError if an attribute is missing. */
export function unsealedRecord(item: Item): SealedRecord {
  return {
    hash: textOf(item, 'entry'),
    account: textOf(item, 'account'),
    number: Number(amountOf(item, 'number')),
    ...placeOf(item),
  };
}

/** The attributes of an item that say where leaves are kept. */
export function storedPlace({ object, from, bytes }: FrozenPlace): Item {
  return { frozen_object: object, frozen_from: BigInt(from), frozen_bytes: BigInt(bytes) };
}

/** What they say, if the item has them. */
export function placeOf(item: Item): { readonly frozen?: FrozenPlace } {
  if (!('frozen_object' in item)) return {};
  return {
    frozen: {
      object: textOf(item, 'frozen_object'),
      from: Number(amountOf(item, 'frozen_from')),
      bytes: Number(amountOf(item, 'frozen_bytes')),
    },
  };
}
