import type { FurtherMembers, JsonValue } from '../../chain-data/decode/raw-block.ts';
import type { JsonObject } from './json-shape.ts';

/**
 * Bytes of the further members of a block, a transaction or a receipt that are kept, as PostgreSQL writes them: a row of the
 * Data API has them of a transaction and of its receipt beside 16 KiB of input in hex, and at most 64 KB.
 */
const MAX_BYTES = 12_000;
/** Names that are listed of members that are not kept. */
const MAX_OMITTED = 32;
const MAX_NAME_LENGTH = 64;
/** Lists and objects within each other. */
const MAX_DEPTH = 32;
/** What every name and most values are: kept as they are, without a look at each character. */
const PLAIN = /^[\w.:+-]{0,66}$/;

/** Members that are lists of nothing in most blocks and transactions: as good as absent. */
const USUALLY_EMPTY: ReadonlySet<string> = new Set([
  'uncles',
  'withdrawals',
  'accessList',
  'authorizationList',
  'blobVersionedHashes',
]);

/**
 * The members that have no column of their own, with the values that the node returned, to the letter. Null is as good as absent. One
 * is left out, and named, where PostgreSQL cannot hold it (U+0000, half of a surrogate pair), where its number is none that this
 * program reads exactly, or where the ones before it fill the row.
 * @param known those that are stored elsewhere, or nowhere
 */
export function furtherMembers(object: JsonObject, known: ReadonlySet<string>): FurtherMembers {
  const kept: [string, JsonValue][] = [];
  const omitted: string[] = [];
  let bytes = 0;
  for (const name in object) {
    const value = object[name];
    if (known.has(name) || value === null || value === undefined) continue;
    if (USUALLY_EMPTY.has(name) && Array.isArray(value) && value.length === 0) continue;
    const size = name.length > MAX_NAME_LENGTH || !isText(name) ? undefined : bytesOf(name, value);
    if (size !== undefined && bytes + size <= MAX_BYTES) {
      kept.push([name, value as JsonValue]);
      bytes += size;
    } else if (omitted.length < MAX_OMITTED)
      omitted.push(name.replaceAll('\0', '').toWellFormed().slice(0, MAX_NAME_LENGTH).toWellFormed());
  }
  return { extra: Object.fromEntries(kept), omitted };
}

/** Bytes that a member takes at most; undefined if it cannot be kept. */
function bytesOf(name: string, value: unknown): number | undefined {
  if (typeof value === 'string' && PLAIN.test(value)) return name.length + value.length + MEMBER_BYTES;
  if (!isStorable(value, 0)) return undefined;
  const text = JSON.stringify(value);
  // PostgreSQL writes a blank behind each comma and colon.
  return Buffer.byteLength(name) + Buffer.byteLength(text) + (text.match(BLANKS)?.length ?? 0) + MEMBER_BYTES;
}

/** Quotes, colon, comma and blanks around a name and a value. */
const MEMBER_BYTES = 8;
const BLANKS = /[,:]/g;

function isStorable(value: unknown, depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  if (typeof value === 'string') return isText(value);
  if (typeof value === 'number')
    return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
  if (Array.isArray(value)) return value.every((one) => isStorable(one, depth + 1));
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, one]) => isText(name) && isStorable(one, depth + 1));
}

function isText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
