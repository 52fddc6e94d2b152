import type { ChainDatabase } from '../../lambdas/chain-data/chain-database.ts';
import { runSnapshot } from '../../lambdas/snapshots/handler.ts';

const REMAINING_MS = 300_000;

beforeEach(() => {
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterEach(() => jest.restoreAllMocks());

/** A chain that never has a snapshot due; counts how often it is looked at, in virtual time. */
async function run(age: number | null, remainingMs = REMAINING_MS) {
  const clock = { timeMs: 0, now: () => clock.timeMs };
  let looks = 0;
  const database = {
    query: async (sql: string) => {
      if (sql.includes('AS age')) return { rows: [{ age }], updated: 0 };
      looks += 1;
      return { rows: [], updated: 0 };
    },
  };
  const pause = async (durationMs: number) => {
    clock.timeMs += durationMs;
  };
  const parts = {
    database: database as unknown as ChainDatabase,
    schema: 's',
    node: {} as never,
    clock,
    pause,
  };
  await runSnapshot(parts, { chain: 'one' }, remainingMs);
  const emitted = jest.mocked(process.stdout.write).mock.calls.map(([line]) => String(line));
  return { looks, waitedMs: clock.timeMs, emitted };
}

test('the first snapshot is waited for, until shortly before the next run', async () => {
  const { looks, waitedMs, emitted } = await run(null);
  expect({ looks, waitedMs, emitted }).toEqual({ looks: 51, waitedMs: 50_000, emitted: [] });
});

test('or until the run itself has to end', async () => {
  expect((await run(null, 65_000)).waitedMs).toBe(5_000);
  expect((await run(null, 10_000)).looks).toBe(1);
});

test('later ones are left to the run at whose time they are due, which tells how old the balances are', async () => {
  const { looks, emitted } = await run(7_200);
  expect(looks).toBe(1);
  expect(JSON.parse(emitted[0] ?? '')).toMatchObject({ Chain: 'one', SnapshotAge: 7_200 });
});
