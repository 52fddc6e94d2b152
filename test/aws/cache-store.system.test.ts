import { createWaitingStore } from '../../lambdas/access/bucket/waiting-store.ts';
import { createExportPlaces, PLACE_MS } from '../../lambdas/data/export/export-places.ts';
import {
  type CacheStore,
  createCacheStore,
  type StoredResponse,
} from '../../lambdas/shared/aws/cache-store.ts';
import type { Clock } from '../../lambdas/shared/runtime/clock.ts';
import type { WaitingStore } from '../../lambdas/shared/upstream/health/waiting-room.ts';
import { createCacheTable } from '../emulators/cache-table.ts';
import { EMULATORS } from '../emulators/emulators.ts';
import { emulatorClientConfig } from '../emulators/metering-tables.ts';
import type { Emulator } from '../emulators/server-process.ts';
import { listen } from '../support/listen.ts';

const TABLE = 'test-cache';
/** Far above what an emulator needs on a busy machine. */
const PATIENCE_MS = 120_000;
const EXPIRES_AT = 2_000_000_000_000;

function answer(key: string, body = `body of ${key}`, expiresAt = EXPIRES_AT): StoredResponse {
  return { key, body: new Uint8Array(Buffer.from(body)), expiresAt };
}

describe.each(EMULATORS)('on $name', ({ start }) => {
  let emulator: Emulator;
  let store: CacheStore;
  let waiting: WaitingStore;
  let now = 1_800_000_000_000;

  beforeAll(async () => {
    emulator = await start();
    const clientConfig = emulatorClientConfig(emulator.endpoint);
    await createCacheTable(emulator.endpoint, TABLE);
    const patience = { readTimeoutMs: PATIENCE_MS, writeTimeoutMs: PATIENCE_MS };
    store = createCacheStore({ tableName: TABLE, clientConfig, ...patience });
    waiting = openWaiting();
  });
  afterAll(() => emulator.close());

  /** As one more instance has it. */
  function openWaiting(burstMs?: number, clock: Clock = { now: () => now }): WaitingStore {
    const clientConfig = emulatorClientConfig(emulator.endpoint);
    const times = { connectTimeoutMs: PATIENCE_MS, requestTimeoutMs: PATIENCE_MS };
    const options = { tableName: TABLE, clientConfig, clock, ...times };
    return createWaitingStore({ ...options, ...(burstMs !== undefined && { burstMs }) });
  }

  test('has as many places for exports of a key as it may have at a time, for all instances together', async () => {
    const instances = Array.from({ length: 12 }, () =>
      createExportPlaces({ exportsPerKey: 4 }, openWaiting(PLACE_MS), { now: () => now }),
    );
    const take = async () => (await Promise.all(instances.map((one) => one.take('k')))).filter(Boolean);
    const taken = await take();
    expect(taken).toHaveLength(4);
    now += 20;
    await Promise.all(taken.slice(0, 3).map((place) => place?.leave()));
    expect(await take()).toHaveLength(3);
    expect(await instances[0]?.take('another')).toBeDefined();
  });

  test('gives as much waiting time as a room has, to all instances together', async () => {
    const room = { of: 'chain a', kind: 'trace', seats: 2 };
    const drawn = (by: WaitingStore, ms: number) => by.draw(room, ms).then(({ granted }) => granted);
    const other = openWaiting();
    expect(await drawn(waiting, 2_000)).toBe(true);
    expect(await drawn(other, 2_000)).toBe(true);
    expect(await drawn(waiting, 2_001)).toBe(false);
    expect(await drawn(other, 2_000)).toBe(true);
    expect(await drawn(waiting, 1)).toBe(false);
    expect(await other.draw({ ...room, kind: 'read' }, 1_000)).toEqual({
      granted: true,
      silentAt: 0,
      unheardAt: 0,
    });
    now += 500;
    expect(await drawn(waiting, 1_000)).toBe(true);
    expect(await drawn(other, 1)).toBe(false);
    await waiting.giveBack(room, 400);
    now += 1;
    expect(await drawn(waiting, 402)).toBe(true);
    expect(await drawn(waiting, 1)).toBe(false);
    now += 60_000;
    expect(await drawn(other, 6_000)).toBe(true);
  });

  test('refuses none of many that draw at once from a room with much left, while time passes', async () => {
    const room = { of: 'key of many', kind: 'read', seats: 256 };
    // Each draw is over before the next is made: to each the room is full again, or it was a moment before.
    const clock = { now: () => (now += 3) };
    const instances = Array.from({ length: 64 }, () => openWaiting(undefined, clock));
    const drawn = await Promise.all(instances.map((one) => one.draw(room, 500)));
    expect(drawn.filter(({ granted }) => !granted)).toEqual([]);
  });

  test('draws of calls of an upstream: those of a second, for one that yields of half a second', async () => {
    const room = { of: 'upstream example one', kind: 'calls', seats: 10, burstMs: 1_000 };
    const yielding = { ...room, burstMs: 500 };
    const other = openWaiting();
    expect(await other.draw(yielding, 5_000)).toMatchObject({ granted: true });
    expect(await other.draw(yielding, 1_000)).toMatchObject({ granted: false, waitMs: 100 });
    expect(await waiting.draw(room, 5_000)).toMatchObject({ granted: true });
    expect(await waiting.draw(room, 1_000)).toMatchObject({ granted: false, waitMs: 100 });
    now += 100;
    expect(await waiting.draw(room, 1_000)).toMatchObject({ granted: true });
  });

  test('tells every process that draws that a chain is silent, until it is heard', async () => {
    const room = { of: 'chain b', kind: 'read', seats: 2 };
    await waiting.giveBack(room, 100);
    await waiting.tell(room.of, 'silent');
    const other = openWaiting();
    expect(await other.draw(room, 6_000)).toEqual({ granted: true, silentAt: now, unheardAt: 0 });
    expect(await other.draw(room, 6_000)).toEqual({
      granted: false,
      silentAt: now,
      unheardAt: 0,
      waitMs: 3_000,
    });
    await waiting.giveBack(room, 6_000);
    now += 1;
    expect(await openWaiting().draw(room, 1_000)).toEqual({ granted: true, silentAt: 0, unheardAt: 0 });
  });

  test('reads what was written, and leaves out what is not there', async () => {
    await store.write([answer('a'), answer('b', 'x', EXPIRES_AT + 1_999)]);
    const found = await store.read(['b', 'nothing', 'a']);
    expect([...found].sort((one, other) => one.key.localeCompare(other.key))).toEqual([
      answer('a'),
      answer('b', 'x', EXPIRES_AT + 1_000),
    ]);
  });

  test('takes as many as a batch of calls has', async () => {
    const answers = Array.from({ length: 100 }, (_, index) => answer(`many ${index}`));
    await store.write(answers);
    expect(await store.read(answers.map(({ key }) => key))).toHaveLength(100);
  });

  test('asks nothing for nothing', async () => {
    expect(await store.read([])).toEqual([]);
    await store.write([]);
  });
});

describe('a store that says nothing', () => {
  test('is given up', async () => {
    const server = await listen();
    const store = createCacheStore({ tableName: TABLE, clientConfig: emulatorClientConfig(server.url) });
    await expect(store.read(['a'])).rejects.toThrow();
    await expect(store.write([answer('a')])).rejects.toThrow();
    await server.close();
  });
});
