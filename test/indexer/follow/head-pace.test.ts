/**
 * At the head a node is asked no more often than its chain's blocks want: what that takes in calls and transactions, and how
 * long a block waits (docs/indexing.md, "Following the head").
 */
import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { followSlot } from '../../../lambdas/indexer/follow/follow-slot.ts';
import { createHeadPace } from '../../../lambdas/indexer/follow/head-pace.ts';
import { createNodeReader } from '../../../lambdas/indexer/follow/node-reader.ts';
import { RecordedTelemetry } from '../../support/recorded-telemetry.ts';
import { indexInMemory } from './index-in-memory.ts';
import { NODE_MS, pacedChain } from './paced-chain.ts';

const SLOT_MS = 60_000;
const COUNTED_SLOTS = 2;
/** Time that the database takes for a transaction, in milliseconds. */
const STORE_MS = 100;

/** Follows a chain of so many blocks a second, first to its head, and counts whole slots that begin there. */
async function follow(blocksPerSecond: number, headPauseMs?: number) {
  const startMs = SLOT_MS;
  const endMs = startMs + COUNTED_SLOTS * SLOT_MS;
  const { node, clock, pass, calls, ageOf, genesis } = pacedChain(blocksPerSecond, endMs);
  let transactions = 0;
  const stored: RawBlock[] = [];
  const memory = indexInMemory(stored);
  const waits: number[] = [];
  const index = {
    ...memory,
    append: async (seen: unknown, page: { rows: RawBlock[] }) => {
      await pass(STORE_MS);
      transactions += 1;
      if (clock.now() > startMs) waits.push(...page.rows.map(({ number }) => ageOf(number)));
      await memory.append(seen, page);
    },
    cursor: async () => ({ ...(await memory.cursor()), ...genesis, ...lastOf(stored) }),
  };
  const parts = {
    chain: 'one',
    reader: createNodeReader(node, clock, { traces: false }, pass),
    index: index as never,
    decode: (block: RawBlock) => block as never,
    ...{ clock, pause: pass, telemetry: new RecordedTelemetry(), pace: createHeadPace(headPauseMs) },
  };
  await followSlot(parts, startMs);
  const before = { calls: calls(), transactions };
  await pass(startMs - clock.now());
  for (let until = startMs + SLOT_MS; until <= endMs; until += SLOT_MS) {
    await followSlot(parts, until);
    await pass(until - clock.now());
  }
  const seconds = (endMs - startMs) / 1_000;
  return {
    callsPerSecond: (calls() - before.calls) / seconds,
    transactionsPerSecond: (transactions - before.transactions) / seconds,
    blocks: waits.length,
    meanMs: waits.reduce((sum, ms) => sum + ms, 0) / Math.max(1, waits.length),
    longestMs: Math.max(0, ...waits),
  };
}

function lastOf(stored: readonly RawBlock[]) {
  const last = stored.at(-1);
  return last && { timestamp: last.timestamp };
}

const runs = new Map<string, ReturnType<typeof follow>>();
/** The same, a chain and a pace followed once. */
function once(blocksPerSecond: number, headPauseMs?: number) {
  const key = `${blocksPerSecond} ${headPauseMs}`;
  const run = runs.get(key) ?? follow(blocksPerSecond, headPauseMs);
  runs.set(key, run);
  return run;
}

test.each([
  ['no blocks', 0, undefined, 3.5, 4],
  ['12 s blocks', 1 / 12, undefined, 0.3, 0.8],
  ['2 s blocks', 1 / 2, undefined, 2.5, 3.5],
  ['1 block/s', 1, undefined, 4.5, 5.5],
  ['4 blocks/s', 4, undefined, 6, 8],
  ['10 blocks/s', 10, undefined, 18, 20],
  ['4 blocks/s at a pause of 250 ms', 4, 250, 9, 11],
  ['1 block/s at a pause of 250 ms', 1, 250, 4.5, 5.5],
])('calls of the node at %s', async (_, blocksPerSecond, headPauseMs, least, most) => {
  const { callsPerSecond } = await once(blocksPerSecond, headPauseMs);
  expect(callsPerSecond).toBeGreaterThanOrEqual(least);
  expect(callsPerSecond).toBeLessThanOrEqual(most);
});

test.each([2, 4, 10])('at %i blocks/s all that came in a second are one transaction', async (rate) => {
  const { transactionsPerSecond, blocks, meanMs, longestMs } = await once(rate);
  expect(transactionsPerSecond).toBeLessThanOrEqual(1.1);
  expect(blocks).toBeGreaterThan(rate * 110);
  expect(longestMs).toBeLessThanOrEqual(1_200);
  expect(meanMs - STORE_MS - 2 * NODE_MS).toBeLessThanOrEqual(510);
});

test.each([
  [1 / 2, 1_000],
  [1 / 12, 3_200],
])('at %d blocks/s a block waits a quarter of the time of one', async (rate, longestMs) => {
  expect((await once(rate)).longestMs).toBeLessThanOrEqual(longestMs);
});

describe('the pace', () => {
  /** A pace that has seen a minute of a chain, a block every so many seconds. */
  const seen = (blockSeconds: number, pace = createHeadPace()) => {
    for (let number = 0; number * blockSeconds <= 90; number += 1)
      pace.observe({ number, timestamp: Math.floor(number * blockSeconds) });
    return pace;
  };

  test.each([
    [0.1, 1_000],
    [0.25, 1_000],
    [0.9, 1_000],
    [1, 250],
    [2, 500],
    [12, 3_000],
    [60, 3_000],
  ])('of blocks every %d s is a question every %i ms', (blockSeconds, expected) => {
    expect(Math.round(seen(blockSeconds).pauseMs(0) / 10) * 10).toBe(expected);
  });

  test('is 250 ms as long as nothing is known, or only whole seconds of it', () => {
    const pace = createHeadPace();
    expect(pace.pauseMs(0)).toBe(250);
    for (let number = 0; number < 30; number += 1)
      pace.observe({ number, timestamp: Math.floor(number / 4) });
    expect(pace.pauseMs(0)).toBe(250);
  });

  test('follows a chain that changes its own, also after it was taken back', () => {
    const pace = seen(12);
    for (let number = 5; number < 800; number += 1) pace.observe({ number, timestamp: 60 + number / 4 });
    expect(pace.pauseMs(0)).toBe(1_000);
  });

  test('counts the time of the step itself, and always leaves some', () => {
    expect(seen(12).pauseMs(1_000)).toBe(2_000);
    expect(seen(12).pauseMs(5_000)).toBe(250);
    expect(createHeadPace(300).pauseMs(5_000)).toBe(300);
  });
});
