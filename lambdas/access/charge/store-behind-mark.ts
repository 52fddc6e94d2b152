import type { Clock } from '../../shared/runtime/clock.ts';
import type { RandomBytes } from '../../shared/runtime/random-bytes.ts';
import { type Store, StoreUnavailableError } from '../store/store.ts';
import { type LaneTotal, storeLane } from './lane.ts';
import { coversLane, markUnsettled, newMark } from './unsettled.ts';

/** What storing works on. */
export interface Storing {
  readonly store: Store;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
}

/** When the hour of a lane was last marked; noted as soon as that is certain. */
interface Marked {
  markedAtMs: number | undefined;
}

/**
 * Stores a lane, after its hour is on the work list of settlement by a mark that covers it. Rejects with
 * `StoreUnavailableError` if the outcome is unknown.
 * `marked`: what this process knows of the mark.
 */
export async function storeBehindMark(
  { store, clock, randomBytes }: Storing,
  lane: LaneTotal,
  marked: Marked = { markedAtMs: undefined },
): Promise<void> {
  const now = clock.now();
  if (!coversLane(lane.hour, marked.markedAtMs, now)) {
    await markUnsettled(store, lane, newMark(now, randomBytes));
    marked.markedAtMs = now;
    // A process that stood still meanwhile marks again.
    if (!coversLane(lane.hour, now, clock.now()))
      throw new StoreUnavailableError('a mark took too long', false);
  }
  await storeLane(store, lane);
}
