import {
  type Claim,
  claimOf,
  isBelieved,
  MAX_LAG_BLOCKS,
  type ReportedBlock,
  reachOf,
} from './head-claim.ts';

/**
 * How often in a row an upstream must report less before it is believed: one URL can have several nodes behind it, one
 * of them lagging.
 */
export const REPORTS_OF_A_DROP = 3;
/** How long a head stands while its upstream is silent, in block times, and bounds of that in milliseconds. */
const STAND_BLOCKS = 3;
export const MIN_STAND_MS = 10_000;
const MAX_STAND_MS = 60_000;
/** A block is no sign that its upstream is late while it is younger than this, in milliseconds: clocks differ. */
const MIN_LATE_MS = 3_000;
/** How long an upstream that went back and forth is taken for several nodes behind one URL, in milliseconds. */
const POOL_MEMORY_MS = 60_000;
/** Longest time between two tellings in which it counts that an upstream is silent, in milliseconds. */
const MAX_SILENCE_MS = 2_000;
/** How long what an upstream has reported counts for finality, in milliseconds. */
const FINALITY_MEMORY_MS = 60_000;
/** Most that the clocks of two instances differ by, in milliseconds. */
export const MAX_SKEW_MS = 5_000;
/** Claims of so short a time are of the same head, in milliseconds: too few blocks come meanwhile to count. */
const SAME_TIME_MS = 500;

/** What is known of one upstream. */
interface UpstreamRecord {
  claim: Claim | undefined;
  /** When it reported that, by the time in which upstreams answer. */
  heardAt: number;
  believed: boolean;
  /** Blocks that it was behind the head when it last reported. */
  lag: bigint;
  syncing: boolean;
  /** Whether the last block that it showed was as new as blocks come. */
  keepsUp: boolean;
  /** When it last said whether it does, in milliseconds since the epoch. */
  syncingReportedAt: number;
  /** How often in a row it has reported less than it stands by. */
  drops: number;
  /** Until when it is taken for several nodes, in milliseconds since the epoch. */
  pooledUntil: number;
}

/** The newest block that an upstream stands by. */
interface LatestReport extends ReportedBlock {
  /** When it was reported, in milliseconds since the epoch. */
  readonly at: number;
  /** Blocks that it was behind the head then. */
  readonly lag: bigint;
  readonly syncing: boolean;
}

/**
 * The head of a chain: the highest block that an upstream stands by and that is believed. An upstream stands by the
 * newest block that it reported until it reports another, or has been silent for a few block times. So the head goes
 * back when the chain does, and not because another upstream lags.
 */
export class HeadReports {
  readonly #upstreams: readonly UpstreamRecord[];
  #head: Claim | undefined;
  #served = 0n;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #blockMs: number | undefined;
  /** Milliseconds in which upstreams answered: no report lapses while no upstream is asked. */
  #heardMs = 0;
  #lastHeardAt = Number.NEGATIVE_INFINITY;

  /** `upstreams`: how many there are; they are named by their index. */
  constructor(upstreams: number) {
    this.#upstreams = Array.from({ length: upstreams }, () => ({
      claim: undefined,
      heardAt: 0,
      believed: false,
      lag: 0n,
      syncing: false,
      keepsUp: false,
      syncingReportedAt: Number.NEGATIVE_INFINITY,
      drops: 0,
      pooledUntil: Number.NEGATIVE_INFINITY,
    }));
  }

  /** Number of the newest block; undefined until an upstream was believed one. */
  get head(): bigint | undefined {
    return this.#head?.number;
  }

  /** The newest block number that a client got, 0 if none; never above the head. */
  get served(): bigint {
    return this.#served;
  }

  /** When an upstream in step last reported where the head is, in milliseconds since the epoch. */
  get confirmedAt(): number {
    return this.#confirmedAt;
  }

  /** Time between the chain's blocks, in milliseconds; undefined while it is not known. */
  get blockMs(): number | undefined {
    return this.#blockMs;
  }

  /** The head, and the highest that the chain can have reached since; undefined if none is known. */
  bounds(now: number): { readonly least: bigint; readonly most: bigint } | undefined {
    if (this.#head === undefined) return undefined;
    return { least: this.#head.number, most: reachOf(this.#head, now, this.#blockMs) };
  }

  /** When an upstream last reported where it is, in milliseconds since the epoch; undefined if it has not. */
  reportedAt(upstream: number): number | undefined {
    return this.#of(upstream).claim?.at;
  }

  /** Whether the newest block of an upstream is older than those of a chain in step are. */
  looksLate(upstream: number): boolean {
    const { claim } = this.#of(upstream);
    const lagMs = this.#blockMs === undefined ? MIN_STAND_MS : Number(MAX_LAG_BLOCKS) * this.#blockMs;
    return claim === undefined || claim.at - claim.timeMs > Math.max(MIN_LATE_MS, lagMs);
  }

  /** The newest block that an upstream has; undefined if it has not told, or is not believed. */
  headOf(upstream: number): bigint | undefined {
    const { claim, believed } = this.#of(upstream);
    return believed ? claim?.number : undefined;
  }

  /** Whether an upstream is known to have a block. */
  has(upstream: number, block: bigint): boolean {
    return (this.headOf(upstream) ?? -1n) >= block;
  }

  /** Whether an upstream cannot speak for the newest blocks: it syncs, is behind, or is not believed. */
  isBehind(upstream: number): boolean {
    const { claim, believed, lag, syncing } = this.#of(upstream);
    if (syncing) return true;
    return claim !== undefined && (!believed || (this.#upstreams.length > 1 && lag > MAX_LAG_BLOCKS));
  }

  /** Whether an upstream has reported less than it stands by, and must be asked again before either is believed. */
  isDoubted(upstream: number): boolean {
    return this.#of(upstream).drops > 0;
  }

  /** Whether an upstream went back and forth lately, or may do so: its URL stands for several nodes. */
  isSeveral(upstream: number, now: number): boolean {
    const { drops, pooledUntil } = this.#of(upstream);
    return drops > 0 || now < pooledUntil;
  }

  /** Whether an upstream shows a newest block that is no older than blocks come, and has not said that it syncs. */
  keepsUp(upstream: number): boolean {
    const { keepsUp, syncing } = this.#of(upstream);
    return keepsUp && !syncing;
  }

  /** Whether an upstream is not believed, and has shown no block. */
  needsLook(upstream: number): boolean {
    const { claim, believed } = this.#of(upstream);
    return claim !== undefined && !believed && !claim.shown;
  }

  /**
   * The head that finality is counted from: the highest block that more than half of the upstreams have; with two
   * upstreams, both. Undefined while none is known.
   */
  finalityHead(now: number): bigint | undefined {
    const told = this.#upstreams.flatMap(({ claim, syncing }) =>
      claim === undefined || syncing || now - claim.at >= FINALITY_MEMORY_MS ? [] : [claim.number],
    );
    const most = mostHave(told);
    if (most === undefined || this.head === undefined) return undefined;
    return most < this.head ? most : this.head;
  }

  /**
   * Records the newest block of an upstream.
   * `askedAt`: when it was asked; both times are in milliseconds since the epoch.
   */
  report(upstream: number, told: ReportedBlock, now: number, askedAt = now): void {
    this.#hear(now);
    const one = this.#of(upstream);
    const { claim } = one;
    if (told.timeMs !== undefined) one.keepsUp = now - told.timeMs < this.#standMs;
    if (claim !== undefined && one.believed && this.#stands(one)) {
      if (told.number < claim.number) {
        // A response that another has overtaken is none of a shorter chain; of several nodes one can lag.
        if (askedAt < claim.at || now < one.pooledUntil) return;
        one.drops += 1;
        if (one.drops < REPORTS_OF_A_DROP) return;
      } else if (one.drops > 0) one.pooledUntil = now + POOL_MEMORY_MS;
    }
    one.drops = 0;
    one.heardAt = this.#heardMs;
    one.claim = claimOf(told, one.believed ? claim : undefined, now, this.#blockMs);
    one.lag = 0n;
    this.#believe(now);
    if (one.believed && one.lag <= MAX_LAG_BLOCKS) this.#confirmedAt = now;
  }

  /**
   * Takes over what an upstream reported to another instance, if it is further on than what it reported to this one.
   * `at`: when it was reported, by the clock of that instance; the chain has grown since.
   */
  learn(upstream: number, number: bigint, at: number, now: number): void {
    const one = this.#of(upstream);
    if (one.claim !== undefined && one.claim.number >= number) return;
    const toldAt = Math.min(now, Math.max(at, one.claim?.at ?? at));
    one.claim = claimOf({ number }, one.believed ? one.claim : undefined, toldAt, this.#blockMs);
    one.heardAt = this.#heardMs;
    one.drops = 0;
    this.#believe(now);
  }

  /** What an upstream stands by, for other instances; undefined if it has reported nothing that is believed. */
  latestReport(upstream: number): LatestReport | undefined {
    const { claim, believed, lag, syncing } = this.#of(upstream);
    if (claim === undefined || !believed) return undefined;
    const { number, at, timeMs, shown } = claim;
    return { number, at, timeMs: shown ? timeMs : undefined, lag, syncing };
  }

  /**
   * Takes over what an upstream reported to another instance, unless this one has news of it since. A lower block counts only if
   * it was reported later by every clock: an instance must not be taken back by what is older than its own knowledge.
   * `at`: when it was reported, in milliseconds since the epoch.
   */
  take(upstream: number, told: Omit<LatestReport, 'at'>, at: number, now: number): void {
    const one = this.#of(upstream);
    const before = one.claim;
    const isLower = before !== undefined && told.number < before.number;
    if (before !== undefined && at <= before.at + (isLower ? MAX_SKEW_MS : 0)) return;
    this.#hear(now);
    if (told.timeMs !== undefined) one.keepsUp = at - told.timeMs < this.#standMs;
    one.drops = 0;
    one.heardAt = this.#heardMs;
    one.claim = claimOf(told, one.believed ? before : undefined, at, this.#blockMs);
    one.lag = told.lag;
    one.syncing = told.syncing;
    one.syncingReportedAt = Math.max(one.syncingReportedAt, at);
    this.#believe(now);
    if (one.believed && one.lag <= MAX_LAG_BLOCKS) this.#confirmedAt = Math.max(this.#confirmedAt, at);
  }

  /** Records whether an upstream is still fetching the chain. */
  reportSyncing(upstream: number, syncing: boolean, now: number): void {
    const one = this.#of(upstream);
    one.syncing = syncing;
    one.syncingReportedAt = now;
  }

  /** When an upstream last said whether it is still fetching the chain, in milliseconds since the epoch. */
  syncingReportedAt(upstream: number): number {
    return this.#of(upstream).syncingReportedAt;
  }

  /** Records a block number that a client gets as the newest. */
  serve(head: bigint): void {
    if (head > this.#served) this.#served = head;
  }

  #hear(now: number): void {
    this.#heardMs += Math.min(MAX_SILENCE_MS, Math.max(0, now - this.#lastHeardAt));
    this.#lastHeardAt = now;
  }

  #of(upstream: number): UpstreamRecord {
    return this.#upstreams[upstream] as UpstreamRecord;
  }

  /** Holds all fresh claims against each other, and takes the highest that is believed for the head. */
  #believe(now: number): void {
    const fresh = this.#upstreams.filter((one) => this.#stands(one));
    const evidence = { head: this.#head, blockMs: this.#blockMs, now };
    for (const one of fresh) {
      const claim = one.claim as Claim;
      const others = fresh
        .filter((other) => other !== one && !other.syncing)
        .map((other) => other.claim as Claim);
      one.believed = isBelieved(claim, { ...evidence, others });
      if (one.believed && others.length > 0) one.claim = { ...claim, proven: true };
    }
    const believed = fresh.filter((one) => one.believed).map(({ claim }) => claim as Claim);
    if (believed.length > 0)
      this.#setHead(believed.reduce((best, one) => (one.number > best.number ? one : best)));
    this.#measureLags(now - SAME_TIME_MS);
  }

  #setHead(head: Claim): void {
    const before = this.#head;
    this.#head = head;
    if (before === undefined) return;
    if (head.number < before.number) {
      if (this.#served > head.number) this.#served = head.number;
      this.#measureLags(Number.NEGATIVE_INFINITY);
    } else if (head.number > before.number && head.shown && before.shown) {
      this.#blockMs = Math.max(0, head.timeMs - before.timeMs) / Number(head.number - before.number);
    }
  }

  /** Measures how far behind the head those are that have reported since a time. */
  #measureLags(since: number): void {
    const head = this.head ?? 0n;
    for (const one of this.#upstreams) {
      if (one.claim === undefined || one.claim.at < since) continue;
      one.lag = head > one.claim.number ? head - one.claim.number : 0n;
    }
  }

  /** Whether what an upstream reported is renewed, or not yet due to be. */
  #stands({ claim, heardAt }: UpstreamRecord): boolean {
    return claim !== undefined && this.#heardMs - heardAt < this.#standMs;
  }

  /** Time in which a chain that is not known to be slower has a new block, in milliseconds. */
  get #standMs(): number {
    return Math.min(MAX_STAND_MS, Math.max(MIN_STAND_MS, STAND_BLOCKS * (this.#blockMs ?? 0)));
  }
}

/** The highest number that more than half have of those that reported one, and of the silent ones. */
export function mostHave(reported: readonly bigint[], silent = 0): bigint | undefined {
  const highestFirst = reported.toSorted((one, other) => (one < other ? 1 : -1));
  return highestFirst[Math.floor((reported.length + silent) / 2)];
}
