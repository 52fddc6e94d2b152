/** A lane is stored only behind a mark of its hour, so that settlement finds it. */
import type { LaneTotal } from '../../lambdas/access/charge/lane.ts';
import { coversLane, mayTakeOff, newMark, storeBehindMark } from '../../lambdas/access/charge/lane.ts';
import { type Put, StoreUnavailableError } from '../../lambdas/access/store/store.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';

const MINUTE_MS = 60_000;
const HOUR = '2026-11-20T23';
const END_MS = Date.parse('2026-11-21T00:00:00Z');
const LANE: LaneTotal = {
  account: 'acme',
  shard: 0,
  hour: HOUR,
  lane: 'lane-------',
  charges: 1,
  total: 20n,
  used: 'c m:1:20',
};

/** A store whose puts take some time. */
class SlowStore extends MemoryStore {
  readonly #parts: { nowMs: number; putMs: number };

  constructor(parts: { nowMs: number; putMs: number }) {
    super();
    this.#parts = parts;
  }

  override put(put: Put) {
    this.#parts.nowMs += this.#parts.putMs;
    return super.put(put);
  }
}

function open(nowMs: number, putMs = 0) {
  const time = { nowMs, putMs };
  const store = new SlowStore(time);
  let marks = 0;
  const randomBytes = (count: number) => {
    marks += 1;
    return new Uint8Array(count).fill(marks);
  };
  return { time, storing: { store, clock: { now: () => time.nowMs }, randomBytes }, marks: () => marks };
}

test('in its hour and shortly after, a lane is stored behind any mark', () => {
  expect(coversLane(HOUR, undefined, END_MS - MINUTE_MS)).toBe(false);
  expect(coversLane(HOUR, END_MS - 50 * MINUTE_MS, END_MS + 4 * MINUTE_MS - 1)).toBe(true);
  expect(coversLane(HOUR, END_MS - 50 * MINUTE_MS, END_MS + 4 * MINUTE_MS)).toBe(false);
});

test('later, a mark covers what is sent within a minute, and no clock that was set back', () => {
  const markedAt = END_MS + 30 * MINUTE_MS;
  expect(coversLane(HOUR, markedAt, markedAt + MINUTE_MS - 1)).toBe(true);
  expect(coversLane(HOUR, markedAt, markedAt + MINUTE_MS)).toBe(false);
  expect(coversLane(HOUR, markedAt, markedAt - 1)).toBe(false);
});

test('a mark may be taken away a quarter of an hour after it was put', () => {
  const mark = newMark(END_MS, (count) => new Uint8Array(count));
  expect(mayTakeOff(mark, END_MS + 15 * MINUTE_MS - 1)).toBe(false);
  expect(mayTakeOff(mark, END_MS + 15 * MINUTE_MS)).toBe(true);
});

test('the hour of a lane is marked once, while its mark covers it', async () => {
  const { time, storing, marks } = open(END_MS - MINUTE_MS);
  const marked = { markedAtMs: undefined };
  await storeBehindMark(storing, LANE, marked);
  await storeBehindMark(storing, { ...LANE, total: 30n }, marked);
  expect([marks(), marked.markedAtMs]).toEqual([1, END_MS - MINUTE_MS]);
  time.nowMs = END_MS + 5 * MINUTE_MS;
  await storeBehindMark(storing, { ...LANE, total: 40n }, marked);
  await storeBehindMark(storing, { ...LANE, total: 50n }, marked);
  expect(marks()).toBe(2);
  time.nowMs += MINUTE_MS;
  await storeBehindMark(storing, { ...LANE, total: 60n }, marked);
  expect(marks()).toBe(3);
  expect(storing.store.items('lanes')).toMatchObject([{ account_shard: 'acme#0', total: 60n }]);
});

test('a process that stood still between mark and lane stores nothing behind the old mark', async () => {
  const { storing } = open(END_MS + 5 * MINUTE_MS, 60 * MINUTE_MS);
  await expect(storeBehindMark(storing, LANE)).rejects.toThrow(StoreUnavailableError);
  expect(storing.store.items('unsettled')).toHaveLength(1);
  expect(storing.store.items('lanes')).toEqual([]);
});
