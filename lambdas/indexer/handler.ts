import type { Clock } from '../shared/runtime/clock.ts';
import { log } from '../shared/runtime/log.ts';
import { followSlot, type SlotParts } from './follow/follow-slot.ts';

/** A slot ends before the next begins, of which there is one every minute. */
const SLOT_MS = 59_000;
/** Time that is kept for the transaction under way, in milliseconds. */
const END_BEFORE_TIMEOUT_MS = 20_000;

/** What the schedule says. */
export interface SlotEvent {
  /** When the slot was due, ISO 8601. */
  readonly time?: string;
}

/**
 * Follows the head of a chain for one slot, whose length depends on when it was due. One that begins too late does
 * nothing.
 * @throws what the slot failed with
 */
export async function runSlot(
  parts: SlotParts & { readonly remainingMs: () => number },
  event: SlotEvent,
): Promise<void> {
  const { chain, clock } = parts;
  const startedMs = clock.now();
  const count = await followSlot(parts, slotEnd(event, clock, parts.remainingMs()));
  if (count === undefined) return log('info', 'index_slot_missed', { chain });
  log('info', 'index_slot', { chain, count, durationMs: clock.now() - startedMs });
}

function slotEnd({ time }: SlotEvent, clock: Clock, remainingMs: number): number {
  const now = clock.now();
  const due = time === undefined ? now : Date.parse(time);
  const byTime = now + remainingMs - END_BEFORE_TIMEOUT_MS;
  return Number.isNaN(due) ? byTime : Math.min(due + SLOT_MS, byTime);
}
