/** Pause after the first refusal for a rate, in milliseconds; it doubles with each refusal that follows a pause. */
export const FIRST_PAUSE_MS = 1_000;
/** Longest pause that is chosen here, in milliseconds, and the first after a refusal for a quota. */
export const MAX_PAUSE_MS = 60_000;
/** Longest pause that a node may ask for, in milliseconds. It is asked again at least so often. */
export const MAX_TOLD_PAUSE_MS = 240_000;
/** A pause is longer by up to this share, so that instances do not come back all at once. */
const JITTER = 0.25;

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
