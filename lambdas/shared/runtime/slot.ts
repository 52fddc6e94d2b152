/** A slot ends before the next begins, of which there is one every minute. */
const SLOT_MS = 59_000;
/**
 * Slots of each batch of a stage that lets its database sleep: the first wakes it, and what is stored in one is derived in
 * the next at the latest.
 */
export const BATCH_SLOTS = 3;

/** What the schedule sends. */
export interface SlotEvent {
  /** When the slot was due, ISO 8601. */
  readonly time?: string;
}

/**
 * When a slot ends, in milliseconds since the epoch: a minute after it was due, and `reserveMs` before the function times
 * out.
 */
export function slotEnd(
  { time }: SlotEvent,
  nowMs: number,
  { remainingMs, reserveMs }: { readonly remainingMs: number; readonly reserveMs: number },
): number {
  const due = time === undefined ? nowMs : Date.parse(time);
  const byTime = nowMs + remainingMs - reserveMs;
  return Number.isNaN(due) ? byTime : Math.min(due + SLOT_MS, byTime);
}
