/** Lanes from the queue are stored at their highest total, however they are delivered. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import type { LaneTotal } from '../../lambdas/access/charge/lane.ts';
import { entryOf, slotOf } from '../../lambdas/access/charge/lane.ts';
import { encodeLane } from '../../lambdas/access/charge/lane-message.ts';
import type { Store } from '../../lambdas/access/store/store.ts';
import { storeLanes } from '../../lambdas/charges/handler.ts';
import { FaultyStore } from '../access/metering-world.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { passOn } from '../simulation/stores/pass-on.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

type QueuedStoring = Parameters<typeof storeLanes>[0];

const HOUR = '2026-11-20T23';
/** What the consumer works with, at a time. */
function storingAt(time: string, store: Store) {
  return {
    store,
    clock: { now: () => Date.parse(time) },
    randomBytes: (count) => randomBytes(count),
    telemetry: new RecordedTelemetry(),
  } satisfies QueuedStoring;
}
const storing = (store: Store) => storingAt('2026-11-20T23:30:00Z', store);

/** The lane of a process life, as its message says it. */
function laneOf(changes: Partial<Omit<LaneTotal, 'used'>> = {}): LaneTotal {
  const { total = 20n } = changes;
  const used = `example_mainnet eth_blockNumber:${total}:${total}`;
  return { account: 'acme', shard: 0, hour: HOUR, lane: 'lane-1_____', charges: 1, ...changes, total, used };
}

let messages = 0;
function messageOf(lane: LaneTotal) {
  messages += 1;
  return { messageId: `message-${messages}`, body: encodeLane(lane) };
}

async function stored(store: Store, { account, shard, hour, lane }: LaneTotal) {
  const key = { account_shard: `${account}#${shard}`, hour_lane: `${hour}#${lane}` };
  return (await store.get('lanes', key))?.total;
}

describe('storeLanes', () => {
  test('stores each lane at the highest total of the batch, and marks its hour', async () => {
    const store = new MemoryStore();
    const lanes = [30n, 50n, 40n].map((total) => laneOf({ total }));
    const other = laneOf({ lane: 'lane-2_____', shard: 3, total: 7n });
    const result = await storeLanes(storing(store), [...lanes, other].map(messageOf));
    expect(result).toEqual({ batchItemFailures: [] });
    expect(await stored(store, laneOf())).toBe(50n);
    expect(await stored(store, other)).toBe(7n);
    const marks = [laneOf(), other].map((lane) =>
      store.get('unsettled', { slot: slotOf(lane), entry: entryOf(lane) }),
    );
    const [one, two] = await Promise.all(marks);
    expect([one?.mark, two?.mark]).toEqual([expect.any(String), expect.any(String)]);
  });

  test('asks for every message of a lane that the store did not take, and only for those', async () => {
    const store = new FaultyStore(new MemoryStore());
    const failing = [30n, 50n].map((total) => messageOf(laneOf({ total })));
    const fine = messageOf(laneOf({ lane: 'lane-2_____' }));
    store.writeFaults.push('throttled');
    const { batchItemFailures } = await storeLanes(
      storing(store),
      [failing[0], fine, failing[1]].flatMap((one) => one ?? []),
    );
    expect(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)).toEqual(
      failing.map(({ messageId }) => messageId),
    );
    expect(await storeLanes(storing(store), failing)).toEqual({ batchItemFailures: [] });
    expect(await stored(store, laneOf())).toBe(50n);
  });
});

test('delivered in any order, doubled and in any batches, a lane ends at its highest total', async () => {
  const totals = fc.array(fc.bigInt(1n, 1_000n), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(totals, fc.infiniteStream(fc.integer({ min: 1, max: 4 })), async (delivered, sizes) => {
      const store = new MemoryStore();
      const left = delivered.map((total) => messageOf(laneOf({ total })));
      while (left.length > 0) await storeLanes(storing(store), left.splice(0, sizes.next().value));
      const highest = delivered.reduce((most, total) => (total > most ? total : most), 0n);
      expect(await stored(store, laneOf())).toBe(highest);
    }),
  );
});

test('the hour is marked anew before the lane is written', async () => {
  const store = new MemoryStore();
  const writes: string[] = [];
  const told: Store = {
    ...passOn(store),
    put: (put) => {
      writes.push(`${put.table} ${put.item.mark}`);
      return store.put(put);
    },
    update: (update) => {
      writes.push(update.table);
      return store.update(update);
    },
  };
  for (const total of [5n, 9n]) await storeLanes(storing(told), [messageOf(laneOf({ total }))]);
  const mark = expect.stringMatching(/^unsettled \d+\.[\w-]+$/);
  expect(writes).toEqual([mark, 'lanes', mark, 'lanes']);
  expect(writes[0]).not.toBe(writes[2]);
});

test('a defect asks for its lane again, and is told apart from a store that refuses', async () => {
  const store = new FaultyStore(new MemoryStore());
  const { telemetry, ...parts } = storing(store);
  store.writeFaults.push('throttled');
  await storeLanes({ ...parts, telemetry }, [messageOf(laneOf())]);
  const randomBytes = () => {
    throw new TypeError('defect');
  };
  const message = messageOf(laneOf());
  expect(await storeLanes({ ...parts, telemetry, randomBytes }, [message])).toEqual({
    batchItemFailures: [{ itemIdentifier: message.messageId }],
  });
  expect(telemetry.logged.map(({ level, event }) => [level, event])).toEqual([
    ['warn', 'charge_attempt_failed'],
    ['error', 'charge_attempt_failed'],
  ]);
});

test('a malformed message fails alone', async () => {
  const store = new MemoryStore();
  const malformed = { messageId: 'malformed', body: '{"account":"acme"}' };
  expect(await storeLanes(storing(store), [malformed, messageOf(laneOf())])).toEqual({
    batchItemFailures: [{ itemIdentifier: 'malformed' }],
  });
  expect(await stored(store, laneOf())).toBe(20n);
});

test('a lane that is too late to be stored is logged, counted as uncharged, and done', async () => {
  const store = new MemoryStore();
  const late = storingAt('2026-12-21T00:00:00Z', store);
  expect(await storeLanes(late, [messageOf(laneOf())])).toEqual({ batchItemFailures: [] });
  expect(store.items('lanes')).toEqual([]);
  expect(store.items('unsettled')).toEqual([]);
  expect(late.telemetry.logged).toEqual([
    { level: 'error', event: 'charge_lost', account: 'acme', hour: HOUR, cu: 20, reason: 'too_late' },
  ]);
  expect(late.telemetry.metrics()).toEqual([{ UnchargedComputeUnits: 20 }]);
});
