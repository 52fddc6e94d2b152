import type { ChainConnection, ChainQueries } from '../shared/chain-database/chain-queries.ts';
import { sql } from '../shared/chain-database/sql.ts';
import type { Snapshot } from './snapshot.ts';

/** A snapshot under way that one run advances, until its time is over. */
export interface HeldSnapshot extends Snapshot {
  /** Which of the snapshot's runs, in the order in which they took it. */
  readonly lease: number;
}

/** The run does not hold the snapshot any more: another one does, or has completed it, or its block has left the chain. */
export class SnapshotLostError extends Error {
  override readonly name = 'SnapshotLostError';
}

/**
 * Takes a snapshot under way for this run; undefined if another run holds it, or it is complete or rewound. A run that dies
 * does not give it back: its time has to be over.
 * @param seconds time after which the run is over for sure
 */
export async function takeHold(
  chain: ChainQueries,
  snapshot: Snapshot,
  seconds: number,
): Promise<HeldSnapshot | undefined> {
  const { rows } = await chain.query(
    sql`UPDATE {{schema}}.balance_snapshots
     SET lease = lease + 1, leased_until = now() + make_interval(secs => :seconds)
     WHERE snapshot_id = :id AND completed_at IS NULL AND NOT rewound AND (leased_until IS NULL OR leased_until < now())
     RETURNING lease`,
    { id: snapshot.id, seconds },
  );
  return rows[0] && { ...snapshot, lease: Number(rows[0].lease) };
}

/**
 * Does the work in a transaction during which no other run takes the snapshot, and no reorganisation takes it back. So
 * nothing is written by a run that another has overtaken while it waited for the node or the database.
 * @throws {SnapshotLostError} if another has, or the snapshot was rewound
 */
export async function whileHeld<Result>(
  connection: ChainConnection,
  { id, lease }: HeldSnapshot,
  work: (chain: ChainQueries) => Promise<Result>,
): Promise<Result> {
  return connection.transaction(async (chain) => {
    const { rows } = await chain.query(
      sql`SELECT lease FROM {{schema}}.balance_snapshots
       WHERE snapshot_id = :id AND lease = :lease AND completed_at IS NULL FOR UPDATE`,
      { id, lease },
    );
    if (rows.length === 0)
      throw new SnapshotLostError(`snapshot ${id} is another run's, complete, or rewound`);
    return work(chain);
  });
}

/** Gives a snapshot back, so that the next run need not wait. */
export async function endHold(chain: ChainQueries, { id, lease }: HeldSnapshot): Promise<void> {
  await chain.query(
    sql`UPDATE {{schema}}.balance_snapshots SET leased_until = NULL WHERE snapshot_id = :id AND lease = :lease`,
    { id, lease },
  );
}
