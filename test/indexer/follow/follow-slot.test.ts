import { BlockError } from '../../../lambdas/indexer/blocks/block-error.ts';
import { runSlot } from '../../../lambdas/indexer/follow/follow-slot.ts';
import type { FollowParts } from '../../../lambdas/indexer/follow/follow-step.ts';
import { createHeadPace } from '../../../lambdas/indexer/follow/head-pace.ts';
import { DatabaseUnavailableError } from '../../../lambdas/shared/chain-database/database-error.ts';
import { RecordedTelemetry } from '../../support/recorded-telemetry.ts';

const NOW = Date.parse('2026-11-18T00:01:00Z');
const REMAINING_MS = 90_000;

/** A slot on a clock that only pauses move, of a chain whose index has all that its node has. */
function makeSlot(fail?: Error, timestamp = 0) {
  const telemetry = new RecordedTelemetry();
  const seen = { now: NOW, steps: 0 };
  const block = { number: 9, hash: '0x0a', parentHash: '0x09', timestamp };
  const index = {
    cursor: async () => {
      seen.steps += 1;
      if (fail !== undefined) throw fail;
      return { ...block, epoch: 0, halted: null, nodeHead: block.hash };
    },
    noteHead: async () => undefined,
  };
  const parts = {
    chain: 'one',
    reader: { head: async () => block },
    index,
    decode: () => undefined,
    clock: { now: () => seen.now },
    telemetry,
    pause: async (durationMs: number) => {
      seen.now += durationMs;
    },
    pace: createHeadPace(),
    remainingMs: () => REMAINING_MS,
  };
  return { seen, telemetry, parts: parts as unknown as Omit<typeof parts, keyof FollowParts> & FollowParts };
}

test('a slot tells how far the index is behind', async () => {
  const { seen, parts, telemetry } = makeSlot();
  await runSlot(parts, { time: '2026-11-18T00:01:00Z' });
  expect(seen.steps).toBeGreaterThan(1);
  expect(telemetry.metrics()).toEqual([expect.objectContaining({ Chain: 'one', IndexerLagBlocks: 0 })]);
});

test('and how far its node is behind another', async () => {
  const { parts, telemetry } = makeSlot();
  const reader = { ...parts.reader, blocksBehind: () => 70 };
  await runSlot({ ...parts, reader }, { time: '2026-11-18T00:01:00Z' });
  expect(telemetry.metrics()).toEqual([expect.objectContaining({ IndexerLagBlocks: 70 })]);
});

test('and how old the newest block is, whether or not the node has a newer one', async () => {
  const { parts, telemetry } = makeSlot();
  await runSlot(parts, { time: '2026-11-18T00:01:00Z' });
  const [slot] = telemetry.metrics();
  // The block is of 1970; the slot ends in the minute that begins now.
  expect(slot?.IndexedHeadAge).toBeGreaterThan(NOW / 1_000);
  expect(slot?.IndexedHeadAge).toBeLessThanOrEqual(NOW / 1_000 + 60);
});

test('a block of a clock that is ahead has no age', async () => {
  const { parts, telemetry } = makeSlot(undefined, NOW / 1_000 + 300);
  await runSlot(parts, { time: '2026-11-18T00:01:00Z' });
  expect(telemetry.metrics()).toEqual([expect.objectContaining({ IndexedHeadAge: 0 })]);
});

test('one that was over before it began does nothing, and does not say that all is well', async () => {
  const { seen, parts, telemetry } = makeSlot(new Error('out of order'));
  for (const time of ['2026-11-18T00:00:00Z', '2026-11-18T00:00:01.400Z']) await runSlot(parts, { time });
  expect([seen, telemetry.emitted]).toEqual([{ now: NOW, steps: 0 }, []]);
});

test('one in which nothing succeeds fails, and does not say that all is well', async () => {
  const { parts, telemetry } = makeSlot(new Error('out of order'));
  await expect(runSlot(parts, { time: '2026-11-18T00:01:00Z' })).rejects.toThrow('out of order');
  expect(telemetry.emitted).toEqual([]);
});

test('one in which a block fails a check halts the chain, and says which setting would let it pass', async () => {
  const failure = new BlockError('inconsistent', 10, 'bloom of other logs', 'zeroBloom');
  const { parts, telemetry } = makeSlot(undefined);
  const told: unknown[] = [];
  const reader = { head: () => Promise.reject(failure) };
  const onStored = async (block: { number: number }, halted?: boolean) => {
    told.push([block.number, halted]);
  };
  const slot = { ...parts, onStored, reader: reader as unknown as FollowParts['reader'] };
  await expect(runSlot(slot, { time: '2026-11-18T00:01:00Z' })).rejects.toThrow('relax the check zeroBloom');
  expect(telemetry.metrics()).toEqual([expect.objectContaining({ Chain: 'one', IndexerHalted: 1 })]);
  expect(told).toEqual([[9, true]]);
  const [halted] = telemetry.logged.filter(({ event }) => event === 'index_halted');
  expect(halted?.reason).toContain('relax the check zeroBloom');
});

test('one in which a block could not be read for another reason does not', async () => {
  const { parts, telemetry } = makeSlot(new BlockError('unavailable', 10, 'blocks: HTTP 500'));
  await expect(runSlot(parts, { time: '2026-11-18T00:01:00Z' })).rejects.toThrow('unavailable');
  expect(telemetry.emitted).toEqual([]);
});

test('one in which nothing succeeds for want of the database says so', async () => {
  const { parts, telemetry } = makeSlot(new DatabaseUnavailableError('gone', undefined));
  await expect(runSlot(parts, { time: '2026-11-18T00:01:00Z' })).rejects.toThrow('gone');
  expect(telemetry.metrics()).toEqual([{ SlotsWithoutDatabase: 1 }]);
});
