import type { Clock } from '../../shared/runtime/clock.ts';
import { completeHistory } from './complete-history.ts';
import type { FillParts } from './fill-range.ts';
import { createIdleWork } from './idle-work.ts';

/** Pause before it is looked again whether something is to be done, in milliseconds. */
const PAUSE_MS = 10_000;

/**
 * Completes the history where a pool turned out to be another one, which can be at any time and is not for a backfill to
 * wait for: a few steps at a time.
 * @returns what does so: resolves to of how many blocks, and rejects with what the node or the database fails with
 */
export function createHistoryCompleter({
  clock,
  ...parts
}: Omit<FillParts, 'outOfTime'> & { readonly clock: Clock }) {
  return createIdleWork({
    work: (options, outOfTime) => completeHistory({ ...parts, outOfTime }, options),
    clock,
    pauseMs: PAUSE_MS,
  });
}
