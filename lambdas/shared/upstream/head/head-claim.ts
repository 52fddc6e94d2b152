/** Blocks that a head may be further than another of the same time. */
export const MAX_LAG_BLOCKS = 8n;
/** No chain makes blocks faster, in blocks a second. */
const MAX_BLOCKS_PER_SECOND = 20;
/** A block whose time is further ahead than this is no sign of a long chain, in milliseconds. */
export const MAX_CLOCK_SKEW_MS = 15 * 60 * 1000;
/** Blocks that can come at once if the newest is shown: a development chain makes hundreds in one second. */
const MAX_SHOWN_JUMP = 1_000n;
/** Block times that a chain can be faster than it was, before its upstreams must agree on it. */
const MAX_SPEED_UP = 4;
const MS_PER_SECOND = 1_000;

/** The newest block of an upstream, as it reported it. */
export interface ReportedBlock {
  readonly number: bigint;
  /** Time of the block in milliseconds since the epoch, if it was shown with its hash and its parent's. */
  readonly timeMs?: number | undefined;
}

/** What an upstream stands by: the newest block that it has reported. */
export interface Claim {
  readonly number: bigint;
  /** When it was reported, in milliseconds since the epoch. */
  readonly at: number;
  /** Time of the block, in milliseconds since the epoch; if it was not shown, as old as the last one that was. */
  readonly timeMs: number;
  readonly shown: boolean;
  /** Whether it was believed beside another, or block time allows it after such a one of the same upstream. */
  readonly proven: boolean;
}

/** What a claim is held against. */
interface HeadEvidence {
  /** The fresh claims of the other upstreams, without those that sync. */
  readonly others: readonly Claim[];
  /** The last head that was believed. */
  readonly head: Claim | undefined;
  /** Time between the chain's blocks, in milliseconds, if it is known. */
  readonly blockMs: number | undefined;
  readonly now: number;
}

/**
 * The claim that a reported block makes.
 * `before`: the last believed claim of the upstream.
 * `blockMs`: time between the chain's blocks in milliseconds, if known.
 */
export function claimOf(
  { number, timeMs }: ReportedBlock,
  before: Claim | undefined,
  now: number,
  blockMs: number | undefined,
): Claim {
  const ageMs = before === undefined ? 0 : before.at - before.timeMs;
  return {
    number,
    at: now,
    timeMs: timeMs ?? now - ageMs,
    shown: timeMs !== undefined,
    proven: before?.proven === true && number <= reachOf(before, now, blockMs),
  };
}

/**
 * Whether a claim is believed: block time must allow it after the newest block of enough other upstreams, so that false
 * claims are believed only where they come from half of all. Of two upstreams, a claim is also allowed after its own past:
 * the one that jumps is wrong. A single upstream must show a block that is as much later as its number says.
 */
export function isBelieved(claim: Claim, { others, head, blockMs, now }: HeadEvidence): boolean {
  if (claim.number > growth(now)) return false;
  if (others.length === 0) {
    return head === undefined || claim.number <= reachOf(head, now, blockMs) || showsItsWay(claim, head, now);
  }
  const witnesses = others.filter((other) => claim.number <= reachOf(other, now, blockMs));
  if (others.length === 1) return witnesses.length > 0 || claim.proven;
  return witnesses.length >= Math.floor((others.length + 1) / 2);
}

/** The highest block that a chain can have by now, if it had that of a claim when that block was made. */
export function reachOf({ number, at, timeMs }: Claim, now: number, blockMs: number | undefined): bigint {
  return number + MAX_LAG_BLOCKS + growth(now - Math.min(timeMs, at), blockMs);
}

function showsItsWay({ number, timeMs, shown }: Claim, head: Claim, now: number): boolean {
  if (!shown || timeMs > now + MAX_CLOCK_SKEW_MS) return false;
  return number <= head.number + MAX_SHOWN_JUMP + growth(timeMs - head.timeMs);
}

/** Most blocks that a chain makes in a time. */
function growth(ms: number, blockMs = 0): bigint {
  const fastestMs = Math.max(MS_PER_SECOND / MAX_BLOCKS_PER_SECOND, blockMs / MAX_SPEED_UP);
  return BigInt(Math.floor(Math.max(0, ms) / fastestMs));
}
