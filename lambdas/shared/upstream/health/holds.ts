import type { Clock } from '../../runtime/clock.ts';
import { LruMap } from '../../runtime/expiring-memory.ts';

/**
 * Why a node is left alone.
 * - `failing`: nothing that it answers can be used. `wrong_chain`: it is of another chain.
 * - `rate`, `quota`: it refuses for a limit of its own.
 * - `method`, `plan`: it lacks a method, or the operator's plan there does. Calls of other methods are sent to it.
 * - `batch`: so many calls together are too much for it. They are sent in parts.
 * - `by_hand`: an operator wants that.
 *
 * A node that lags or syncs has no hold: that is a comparison with where the chain is at the moment (`HeadReports`), and
 * keeps only those calls from it that need what it does not have.
 */
type HoldReason = 'failing' | 'wrong_chain' | 'rate' | 'quota' | 'method' | 'plan' | 'batch' | 'by_hand';

/** What a node can lack. */
export type Lack = Extract<HoldReason, 'method' | 'plan'>;

/** What it takes to hold a node for a reason, and for how long. */
interface HoldRule {
  /** Refusals in a row that it takes, and the longest time between two of them, in milliseconds. */
  readonly refusals: number;
  readonly withinMs: number;
  /** How long the first lasts, in milliseconds. One that follows it takes one refusal and lasts twice as long, up to the longest. */
  readonly firstMs: number;
  readonly mostMs: number;
  /** What ends it: its time, or a response; then a probe is sent when its time is over. */
  readonly end: 'time' | 'response';
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ANY_TIME = Number.POSITIVE_INFINITY;
const UNWELL = { withinMs: ANY_TIME, firstMs: 1_000, mostMs: 30_000, end: 'response' } as const;
const LIMITED = { refusals: 1, withinMs: ANY_TIME, mostMs: MINUTE_MS, end: 'time' } as const;
/** One refusal can be an accident, and none of them may end for good what the node has after all. */
const LACKING = { refusals: 2, withinMs: MINUTE_MS, end: 'time' } as const;

export const HOLD_RULES: Readonly<Record<HoldReason, HoldRule>> = {
  failing: { refusals: 8, ...UNWELL },
  wrong_chain: { refusals: 1, ...UNWELL },
  rate: { ...LIMITED, firstMs: 1_000 },
  quota: { ...LIMITED, firstMs: MINUTE_MS },
  method: { ...LACKING, firstMs: 10 * MINUTE_MS, mostMs: 10 * MINUTE_MS },
  plan: { ...LACKING, firstMs: 6 * HOUR_MS, mostMs: 6 * HOUR_MS },
  batch: { ...LACKING, firstMs: HOUR_MS, mostMs: HOUR_MS },
  // For longer it is left out of the stage file.
  by_hand: { refusals: 1, withinMs: ANY_TIME, firstMs: 24 * HOUR_MS, mostMs: 48 * HOUR_MS, end: 'time' },
};

/** Shortest and longest time for which a node can ask to be left alone, in milliseconds. It is asked again at least so often. */
const LEAST_TOLD_PAUSE_MS = 1_000;
export const MAX_TOLD_PAUSE_MS = 240_000;
/** A hold is longer by up to this share, so that instances do not come back all at once. */
const JITTER = 0.25;
const NEVER = Number.NEGATIVE_INFINITY;

/** What is held against a node for a reason: by now, before, or not yet. All times are in milliseconds since the epoch. */
export interface NodeHold {
  readonly reason: HoldReason;
  /** Refusals in a row so far, and when the last was. */
  readonly refusals: number;
  readonly at: number;
  /** Whether only other processes reported it. */
  readonly isHeard: boolean;
  /** Until when the node is left alone; in the past where it is not. */
  readonly until: number;
  /** The back-off that was chosen last, in milliseconds; 0 before the first. */
  readonly backOffMs: number;
  /** When the probe on its way is abandoned for lost. @default no probe is */
  readonly probeUntil?: number;
}

/** A refusal or a failure. */
interface Refusal {
  readonly reason: HoldReason;
  readonly now: number;
  /** From 0 to 1. @default 0: a single method comes back with the next call for it, and in no crowd */
  readonly random?: number;
  /** How long the node asked to be left alone, in milliseconds. @default it named no time */
  readonly waitMs?: number | undefined;
  /** Whether it is the word of other processes. @default false */
  readonly isHeard?: boolean;
}

/** The one rule of back-off: what is held against a node after a refusal. */
export function afterRefusal(before: NodeHold | undefined, refusal: Refusal): NodeHold {
  const { reason, now, random = 0, waitMs, isHeard = false } = refusal;
  const rule = HOLD_RULES[reason];
  const toldMs =
    waitMs === undefined ? undefined : Math.min(MAX_TOLD_PAUSE_MS, Math.max(waitMs, LEAST_TOLD_PAUSE_MS));
  const untilAfter = (lengthMs: number) => now + lengthMs * (1 + JITTER * random);
  if (before !== undefined && now < before.until) {
    const seen = { ...before, at: now, isHeard: false };
    // What was sent before the hold says nothing new, unless it asks for more time.
    const isLonger = waitMs !== undefined && now + Math.min(waitMs, MAX_TOLD_PAUSE_MS) > before.until;
    return isLonger && toldMs !== undefined ? { ...seen, until: untilAfter(toldMs) } : seen;
  }
  const { refusals: earlier = 0, at = NEVER, backOffMs: lastMs = 0 } = before ?? {};
  const seen = { reason, refusals: now - at <= rule.withinMs ? earlier + 1 : 1, at: now, isHeard };
  if (seen.refusals < rule.refusals && lastMs === 0) return { ...seen, until: NEVER, backOffMs: 0 };
  const backOffMs = Math.min(rule.mostMs, Math.max(rule.firstMs, 2 * lastMs));
  return { ...seen, until: untilAfter(toldMs ?? backOffMs), backOffMs };
}

/** What is held against a node that others found refusing: the next refusal is enough. */
export function afterSuspicion(reason: HoldReason, now: number): NodeHold {
  const refusals = HOLD_RULES[reason].refusals - 1;
  return { reason, refusals, at: now, isHeard: true, until: NEVER, backOffMs: 0 };
}

/** Whether a node is left alone. */
export function isInForce(hold: NodeHold | undefined, now: number): hold is NodeHold {
  if (hold === undefined || hold.backOffMs === 0) return false;
  return now < hold.until || HOLD_RULES[hold.reason].end === 'response';
}

/** Whether a probe may be sent to find out if a hold can end: one at a time, once its time is over. */
export function mayProbe(hold: NodeHold | undefined, now: number): boolean {
  return isInForce(hold, now) && now >= hold.until && now >= (hold.probeUntil ?? NEVER);
}

/** Refusals of different accounts within this time are one matter, in milliseconds. */
const TWO_ACCOUNTS_MS = 60_000;
/** Least time between two questions that refusals lead to, in milliseconds. */
const QUESTION_INTERVAL_MS = 1_000;
/** Refusals that are remembered of one node. */
const MAX_REFUSALS = 256;

interface Refused {
  readonly account: string;
  /** When that account was refused last, in milliseconds since the epoch. */
  readonly at: number;
  /** When another account was; undefined if none was. */
  readonly otherAt: number | undefined;
}

/**
 * Whether a node's refusals say something of the node. What it refuses to one account, that account's calls can be to blame
 * for: nobody is to lose a node by them. It counts once the gateway's own question fails, or a second account is refused alike.
 */
export class NodeEvidence {
  readonly #clock: Clock;
  readonly #refusals = new LruMap<Refused>(MAX_REFUSALS);
  #fails = false;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the gateway should ask by itself now: at most once a second, whatever clients bring about. */
  isDue(): boolean {
    const now = this.#clock.now();
    if (now - this.#askedAt < QUESTION_INTERVAL_MS) return false;
    this.#askedAt = now;
    return true;
  }

  /** Notes whether the node answered a question of the gateway's own. */
  asked(isAnswered: boolean): void {
    this.#fails = !isAnswered;
  }

  /** Counts a refusal to an account, and tells whether it counts against the node. `account`: absent for the gateway's own. */
  counts(refusal: string, account: string | undefined): boolean {
    if (account === undefined) return true;
    const now = this.#clock.now();
    const before = this.#refusals.get(refusal);
    const otherAt = before === undefined || before.account === account ? before?.otherAt : before.at;
    this.#refusals.set(refusal, { account, at: now, otherAt });
    return this.#fails || (otherAt !== undefined && now - otherAt <= TWO_ACCOUNTS_MS);
  }
}
