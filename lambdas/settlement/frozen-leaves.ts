import { gunzipSync, gzipSync } from 'node:zlib';
import { hourLane } from '../access/charge/lane.ts';
import { amountOf, textOf } from '../access/store/item-values.ts';
import type { Item } from '../access/store/store.ts';
import { type LaneLeaf, parseLaneLeaf, usageHash } from '../shared/bill/lane-leaf.ts';

/** Stands between the statement of a record and its usage. */
const FIELD_END = '\t';
/** Stands after the statement and after each leaf. */
export const LINE_END = '\n';
/**
 * Compressed leaves are mostly hashes: more work than this saves nothing. Most parts are some hundred bytes, for which the
 * usual window takes longer to be made ready than to be used.
 */
export const COMPRESSION = { level: 1, windowBits: 12, memLevel: 5 };
/** Most bytes that a part is unpacked to: 100,000 leaves of 100 bytes, and a record. */
const MAX_PART_BYTES = 16 * 1024 * 1024;

/** Where the leaves of a record are kept. */
export interface FrozenPlace {
  /** Key of the object. */
  readonly object: string;
  /** First byte, and number of bytes. */
  readonly from: number;
  readonly bytes: number;
}

/** What is kept of a record. */
export interface FrozenPart {
  readonly statement: string;
  /** Usage by chain and method, of which the statement has a hash. */
  readonly used: string;
  readonly leaves: readonly LaneLeaf[];
}

/** The leaf of a stored lane of an hour. */
export function leafOf(lane: Item, hour: string): LaneLeaf {
  const shard = textOf(lane, 'account_shard');
  return {
    shard: Number(shard.slice(shard.lastIndexOf('#') + 1)),
    lane: textOf(lane, 'hour_lane').slice(hourLane(hour, '').length),
    n: Number(amountOf(lane, 'n')),
    total: Number(amountOf(lane, 'total')),
    usage: usageHash(String(lane.used ?? '')),
  };
}

/**
 * What is kept of a record: a line with its statement and its usage, and its leaves, a line each, compressed by itself.
 * Leaves that are compressed already stay so: a file of gzip may have several members.
 */
export function packPart(
  { statement, used }: Pick<FrozenPart, 'statement' | 'used'>,
  leaves: readonly { readonly packed: readonly Buffer[]; readonly waiting: string }[],
): Buffer {
  const members: Buffer[] = [];
  let text = statement + FIELD_END + used + LINE_END;
  for (const { packed, waiting } of leaves) {
    if (packed.length > 0 && text !== '') {
      members.push(gzipSync(text, COMPRESSION));
      text = '';
    }
    members.push(...packed);
    text += waiting;
  }
  const last = text === '' ? [] : [gzipSync(text, COMPRESSION)];
  return Buffer.concat([...members, ...last]);
}

/** Reads what {@link packPart} has packed. Throws an Error if it is damaged. */
export function unpackPart(part: Uint8Array): FrozenPart {
  const text = gunzipSync(part, { maxOutputLength: MAX_PART_BYTES }).toString('latin1');
  const [first = '', ...lines] = text.split(LINE_END);
  if (lines.pop() !== '') throw new Error('the frozen leaves of a record are cut off');
  const leaves = lines.map((line) => {
    const leaf = parseLaneLeaf(line);
    if (leaf === undefined) throw new Error('a frozen leaf is damaged');
    return leaf;
  });
  const [statement = '', used = ''] = first.split(FIELD_END);
  return { statement, used, leaves };
}
