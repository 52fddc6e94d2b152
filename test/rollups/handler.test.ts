import { type RollupSlotParts, runRollupSlot } from '../../lambdas/rollups/handler.ts';
import { toQuotes } from '../../lambdas/rollups/prices/quotes.ts';
import type { ChainDatabase } from '../../lambdas/shared/chain-database/chain-database.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { DatabaseUnavailableError } from '../../lambdas/shared/chain-database/database-error.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

const NOW = Date.parse('2026-11-18T00:00:30Z');
const SLOT_END = Date.parse('2026-11-18T00:00:59Z');
const NO_MORE = { rows: [{ more: false }], updated: 0 };

/** A slot on a clock that only pauses move, over a database that has nothing stored. */
function makeSlot({ failures = 0, remainingMs = 90_000, failure = new Error('out of order') } = {}) {
  const telemetry = new RecordedTelemetry();
  const seen = { now: NOW, transactions: 0, pauses: [] as number[] };
  const database: ChainDatabase = {
    query: () => Promise.resolve(NO_MORE),
    transaction: (work) => {
      seen.transactions += 1;
      if (seen.transactions <= failures) return Promise.reject(failure);
      return work({ query: () => Promise.resolve({ rows: [], updated: 0 }) });
    },
  };
  const parts: RollupSlotParts = {
    connection: connectionTo(database, 'example_mainnet'),
    quotes: toQuotes(undefined),
    clock: { now: () => seen.now },
    telemetry,
    pause: (durationMs) => {
      seen.pauses.push(durationMs);
      seen.now += durationMs;
      return Promise.resolve();
    },
    remainingMs: () => remainingMs,
  };
  return { seen, parts, telemetry };
}

const DUE = { time: '2026-11-18T00:00:00Z' };

test('a slot looks once for what new blocks do not tell, and ends before the next', async () => {
  const { seen, parts } = makeSlot();
  await runRollupSlot(parts, DUE);
  expect(seen.transactions).toBe(1);
  expect(seen.now).toBe(SLOT_END);
  expect(new Set(seen.pauses)).toEqual(new Set([1_000]));
});

test('it leaves time for the transaction under way', async () => {
  const { seen, parts } = makeSlot({ remainingMs: 40_000 });
  await runRollupSlot(parts, DUE);
  expect(seen.now).toBe(NOW + 10_000);
});

test('failures are tried again after longer and longer pauses', async () => {
  const { seen, parts } = makeSlot({ failures: 3 });
  await runRollupSlot(parts, DUE);
  expect(seen.transactions).toBe(4);
  expect(seen.pauses.slice(0, 4)).toEqual([500, 1_000, 2_000, 1_000]);
});

test('a slot in which nothing succeeds fails', async () => {
  const { parts, telemetry } = makeSlot({ failures: 1_000 });
  await expect(runRollupSlot(parts, DUE)).rejects.toThrow('out of order');
  expect(telemetry.metrics()).toEqual([]);
});

test('a slot in which nothing succeeds for want of the database says so', async () => {
  const failure = new DatabaseUnavailableError('gone', undefined);
  const { parts, telemetry } = makeSlot({ failures: 1_000, failure });
  await expect(runRollupSlot(parts, DUE)).rejects.toThrow('gone');
  expect(telemetry.metrics()).toEqual([{ SlotsWithoutDatabase: 1 }]);
});

test('a slot that was over before it began does nothing, and does not say that all is well', async () => {
  const { seen, parts, telemetry } = makeSlot();
  await runRollupSlot(parts, { time: '2026-11-17T23:59:31Z' });
  expect([seen.transactions, seen.pauses, telemetry.emitted]).toEqual([0, [], []]);
  await runRollupSlot(parts, DUE);
  expect(telemetry.metrics()).toEqual([{ Chain: 'example_mainnet', RollupLagBlocks: 0 }]);
});
