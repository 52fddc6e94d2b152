import type { ChainDatabase } from '../../lambdas/shared/chain-database/chain-database.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { runSnapshot } from '../../lambdas/snapshots/handler.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

const REMAINING_MS = 300_000;

interface World {
  readonly age: number | null;
  readonly inForce?: boolean;
  readonly remainingMs?: number;
  /** Whether another run holds the snapshot that is due. */
  readonly held?: boolean;
  /** What looking for a snapshot that is due fails with. */
  readonly failure?: Error;
}

/** A chain that never has a snapshot due; counts how often it is looked at, in virtual time. */
async function run({ age, inForce = age !== null, remainingMs = REMAINING_MS, held, failure }: World) {
  const clock = { timeMs: 0, now: () => clock.timeMs };
  let looks = 0;
  const database = {
    query: async (sql: string) => {
      if (sql.includes('AS age')) return { rows: [{ age, in_force: inForce }], updated: 0 };
      if (sql.startsWith('UPDATE')) return { rows: [], updated: 0 };
      looks += 1;
      if (failure !== undefined) throw failure;
      const due = { snapshot_id: 1, block_number: 5, hash: '0x00' };
      return { rows: held === true ? [due] : [], updated: 0 };
    },
  };
  const pause = async (durationMs: number) => {
    clock.timeMs += durationMs;
  };
  const telemetry = new RecordedTelemetry();
  const parts = {
    connection: connectionTo(database as unknown as ChainDatabase, 'one'),
    node: {} as never,
    clock,
    pause,
    telemetry,
  };
  const failed = await runSnapshot(parts, { chain: 'one' }, remainingMs).catch((error: unknown) => error);
  return { looks, waitedMs: clock.timeMs, emitted: telemetry.metrics(), failed };
}

test('the first snapshot is waited for, until shortly before the next run', async () => {
  const { looks, waitedMs, emitted } = await run({ age: null });
  expect({ looks, waitedMs, emitted }).toEqual({ looks: 51, waitedMs: 50_000, emitted: [] });
});

test('or until the run itself has to end', async () => {
  expect((await run({ age: null, remainingMs: 65_000 })).waitedMs).toBe(5_000);
  expect((await run({ age: null, remainingMs: 10_000 })).looks).toBe(1);
});

test('later ones are left to the run at whose time they are due, which tells how old the balances are', async () => {
  const { looks, emitted } = await run({ age: 7_200 });
  expect(looks).toBe(1);
  expect(emitted).toEqual([{ Chain: 'one', SnapshotAge: 7_200 }]);
});

test('a run that another is ahead of does not wait for it', async () => {
  const { looks, waitedMs, failed } = await run({ age: null, held: true });
  expect({ looks, waitedMs, failed }).toEqual({ looks: 1, waitedMs: 0, failed: undefined });
});

test('how old the balances are is told also when no snapshot can be taken', async () => {
  const failure = new Error('the node has no state');
  const { failed, emitted } = await run({ age: 40_000, failure });
  expect(failed).toBe(failure);
  expect(emitted.map(({ SnapshotAge }) => SnapshotAge)).toEqual([40_000]);
});

test('and for how long the first have been waited for', async () => {
  const { looks, emitted } = await run({ age: 300, inForce: false });
  expect(looks).toBe(51);
  expect(emitted.map(({ SnapshotAge }) => SnapshotAge)).toEqual([300]);
});
