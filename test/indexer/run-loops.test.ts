import { runSlot } from '../../lambdas/indexer/follow/follow-slot.ts';
import type { FollowParts } from '../../lambdas/indexer/follow/follow-step.ts';
import { createHeadPace } from '../../lambdas/indexer/follow/head-pace.ts';
import { runLoops } from '../../lambdas/indexer/run-loops.ts';
import { runRollupSlot } from '../../lambdas/rollups/handler.ts';
import { toQuotes } from '../../lambdas/rollups/prices/quotes.ts';
import type { ChainDatabase } from '../../lambdas/shared/chain-database/chain-database.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import type { Sleep } from '../../lambdas/shared/runtime/sleep.ts';
import { VirtualTime } from '../simulation/virtual-time.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

const CHAIN = 'example_mainnet';
const NOW = Date.parse('2026-11-18T00:01:00Z');
const TIMEOUT_MS = 100_000;
const EVENT = { time: '2026-11-18T00:01:00Z' };
const forEver = () => new Promise<never>(() => {});

interface Trouble {
  /** What becomes of each step of the index, and of each transaction of the derivation. */
  readonly index?: () => Promise<unknown>;
  readonly derive?: () => Promise<unknown>;
  /** What becomes of a failed slot on its way to its queue. */
  readonly send?: () => Promise<void>;
}

/** One slot of a chain that stands still: both loops as they are, over what answers at once, on a clock of its own. */
async function playSlot({ index, derive, send }: Trouble) {
  const time = new VirtualTime(NOW);
  const telemetry = new RecordedTelemetry();
  const clock = { now: () => time.nowMs };
  const remainingMs = () => NOW + TIMEOUT_MS - time.nowMs;
  const pause: Sleep = (durationMs, signal) =>
    new Promise((resolve) => {
      signal?.addEventListener('abort', () => resolve());
      time.after(durationMs, resolve);
    });
  const seen = {
    steps: 0,
    transactions: 0,
    /** What was sent to the queue of derivation, and the end of the process, in order. */
    letters: [] as string[],
    endedMs: 0,
    error: undefined as unknown,
  };
  const common = { clock, telemetry, pause, remainingMs };
  const block = { number: 9, hash: '0x0a', parentHash: '0x09', timestamp: NOW / 1_000 };
  const follow = {
    ...common,
    chain: CHAIN,
    reader: { head: async () => block },
    index: {
      cursor: async () => {
        seen.steps += 1;
        await index?.();
        return { ...block, epoch: 0, halted: null, nodeHead: block.hash };
      },
      noteHead: async () => undefined,
    },
    decode: () => undefined,
    pace: createHeadPace(),
  } as unknown as FollowParts & Parameters<typeof runSlot>[0];
  const database: ChainDatabase = {
    query: async () => ({ rows: [{ more: true }], updated: 0 }),
    transaction: async (work) => {
      seen.transactions += 1;
      await derive?.();
      return work({ query: async () => ({ rows: [], updated: 0 }) });
    },
  };
  const failedRollups = {
    send: async (slot: object) => {
      await send?.();
      const line = telemetry.logged.find(({ event }) => event === 'derive_slot_failed');
      seen.letters.push(`${(time.nowMs - NOW) / 1_000} s ${line?.level} ${JSON.stringify(slot)}`);
    },
  };
  const connection = connectionTo(database, CHAIN);
  const loops = {
    follow: () => runSlot(follow, EVENT),
    derive: () => runRollupSlot({ ...common, connection, quotes: toQuotes(undefined) }, EVENT),
    failedRollups,
  };
  const endProcess = () => {
    seen.letters.push(`${(time.nowMs - NOW) / 1_000} s end`);
  };
  const ended = runLoops(loops, EVENT, { ...common, chain: CHAIN, endProcess })
    .catch((error: unknown) => {
      seen.error = error;
    })
    .then(() => {
      seen.endedMs = time.nowMs - NOW;
    });
  await time.run();
  await ended;
  return {
    ...seen,
    slots: telemetry.logged.map(({ event }) => event).filter((event) => /_slot/.test(event)),
  };
}

const LETTER = `error ${JSON.stringify(EVENT)}`;
const failing = () => Promise.reject(new Error('out of order'));

test('a slot in which nothing fails ends before the next, with both loops told and nothing kept', async () => {
  const { endedMs, letters, slots, error } = await playSlot({});
  expect({ letters, slots: slots.sort(), error }).toEqual({
    letters: [],
    slots: ['derive_slot', 'index_slot'],
    error: undefined,
  });
  expect(endedMs).toBeLessThan(60_000);
});

test('a chain that cannot be indexed is derived all the same, and its slot fails, which Lambda keeps as that of an index', async () => {
  const well = await playSlot({});
  const { endedMs, letters, transactions, slots, error } = await playSlot({ index: failing });
  expect(error).toMatchObject({ errors: [new Error('out of order')] });
  expect([letters, transactions, slots.sort()]).toEqual([
    [],
    well.transactions,
    ['derive_slot', 'index_slot_failed'],
  ]);
  expect(endedMs).toBeLessThan(65_000);
});

test('a chain that cannot be derived is indexed all the same, and its slot is kept as one of derivation', async () => {
  const well = await playSlot({});
  const { letters, steps, slots, error } = await playSlot({ derive: failing });
  expect(letters).toEqual([expect.stringMatching(/^[56]\d(\.\d+)? s error /)]);
  expect(letters[0]).toContain(LETTER);
  expect([steps, slots.sort(), error]).toEqual([
    well.steps,
    ['derive_slot', 'derive_slot_failed', 'index_slot'],
    undefined,
  ]);
});

test('where both fail, each is kept in its own queue', async () => {
  const { letters, error } = await playSlot({ index: failing, derive: failing });
  expect(letters).toHaveLength(1);
  expect(error).toMatchObject({ errors: [new Error('out of order')] });
});

test('an index that hangs ends its process before the function is stopped, and nothing is kept as a slot of derivation', async () => {
  const { letters, slots } = await playSlot({ index: forEver });
  expect([letters, slots.sort()]).toEqual([['90 s end'], ['derive_slot', 'index_slot_failed']]);
});

test('a derivation that hangs is kept before its process ends, which is once the index is over', async () => {
  const { letters, slots } = await playSlot({ derive: forEver });
  expect([letters, slots.sort()]).toEqual([
    [`90 s ${LETTER}`, '90 s end'],
    ['derive_slot_failed', 'index_slot'],
  ]);
});

test('a failure that its queue does not take fails the slot, which Lambda keeps, once the other loop is over', async () => {
  const { endedMs, error, slots } = await playSlot({ derive: failing, send: failing });
  expect(error).toBeInstanceOf(AggregateError);
  expect(slots).toContain('index_slot');
  expect(endedMs).toBeGreaterThan(58_000);
});
