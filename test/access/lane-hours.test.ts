/** The lanes of any hours are read whole, in pages that a throttled store bears. */
import fc from 'fast-check';
import { laneHours } from '../../lambdas/access/accounts/lane-hours.ts';
import {
  byHour,
  type HourLanes,
  type LaneRange,
  shardQuery,
} from '../../lambdas/access/accounts/read-lanes.ts';
import { laneUpdate } from '../../lambdas/access/charge/lane.ts';
import type { Reading } from '../../lambdas/access/store/query-items.ts';
import { type Query, type Store, StoreUnavailableError } from '../../lambdas/access/store/store.ts';
import { LimitedStore } from '../simulation/stores/limited-store.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { passOn } from '../simulation/stores/pass-on.ts';
import { VirtualTime } from '../simulation/virtual-time.ts';

const HOURS = ['2026-11-20T07', '2026-11-20T08', '2026-11-20T09'];
const PAGE = 250;
const LONGEST_USAGE = 'x'.repeat(800);

async function putLanes(store: Store, hour: string, count: number, { shard = 0, used = 'c m:1:3' } = {}) {
  for (let lane = 0; lane < count; lane += 1) {
    const name = `lane${String(lane).padStart(7, '0')}`;
    await store.update(laneUpdate({ account: 'acme', shard, hour, lane: name, charges: 1, total: 3n, used }));
  }
}

/** A reading in which every pause is noted and takes no time. */
function readingOf(store: Store): Reading & { readonly pauses: number[] } {
  const pauses: number[] = [];
  return { store, pause: async (durationMs) => void pauses.push(durationMs), pauses };
}

/** A store that is told of each query of a page and may refuse it. */
function watched(store: Store, onQuery: (query: Query) => void): Store {
  return {
    ...passOn(store),
    query: async (query) => {
      onQuery(query);
      return store.query(query);
    },
  };
}

function throttled(): never {
  throw new StoreUnavailableError('throttled', false);
}

const range = (shards = 1) => ({ account: 'acme', shards, fromHour: HOURS[0] ?? '', toHour: HOURS[2] ?? '' });
const named = (hours: readonly HourLanes[]) =>
  hours.map(({ hour, cu, lanes }) => ({ hour, cu, lanes: lanes.map(({ hour_lane }) => hour_lane).sort() }));

/** The hours of a range, by one query of each shard. */
async function atOnce(store: MemoryStore, range: LaneRange): Promise<HourLanes[]> {
  const shards = Array.from({ length: range.shards }, (_, shard) => shardQuery(range, shard));
  const pages = await Promise.all(shards.map((query) => store.query({ ...query, limit: 10_000 })));
  return byHour(pages.flatMap(({ items }) => items));
}

test('the hours are those that one query of all lanes finds, whatever the pages and shards', async () => {
  const counts = fc.array(fc.integer({ min: 0, max: 2 * PAGE }), { minLength: 3, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(counts, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      async (lanes, totals) => {
        const store = new MemoryStore();
        for (const [shard, hours] of lanes.entries()) {
          for (const [place, count] of hours.entries())
            await putLanes(store, HOURS[place] ?? '', count, { shard });
        }
        const asked = { ...range(lanes.length), totals };
        const hours = await Array.fromAsync(laneHours(readingOf(store), asked));
        expect(named(hours)).toEqual(named(await atOnce(store, asked)));
      },
    ),
    { numRuns: 25 },
  );
});

test('only the hours that are asked for are read, and eventually if that is asked for', async () => {
  const store = new MemoryStore();
  for (const hour of ['2026-11-20T06', ...HOURS, '2026-11-20T10']) await putLanes(store, hour, 1);
  const queries: Query[] = [];
  const reading = readingOf(watched(store, (query) => queries.push(query)));
  const hours = await Array.fromAsync(laneHours(reading, { ...range(), eventual: true }));
  expect(hours.map(({ hour }) => hour)).toEqual(HOURS);
  expect(queries).toEqual([expect.objectContaining({ eventual: true, limit: PAGE })]);
  expect(reading.pauses).toEqual([]);
});

test('an hour is there before a page of the next one is read', async () => {
  const store = new MemoryStore();
  await putLanes(store, HOURS[0] ?? '', PAGE - 1);
  await putLanes(store, HOURS[1] ?? '', 2 * PAGE);
  let queries = 0;
  const hours = laneHours(
    readingOf(
      watched(store, () => {
        queries += 1;
      }),
    ),
    range(),
  );
  expect((await hours.next()).value).toMatchObject({ hour: HOURS[0], cu: 747n });
  expect(queries).toBe(1);
  expect((await hours.next()).value).toMatchObject({ hour: HOURS[1], cu: 1_500n });
  expect(queries).toBe(3);
});

test('a page that fails is asked for again, and no other; pauses grow to a bound', async () => {
  const store = new MemoryStore();
  await putLanes(store, HOURS[0] ?? '', 3 * PAGE);
  const asked: unknown[] = [];
  let failures = 9;
  const flaky = watched(store, ({ after }) => {
    asked.push(after?.hour_lane);
    if (asked.length > 1 && failures-- > 0) throttled();
  });
  const reading = readingOf(flaky);
  const totals = { ...range(), totals: true };
  expect(await Array.fromAsync(laneHours(reading, totals))).toMatchObject([{ cu: 2_250n }]);
  expect(new Set(asked.slice(1, 11)).size).toBe(1);
  expect(asked).toHaveLength(12);
  expect(reading.pauses).toEqual([63, 50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 63]);
});

test('a page that fails for half a minute ends the reading; the hours before it were whole', async () => {
  const store = new MemoryStore();
  await putLanes(store, HOURS[0] ?? '', PAGE);
  await putLanes(store, HOURS[1] ?? '', PAGE);
  await putLanes(store, HOURS[2] ?? '', PAGE);
  const last = watched(store, ({ after }) => {
    if (String(after?.hour_lane ?? '') > `${HOURS[1]}#`) throttled();
  });
  const reading = readingOf(last);
  const seen: HourLanes[] = [];
  const all = async () => {
    for await (const hour of laneHours(reading, range())) seen.push(hour);
  };
  await expect(all()).rejects.toThrow('throttled');
  expect(seen.map(({ hour }) => hour)).toEqual(HOURS.slice(0, 1));
  const waitedMs = reading.pauses.reduce((sum, ms) => sum + ms, 0);
  expect(waitedMs).toBeGreaterThan(25_000);
  expect(waitedMs).toBeLessThan(60_000);
});

test('a reading that is to give up rejects at the first failure, and with what is no failure of the store', async () => {
  const store = new MemoryStore();
  await putLanes(store, HOURS[0] ?? '', 1, { shard: 1 });
  let queries = 0;
  const failing = watched(store, () => {
    queries += 1;
    throttled();
  });
  const giveUp = { ...readingOf(failing), giveUp: () => true };
  await expect(Array.fromAsync(laneHours(giveUp, range(3)))).rejects.toThrow(StoreUnavailableError);
  expect(queries).toBe(3);
  const broken = watched(store, () => {
    throw new TypeError('broken');
  });
  await expect(Array.fromAsync(laneHours(readingOf(broken), range()))).rejects.toThrow('broken');
});

test.each([1, 4])('20,000 lanes of 900 bytes on %i shards are read without a throttle', async (shards) => {
  const time = new VirtualTime(Date.UTC(2026, 10, 20, 12));
  const store = new MemoryStore();
  for (let shard = 0; shard < shards; shard += 1) {
    await putLanes(store, HOURS[0] ?? '', 20_000 / shards, { shard, used: LONGEST_USAGE });
  }
  const limited = new LimitedStore({ store, nowMs: () => time.nowMs });
  const startMs = time.nowMs;
  let lanes = 0;
  const read = async () => {
    for await (const hour of laneHours({ store: limited, pause: time.pause }, range(shards)))
      lanes += hour.lanes.length;
  };
  await Promise.all([read(), time.run()]);
  expect(lanes).toBe(20_000);
  const { readUnits, throttledReads } = limited.figures('lanes');
  expect(throttledReads).toBe(0);
  expect(readUnits).toBeLessThan(1.05 * 20_000 * (900 / 4_096));
  expect(time.nowMs - startMs).toBeLessThan(6_000 / shards);
});
