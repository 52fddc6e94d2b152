import type { Clock } from '../shared/runtime/clock.ts';
import { completeSnapshot } from './complete-snapshot.ts';
import { dropFormer } from './drop-former.ts';
import { addUnsteadyHolders, foldTransfers, recountToken } from './fold-transfers.ts';
import { endHold, type HeldSnapshot, takeHold } from './hold-snapshot.ts';
import { refreshNames } from './refresh-names.ts';
import { refreshSupplies } from './refresh-supplies.ts';
import { openSnapshot, type Snapshot } from './snapshot.ts';
import { type VerifyParts, verifyBalances } from './verify-balances.ts';

/** A run is over for sure so long after its deadline, in seconds: its function has timed out by then. */
const END_AFTER_DEADLINE_SECONDS = 60;

export interface SnapshotParts extends VerifyParts {
  readonly clock: Clock;
}

/** What became of a run. */
type SnapshotOutcome =
  /** Nothing is due. */
  | { readonly kind: 'idle' }
  /** Another run is at it, or was when it died and is not over for sure. */
  | { readonly kind: 'busy' }
  /** The time was not enough: the next run continues here. */
  | { readonly kind: 'unfinished'; readonly snapshot: Snapshot }
  | { readonly kind: 'completed'; readonly snapshot: Snapshot };

/**
 * Brings the balances snapshot on as far as the time allows: adds up the transfers, reads what changed from the chain,
 * then puts both in force at once. The supplies of tokens are read at the same block. One run at a time does so; it may be
 * stopped anywhere.
 * @param deadline milliseconds since the epoch
 * @throws {SnapshotLostError} if another run went on after this one had stood still for too long
 * @throws whatever the node or the database fails with
 */
export async function takeSnapshot(parts: SnapshotParts, deadline: number): Promise<SnapshotOutcome> {
  const { connection, clock } = parts;
  const due = await openSnapshot(connection);
  if (due === undefined) return { kind: 'idle' };
  const seconds = Math.ceil((deadline - clock.now()) / 1_000) + END_AFTER_DEADLINE_SECONDS;
  const snapshot = await takeHold(connection, due, seconds);
  if (snapshot === undefined) return { kind: 'busy' };
  try {
    const kind = (await bringOn(parts, snapshot, deadline)) ? 'completed' : 'unfinished';
    return { kind, snapshot: due };
  } finally {
    // The hold ends by itself if this fails.
    await endHold(connection, snapshot).catch(() => undefined);
  }
}

/** @returns whether the snapshot is complete */
async function bringOn(parts: SnapshotParts, snapshot: HeldSnapshot, deadline: number): Promise<boolean> {
  const { connection, clock } = parts;
  const inTime = () => clock.now() < deadline;
  const steps = [
    () => dropFormer(connection, snapshot),
    () => recountToken(connection, snapshot),
    () => foldTransfers(connection, snapshot),
    () => addUnsteadyHolders(connection, snapshot),
    () => verifyBalances(parts, snapshot, { deadline }),
  ];
  for (const step of steps) {
    let more = true;
    while (more && inTime()) more = await step();
    if (more) return false;
  }
  await refreshNames(parts, snapshot, { deadline });
  if (!(await refreshSupplies(parts, snapshot, { deadline }, inTime))) return false;
  await completeSnapshot(connection, snapshot);
  return true;
}
