import { createHash } from 'node:crypto';

const LEAF =
  /^(0|[1-9]\d{0,2}) ([A-Za-z0-9_-]{1,64}) (0|[1-9]\d{0,15}) (0|[1-9]\d{0,15}) ([A-Za-z0-9_-]{43})$/;

/** What a record says that one lane had come to. */
export interface LaneLeaf {
  readonly shard: number;
  readonly lane: string;
  /** Charges in it. */
  readonly n: number;
  /** Compute units. */
  readonly total: number;
  /** SHA-256 of its usage text, in base64url. */
  readonly usage: string;
}

/** Hash of a usage text, as a leaf has it. */
export function usageHash(used: string): string {
  return createHash('sha256').update(used).digest('base64url');
}

/** A leaf as text, which is what is hashed: shard, lane, charges, compute units and usage, a space between them. */
export function laneLeafText({ shard, lane, n, total, usage }: LaneLeaf): string {
  return `${shard} ${lane} ${n} ${total} ${usage}`;
}

/** Reads a leaf; undefined: invalid. */
export function parseLaneLeaf(text: string): LaneLeaf | undefined {
  const [, shard, lane = '', n, total, usage = ''] = LEAF.exec(text) ?? [];
  if (shard === undefined) return undefined;
  const leaf = { shard: Number(shard), lane, n: Number(n), total: Number(total), usage };
  return laneLeafText(leaf) === text ? leaf : undefined;
}
