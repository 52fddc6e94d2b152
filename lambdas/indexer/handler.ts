import { type SlotEvent, slotEnd } from '../shared/runtime/slot.ts';
import { followSlot, type SlotParts } from './follow/follow-slot.ts';

/** Time that is kept for the transaction under way, in milliseconds. */
const RESERVE_MS = 20_000;

/**
 * Follows the head of a chain for one slot, whose length depends on when it was due. One that begins too late does
 * nothing.
 * @throws what the slot failed with
 */
export async function runSlot(
  parts: SlotParts & { readonly remainingMs: () => number },
  event: SlotEvent,
): Promise<void> {
  const { chain, clock, telemetry } = parts;
  const startedMs = clock.now();
  const until = slotEnd(event, startedMs, { remainingMs: parts.remainingMs(), reserveMs: RESERVE_MS });
  const count = await followSlot(parts, until);
  if (count === undefined) return telemetry.log('info', 'index_slot_missed', { chain });
  telemetry.log('info', 'index_slot', { chain, count, durationMs: clock.now() - startedMs });
}
