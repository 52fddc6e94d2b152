/** That a day of each chain is kept in one small item, written once in five minutes, and read back with its gaps. */
import fc from 'fast-check';
import type { Status } from '../../clients/typescript/src/unmetered.ts';
import { ChainHistory, HISTORY_ROWS, WINDOW_MS } from '../../lambdas/indexer/chain-history.ts';
import type { ChainReader } from '../../lambdas/indexer/follow/chain-reader.ts';
import { createHistoryReader } from '../../lambdas/status/status-history.ts';
import { StillClock } from '../access/metering-world.ts';
import { CHAIN } from '../rpc/cache/cache-world.ts';
import { MemoryCacheStore } from '../rpc/cache/memory-cache-store.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 10, 20);
const BLOCK = { number: 7, timestamp: START_MS / 1_000, hash: '0x7', parentHash: '0x6' } as const;

/** What became of each question of a slot: milliseconds until the answer, or none. */
type Asked = readonly (number | 'silent')[];

const { log } = new RecordedTelemetry();
const STATUS: Status = {
  checked_at: '2026-11-20T00:05:00Z',
  gateway: { status: 'ok' },
  chains: ['other', CHAIN.chain].map((chain) => ({
    chain,
    chain_id: 1,
    head: { block: 7, time: '2026-11-20T00:00:00Z', lag_seconds: 0 },
  })),
};

/** The history of the one chain that is asked for; the rest of the status has to be as it was. */
async function historyOf(add: ReturnType<typeof createHistoryReader>, name: string = CHAIN.chain) {
  const { chains, ...status } = await add(STATUS, name);
  const [other, asked] = chains;
  const { history, ...chain } = asked ?? {};
  expect({ ...status, chains: [other, chain] }).toEqual(STATUS);
  return history;
}

function open(isBatched = false) {
  const clock = new StillClock(START_MS);
  const store = new MemoryCacheStore();
  let next: number | 'silent' = 0;
  const reader = {
    head: async () => {
      clock.timeMs += next === 'silent' ? 0 : next;
      if (next === 'silent') throw new Error('nothing');
      return BLOCK;
    },
  } as unknown as ChainReader;
  const start = () => new ChainHistory({ records: store, chain: CHAIN.chain, clock, isBatched });
  return {
    clock,
    store,
    start,
    /** A slot of a minute, from its due time to 59 s later. */
    async slot(history: ChainHistory, asked: Asked, head: Parameters<ChainHistory['note']>[0] = BLOCK) {
      const dueMs = clock.timeMs;
      const watched = history.watch(reader);
      for (next of asked) await watched.head({ deadline: dueMs + MINUTE_MS }).catch(() => undefined);
      if (asked.some((one) => one !== 'silent')) history.note(head);
      clock.timeMs = dueMs + MINUTE_MS - 1_000;
      await history.keep();
      clock.timeMs = dueMs + MINUTE_MS;
    },
    read: () => historyOf(createHistoryReader({ chains: [CHAIN], records: store, clock, log })),
  };
}

test('a window has the newest block, its greatest age, the mean time of answers and the part that was answered', async () => {
  const { start, slot, read } = open();
  const history = start();
  for (let minute = 0; minute < 5; minute += 1) await slot(history, [10, 'silent', 30, 20]);
  expect(await read()).toEqual([
    { time: '2026-11-20T00:00:00Z', block: 7, lag_seconds: 240, latency_ms: 20, answered: 0.75 },
  ]);
});

test('nodes that are silent are a row without an answer, and an index that did not run is a gap', async () => {
  const { clock, start, slot, read } = open();
  const history = start();
  for (let minute = 0; minute < 5; minute += 1) await slot(history, ['silent']);
  clock.timeMs += 2 * WINDOW_MS;
  for (let minute = 0; minute < 5; minute += 1) await slot(history, [5]);
  expect(await read()).toMatchObject([
    { time: '2026-11-20T00:00:00Z', block: null, lag_seconds: null, latency_ms: null, answered: 0 },
    { time: '2026-11-20T00:15:00Z', block: 7, answered: 1 },
  ]);
});

test('a process that takes over keeps the rows of the one before', async () => {
  const { start, slot, read } = open();
  for (let window = 0; window < 3; window += 1) {
    const history = start();
    for (let minute = 0; minute < 5; minute += 1) await slot(history, [window + 1]);
  }
  expect((await read())?.map(({ latency_ms }) => latency_ms)).toEqual([1, 2, 3]);
});

test('two processes that take turns in a window, and in its last slots, leave the sum of both and the worst age', async () => {
  const { clock, start, slot, read } = open();
  const [one, other] = [start(), start()];
  const old = { ...BLOCK, number: 8, timestamp: BLOCK.timestamp - 900 };
  await slot(one, [10, 'silent'], old);
  await slot(other, [30]);
  await slot(one, [10]);
  await slot(other, [30, 'silent', 'silent']);
  const lastDueMs = clock.timeMs;
  await slot(one, [20]);
  clock.timeMs = lastDueMs;
  await slot(other, [20]);
  await one.keep();
  const row = { time: '2026-11-20T00:00:00Z', block: 8, lag_seconds: 900, latency_ms: 20, answered: 0.6667 };
  expect(await read()).toEqual([row]);
  // What is on record is not added again with the next window.
  for (let minute = 0; minute < 5; minute += 1) await slot(minute % 2 ? one : other, [1]);
  expect(await read()).toMatchObject([row, { answered: 1, latency_ms: 1 }]);
});

test('what the store refuses is written with the next window', async () => {
  const { store, start, slot, read } = open();
  const history = start();
  store.failure = new Error('throttled');
  for (let minute = 0; minute < 5; minute += 1) await slot(history, [1]);
  store.failure = undefined;
  for (let minute = 0; minute < 5; minute += 1) await slot(history, [2]);
  expect((await read())?.map(({ latency_ms }) => latency_ms)).toEqual([1, 2]);
});

test('an index that runs in batches is written at the end of each slot', async () => {
  const { start, slot, read } = open(true);
  await slot(start(), [4]);
  expect(await read()).toMatchObject([{ latency_ms: 4 }]);
});

test('a question that its slot left no time for says nothing of the nodes', async () => {
  const { clock, start, slot, read } = open(true);
  const history = start();
  const late = { head: async () => Promise.reject(new Error('late')) } as unknown as ChainReader;
  await history
    .watch(late)
    .head({ deadline: clock.timeMs })
    .catch(() => undefined);
  await slot(history, [4]);
  expect(await read()).toMatchObject([{ answered: 1 }]);
});

test('a status that is asked without a chain, for one that is not public, or without an index has no history', async () => {
  const { clock, store } = open();
  const parts = { chains: [{ ...CHAIN, public: false }], records: store, clock, log };
  const add = createHistoryReader(parts);
  for (const asked of [CHAIN.chain, 'nonesuch', '__proto__'])
    expect(await historyOf(add, asked)).toBeUndefined();
  expect(await add(STATUS, undefined)).toEqual(STATUS);
  expect(await historyOf(createHistoryReader({ ...parts, chains: [CHAIN], records: undefined }))).toBe(
    undefined,
  );
  expect(store.reads).toEqual([]);
});

test('a store that does not answer leaves the history out, and the status as it is', async () => {
  const { clock, store } = open();
  store.failure = new Error('throttled');
  expect(await historyOf(createHistoryReader({ chains: [CHAIN], records: store, clock, log }))).toBe(
    undefined,
  );
});

test('readers share a reading for half a minute', async () => {
  const { clock, store } = open();
  const add = createHistoryReader({ chains: [CHAIN], records: store, clock, log });
  for (let times = 0; times < 10; times += 1) expect(await historyOf(add)).toEqual([]);
  expect(store.reads).toHaveLength(1);
  clock.timeMs += 30_000;
  await historyOf(add);
  expect(store.reads).toHaveLength(2);
});

test('whatever slots run, rows are those of windows that ran, at most a day of them, of 20 KB and a write a window', async () => {
  const answer = fc.oneof(fc.integer({ min: 0, max: 9_000 }), fc.constant('silent' as const));
  const minute = fc.option(fc.array(answer, { maxLength: 3 }), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(fc.array(minute, { minLength: 5, maxLength: 40 }), async (pattern) => {
      const { clock, store, start, slot, read } = open();
      const history = start();
      const seen = new Map<number, [asked: number, answered: number]>();
      const ends = new Set<number>();
      for (let at = 0; at < 26 * 60; at += 1) {
        const asked = pattern[at % pattern.length];
        const window = Math.floor(clock.timeMs / WINDOW_MS);
        if (asked === undefined) clock.timeMs += MINUTE_MS;
        else {
          const [all, answered] = seen.get(window) ?? [0, 0];
          const good = asked.filter((one) => one !== 'silent').length;
          if (asked.length > 0) seen.set(window, [all + asked.length, answered + good]);
          if (at % 5 === 4) ends.add(window);
          await slot(history, asked);
        }
      }
      const newest = Math.floor(clock.timeMs / WINDOW_MS);
      const lastWritten = Math.max(...ends, 0);
      const expected = [...seen]
        .filter(([window]) => window > newest - HISTORY_ROWS && window <= lastWritten)
        .map(([window, [asked, answered]]) => [
          window * WINDOW_MS,
          Math.round((answered / asked) * 10_000) / 10_000,
        ]);
      const rows = (await read()) ?? [];
      expect(rows.map(({ time, answered }) => [Date.parse(time), answered])).toEqual(expected);
      expect(store.writes.length).toBeLessThanOrEqual(ends.size);
      for (const { body } of store.responses.values()) expect(body.length).toBeLessThan(20_000);
    }),
    { numRuns: 10 },
  );
});
