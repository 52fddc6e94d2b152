import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { LaneSink, SummedLanes } from '../access/accounts/lane-hours.ts';
import { accountShard, hourLane } from '../access/charge/lane.ts';
import { ALL, addUsage, decodeUsage, sumUsage, usageCu } from '../access/charge/usage-text.ts';
import type { MethodUsage } from '../access/contract/metering.ts';
import { amountOf, textOf } from '../access/store/item-values.ts';
import type { Item } from '../access/store/store.ts';
import type { ObjectStore } from '../shared/aws/object-store.ts';
import { type LaneLeaf, laneLeafText, parseLaneLeaf, usageHash } from '../shared/bill/lane-leaf.ts';
import { leafHash, TreeRoot } from '../shared/bill/merkle-tree.ts';

/** Stands between the statement of a record and its usage. */
const FIELD_END = '\t';
/** Stands after the statement and after each leaf. */
const LINE_END = '\n';
/**
 * Compressed leaves are mostly hashes: more work than this saves nothing. Most parts are some hundred bytes, for which the
 * usual window takes longer to be made ready than to be used.
 */
const COMPRESSION = { level: 1, windowBits: 12, memLevel: 5 };
/** Most bytes that a part is unpacked to: 100,000 leaves of 100 bytes, and a record. */
const MAX_PART_BYTES = 16 * 1024 * 1024;
/** Length of leaves that wait to be compressed together: some 200 of them. */
const MAX_WAITING = 16 * 1024;

/** What the lanes of one hour of an account have come to, with their leaves. */
export type HourLeaves = ReturnType<typeof hourLeaves>;

/** The sum of an hour, with its leaves. What is not needed of every hour is worked out when it is asked for. */
export function hourLeaves(account: string, { sinks, ...sum }: SummedLanes<ShardLeaves>) {
  function* texts(): Generator<string> {
    for (const leaves of sinks) yield* leaves.texts();
  }
  return {
    ...sum,
    /** SHA-256 over what each lane has come to: {@link laneDigest}. */
    digest: () => laneDigest(account, sum.hour, Array.from(texts(), readLeaf)),
    /** What the lanes were charged for: adds up to `cu`. Throws an Error if that of one cannot be read. */
    usage: (): readonly MethodUsage[] => sumUsage(sinks.flatMap((leaves) => leaves.usage())),
    /** Root of the RFC 9162 tree over the leaves, in the order of shard and lane; hex. */
    root(): string {
      const tree = new TreeRoot();
      for (const text of texts()) tree.add(leafHash(text));
      return tree.root().toString('hex');
    },
    /** The leaves as they are kept, shard by shard. */
    bytes: () => sinks.map((leaves) => leaves.bytes()),
  };
}

/**
 * The leaves of one shard in one hour. Of a lane its leaf is kept, and what it paid for is added up. Many leaves are kept
 * compressed, some 50 bytes each: a lane as it is stored has up to a kibibyte.
 */
export class ShardLeaves implements LaneSink {
  readonly shard: number;
  readonly #hour: string;
  readonly #usage = new Map<string, MethodUsage>();
  readonly #packed: Buffer[] = [];
  #waiting: string[] = [];
  #waitingLength = 0;
  #failure: unknown;

  constructor(shard: number, hour: string) {
    this.shard = shard;
    this.#hour = hour;
  }

  add(lane: Item): void {
    const text = laneLeafText(leafOf(lane, this.#hour));
    this.#waiting.push(text);
    this.#waitingLength += text.length + LINE_END.length;
    this.#addUsage(lane);
    if (this.#waitingLength < MAX_WAITING) return;
    this.#packed.push(gzipSync(this.#waitingText(), COMPRESSION));
    this.#waiting = [];
    this.#waitingLength = 0;
  }

  /** What the lanes were charged for. Throws an Error if that of one cannot be read. */
  usage(): readonly MethodUsage[] {
    if (this.#failure !== undefined) throw this.#failure;
    return [...this.#usage.values()];
  }

  /** The leaves as texts, by the names of the lanes. */
  *texts(): Generator<string> {
    for (const packed of this.#packed) yield* gunzipSync(packed).toString('latin1').trimEnd().split(LINE_END);
    yield* this.#waiting;
  }

  /** The same as bytes: members of gzip, and the text that is not compressed yet. */
  bytes(): { readonly packed: readonly Buffer[]; readonly waiting: string } {
    return { packed: this.#packed, waiting: this.#waitingText() };
  }

  /** Usage of a code that this release does not know matters only if the hour has something new. */
  #addUsage(lane: Item): void {
    try {
      for (const line of laneUsage([lane])) addUsage(this.#usage, line);
    } catch (error) {
      this.#failure ??= error;
    }
  }

  #waitingText(): string {
    return this.#waiting.map((text) => text + LINE_END).join('');
  }
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
  const [statement = '', used = ''] = first.split(FIELD_END);
  return { statement, used, leaves: lines.map(readLeaf) };
}

/** Where a part is kept: the key of the object, its first byte in it, and the number of its bytes. */
export function frozenText(object: string, from: number, bytes: number): string {
  return `${object} ${from} ${bytes}`;
}

/** The part that such a text names; undefined: it is gone. */
export function readFrozen(evidence: Pick<ObjectStore, 'get'>, frozen: string): Promise<Buffer | undefined> {
  const [object = '', from, bytes] = frozen.split(' ');
  return evidence.get(object, { from: Number(from), bytes: Number(bytes) });
}

/** Throws an Error for a text that is no leaf. */
function readLeaf(text: string): LaneLeaf {
  const leaf = parseLaneLeaf(text);
  if (leaf === undefined) throw new Error('a frozen leaf is damaged');
  return leaf;
}

/** SHA-256, in hex, over what each lane has come to, by the order of these texts: the same lanes have the same digest. */
export function laneDigest(account: string, hour: string, leaves: Iterable<LaneLeaf>): string {
  const lines = Array.from(
    leaves,
    ({ shard, lane, total }) => `${accountShard(account, shard)} ${hourLane(hour, lane)} ${total}\n`,
  );
  return createHash('sha256').update(lines.sort().join('')).digest('hex');
}

/** What the lanes were charged for; it adds up to their totals. */
export function laneUsage(lanes: readonly Item[]): MethodUsage[] {
  return lanes.flatMap((lane) => {
    const cu = Number(amountOf(lane, 'total'));
    const usage = decodeUsage(String(lane.used ?? ''));
    if (usage !== undefined && usageCu(usage) === cu) return usage;
    return [{ chain: ALL, method: ALL, calls: 0, cu, cached: 0, errors: 0 }];
  });
}
