/** Failures in a row that open the breaker. */
export const FAILURES_TO_OPEN = 8;
/** Time that a breaker stays open at first, in milliseconds; it doubles each time that a probe fails. */
export const FIRST_BACK_OFF_MS = 1_000;
export const MAX_BACK_OFF_MS = 30_000;
/** A back-off or a pause is longer by up to this share, so that instances do not come back all at once. */
const JITTER = 0.25;

/**
 * Whether an upstream is asked.
 * - `closed`: yes. `failures`: those since the last success.
 * - `open`: not before `until` (milliseconds since the epoch); then by one probe at a time, which is half open.
 */
export type Breaker =
  | { readonly kind: 'closed'; readonly failures: number }
  | {
      readonly kind: 'open';
      readonly until: number;
      readonly backOffMs: number;
      /** When the probe on its way is abandoned for lost; undefined if it is absent. */
      readonly probeUntil: number | undefined;
    };

export const CLOSED: Breaker = { kind: 'closed', failures: 0 };

/** The breaker after a failure. `random`: from 0 to 1. */
export function afterFailure(breaker: Breaker, now: number, random: number): Breaker {
  if (breaker.kind === 'closed') {
    const failures = breaker.failures + 1;
    return failures < FAILURES_TO_OPEN ? { kind: 'closed', failures } : open(FIRST_BACK_OFF_MS, now, random);
  }
  // What was sent before it opened, or because nothing else was left, says nothing new.
  if (now < breaker.until) return breaker;
  return open(Math.min(breaker.backOffMs * 2, MAX_BACK_OFF_MS), now, random);
}

/** The breaker once it is known that nothing that an upstream answers can be used. `random`: from 0 to 1. */
export function afterExclusion(breaker: Breaker, now: number, random: number): Breaker {
  return breaker.kind === 'closed' ? open(FIRST_BACK_OFF_MS, now, random) : breaker;
}

/** The breaker of an upstream that another instance found failing: the next failure opens it. */
export function afterSuspicion(breaker: Breaker): Breaker {
  return breaker.kind === 'closed' ? { kind: 'closed', failures: FAILURES_TO_OPEN - 1 } : breaker;
}

/** Whether a probe may be sent to find out if an open breaker can close. */
export function mayProbe(breaker: Breaker, now: number): boolean {
  if (breaker.kind === 'closed' || now < breaker.until) return false;
  return breaker.probeUntil === undefined || now >= breaker.probeUntil;
}

/** The breaker while a probe is on its way, which takes until `probeUntil` at most. */
export function whileProbing(breaker: Breaker, probeUntil: number): Breaker {
  return breaker.kind === 'closed' ? breaker : { ...breaker, probeUntil };
}

function open(backOffMs: number, now: number, random: number): Breaker {
  const until = now + backOffMs * (1 + JITTER * random);
  return { kind: 'open', until, backOffMs, probeUntil: undefined };
}

/** Pause after the first refusal for a rate, in milliseconds; it doubles with each refusal that follows a pause. */
export const FIRST_PAUSE_MS = 1_000;
/** Longest pause that is chosen here, in milliseconds, and the first after a refusal for a quota. */
export const MAX_PAUSE_MS = 60_000;
/** Longest pause that a node may ask for, in milliseconds. It is asked again at least so often. */
export const MAX_TOLD_PAUSE_MS = 240_000;

/** A node's refusal for a limit of its own. */
export interface LimitNotice {
  readonly limit: 'rate' | 'quota';
  /** How long the node asked to be left alone, in milliseconds; undefined if it named no time. */
  readonly waitMs: number | undefined;
}

/** How long an upstream that is limited is left alone. */
export interface LimitPause {
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** Length of the pause that was chosen last, in milliseconds; 0 before the first. */
  readonly chosenMs: number;
}

export const NO_PAUSE: LimitPause = { until: Number.NEGATIVE_INFINITY, chosenMs: 0 };

/** The pause after a refusal. `random`: from 0 to 1. */
export function afterLimit(
  pause: LimitPause,
  { limit, waitMs }: LimitNotice,
  now: number,
  random: number,
): LimitPause {
  const isPaused = now < pause.until;
  // What was sent before the pause says nothing new, unless it asks for more time.
  if (isPaused && (waitMs === undefined || now + Math.min(waitMs, MAX_TOLD_PAUSE_MS) <= pause.until)) {
    return pause;
  }
  const nextMs = limit === 'quota' ? MAX_PAUSE_MS : Math.max(FIRST_PAUSE_MS, 2 * pause.chosenMs);
  const chosenMs = isPaused ? pause.chosenMs : Math.min(MAX_PAUSE_MS, nextMs);
  const lengthMs =
    waitMs === undefined ? chosenMs : Math.min(MAX_TOLD_PAUSE_MS, Math.max(waitMs, FIRST_PAUSE_MS));
  return { until: now + lengthMs * (1 + JITTER * random), chosenMs };
}

/** The pause after a response: one that came after it has ended shows that the limit is over. */
export function afterResponse(pause: LimitPause, now: number): LimitPause {
  return now < pause.until ? pause : NO_PAUSE;
}
