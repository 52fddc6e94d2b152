import type { Clock } from '../clock.ts';
import { completeSnapshot } from './complete-snapshot.ts';
import { addUnsteadyHolders, foldTransfers } from './fold-transfers.ts';
import { refreshSupplies } from './refresh-supplies.ts';
import { openSnapshot, type Snapshot } from './snapshot.ts';
import { type VerifyParts, verifyBalances } from './verify-balances.ts';

export interface SnapshotParts extends VerifyParts {
  readonly clock: Clock;
}

/** What became of a run. */
export type SnapshotOutcome =
  /** Nothing is due. */
  | { readonly kind: 'idle' }
  /** The time was not enough: the next run goes on here. */
  | { readonly kind: 'unfinished'; readonly snapshot: Snapshot }
  | { readonly kind: 'completed'; readonly snapshot: Snapshot };

/**
 * Brings the balances snapshot on as far as the time allows: adds up the transfers, reads what changed from the chain,
 * then puts both in force at once. The supplies of tokens are read at the same block. It may be stopped anywhere, and run twice at once.
 * @param deadline milliseconds since the epoch
 * @throws whatever the node or the database fails with
 */
export async function takeSnapshot(parts: SnapshotParts, deadline: number): Promise<SnapshotOutcome> {
  const { database, schema, clock } = parts;
  const snapshot = await openSnapshot(database, schema);
  if (snapshot === undefined) return { kind: 'idle' };
  const inTime = () => clock.now() < deadline;
  let more = true;
  while (more && inTime()) more = await foldTransfers(database, schema, snapshot);
  if (more) return { kind: 'unfinished', snapshot };
  await addUnsteadyHolders(database, schema);
  more = true;
  while (more && inTime()) more = await verifyBalances(parts, snapshot, { deadline });
  if (more) return { kind: 'unfinished', snapshot };
  if (!(await refreshSupplies(parts, snapshot, { deadline }, inTime)))
    return { kind: 'unfinished', snapshot };
  await completeSnapshot(database, schema, snapshot);
  return { kind: 'completed', snapshot };
}
