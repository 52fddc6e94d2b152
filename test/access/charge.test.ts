/** Each request is charged exactly once, whatever store, queue and process do meanwhile. */
import fc from 'fast-check';
import {
  entryOf,
  isTooLate,
  laneUpdate,
  parseEntry,
  slotOf,
  storeRegularly,
} from '../../lambdas/access/charge/lane.ts';
import { decodeLane, encodeLane } from '../../lambdas/access/charge/lane-message.ts';
import type { MethodUsage } from '../../lambdas/access/contract/metering.ts';
import { StoreUnavailableError } from '../../lambdas/access/store/store.ts';
import { LimitedStore } from '../simulation/stores/limited-store.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { type Fault, MeteringWorld } from './metering-world.ts';

const MAX_USAGE_TEXT_BYTES = 800;
const STORE_EVERY_MS = 500;

const HOUR = '2026-11-20T23';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const usageOf = (cu: number, method = 'eth_call'): MethodUsage[] => [
  { chain: 'example_mainnet', method, calls: 1, cu, cached: 0, errors: 0 },
];

describe('charge', () => {
  let world: MeteringWorld;

  beforeEach(async () => {
    world = await new MeteringWorld(new MemoryStore()).create({ granted: 1_000n });
  });

  const charge = (cu: number) => world.meter.charge(world.holder, cu, usageOf(cu)).store();

  async function mark() {
    const hour = { account: world.holder.account, shard: 0, hour: HOUR };
    return world.stored.get('unsettled', { slot: slotOf(hour), entry: entryOf(hour) });
  }

  test('the first of an hour marks the hour and stores its lane; each further one is one write', async () => {
    expect(await charge(75)).toBe('stored');
    expect([world.store.reads, world.store.writes]).toEqual([0, 2]);
    expect(await mark()).toMatchObject({ mark: expect.stringMatching(/^\d{13}\.[\w-]{11}$/) });
    for (const cu of [1, 2, 3]) expect(await charge(cu)).toBe('stored');
    expect(world.store.writes).toBe(5);
    const [lane, ...others] = await world.lanes();
    expect(others).toEqual([]);
    expect(lane).toMatchObject({ total: 81n, used: 'example_mainnet eth_call:4:81' });
    expect(lane?.expires_at).toBe(BigInt((Date.UTC(2026, 10, 21) + 40 * DAY_MS) / 1_000));
  });

  test('one write unit, also with the longest usage text', async () => {
    const methods = Array.from({ length: 100 }, (_, index) => usageOf(1, `eth_${index}`)).flat();
    const store = new MemoryStore();
    const limited = new LimitedStore({ store, nowMs: () => world.clock.timeMs });
    const meter = world.instance(limited);
    for (const units of [1, 2]) {
      await meter.charge(world.holder, 100, methods).store();
      expect(limited.figures('lanes').writeUnits).toBe(units);
    }
    const [lane] = store.items('lanes');
    expect(String(lane?.used).length).toBeGreaterThan(MAX_USAGE_TEXT_BYTES - 30);
    expect(lane?.total).toBe(200n);
  });

  test('a new hour is a new lane; 50 charges of two instances at once sum exactly', async () => {
    await charge(1);
    world.clock.timeMs += HOUR_MS;
    const other = world.instance();
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (index % 2 === 0 ? other : world.meter).charge(world.holder, index + 1, usageOf(index + 1)).store(),
      ),
    );
    expect(new Set(outcomes)).toEqual(new Set(['stored']));
    expect(await world.lanes()).toHaveLength(3);
    expect(await world.chargedCu()).toBe(1n + 1_275n);
  });

  const passing: readonly (readonly Fault[])[] = [
    ['throttled'],
    ['request_lost'],
    ['answer_lost'],
    ['answer_lost', 'answer_lost'],
    ['request_lost', 'answer_lost'],
  ];
  test.each(passing.map((each) => [each.join(' then '), each] as const))(
    '%s: charged once',
    async (_, each) => {
      await charge(5);
      world.store.writeFaults.push(...each);
      expect(await charge(75)).toBe('stored');
      expect(await world.chargedCu()).toBe(80n);
      expect(world.queue.lanes).toEqual([]);
    },
  );

  const failing: readonly (readonly Fault[])[] = [
    ['throttled', 'throttled', 'throttled'],
    ['answer_lost', 'answer_lost', 'answer_lost'],
    ['answer_lost', 'throttled', 'request_lost'],
  ];
  test.each(failing.map((each) => [each.join(', '), each] as const))(
    '%s: queued; the next charge stores both, and the message changes nothing however often it comes',
    async (_, each) => {
      await charge(5);
      world.store.writeFaults.push(...each);
      expect(await charge(75)).toBe('queued');
      expect(await charge(25)).toBe('stored');
      const [queued, ...others] = world.queue.lanes;
      if (queued === undefined) throw new Error('nothing was queued');
      expect(others).toEqual([]);
      expect(queued.total).toBe(80n);
      for (let delivery = 0; delivery < 3; delivery++) await world.stored.update(laneUpdate(queued));
      expect(await world.chargedCu()).toBe(105n);
    },
  );

  test('a message that comes first is contained in what the process stores later', async () => {
    world.store.writeFaults.push('throttled', 'throttled', 'throttled');
    await charge(75);
    const [queued] = world.queue.lanes;
    if (queued === undefined) throw new Error('nothing was queued');
    await world.stored.update(laneUpdate(queued));
    expect(await world.chargedCu()).toBe(75n);
    await charge(25);
    expect(await world.chargedCu()).toBe(100n);
  });

  test('neither store nor queue: it stays in memory, and any later request stores it', async () => {
    await charge(5);
    world.store.writeFaults.push('throttled', 'throttled', 'throttled');
    world.queue.failures = 2;
    expect(await charge(75)).toBe('unstored');
    expect(await world.chargedCu()).toBe(5n);
    await world.meter.storeDue();
    expect(await world.chargedCu()).toBe(80n);
  });

  test('neither store nor queue: a process that is told to end hands it over', async () => {
    world.store.writeFaults.push('throttled', 'throttled', 'throttled');
    world.queue.failures = 2;
    expect(await charge(75)).toBe('unstored');
    await world.meter.handOver();
    expect(world.queue.lanes.map(({ total }) => total)).toEqual([75n]);
  });

  test('lanes that no process takes leave others their turn', async () => {
    const meter = world.instance(world.store, { groupCommitCu: 100 });
    const pass = world.store.update;
    world.store.update = async (update) => {
      if (String(update.key.account_shard).startsWith('refused'))
        throw new StoreUnavailableError('refused', false);
      return pass(update);
    };
    world.queue.failures = Number.POSITIVE_INFINITY;
    for (let lane = 0; lane < 16; lane++)
      expect(await meter.charge({ keyId: 'k', account: `refused-${lane}` }, 1, usageOf(1)).store()).toBe(
        'unstored',
      );
    expect(await meter.charge(world.holder, 1, usageOf(1)).store()).toBe('stored');
    expect(await meter.charge(world.holder, 5, usageOf(5)).store()).toBe('grouped');
    world.clock.timeMs += 1_000;
    for (let request = 0; request < 2; request++) await meter.storeDue();
    expect(await world.chargedCu()).toBe(6n);
  });

  test('a process that runs on between requests stores what it held back, whatever number of accounts', async () => {
    const meter = world.instance(world.store, { groupCommitCu: 1_000 });
    const accounts = Array.from({ length: 40 }, (_, index) => ({
      ...world.holder,
      account: `held-${index}`,
    }));
    for (const holder of [world.holder, ...accounts])
      for (const cu of [1, 5]) await meter.charge(holder, cu, usageOf(cu)).store();
    expect(await world.chargedCu()).toBe(1n);
    world.store.forgetCounts();
    let rounds = 0;
    const pause = async () => {
      rounds += 1;
      world.clock.timeMs += STORE_EVERY_MS;
    };
    await storeRegularly(meter, pause, () => rounds === 3);
    expect(await world.chargedCu()).toBe(6n);
    expect(world.store.writes).toBe(41);
  });

  test('a lane that failed is tried once by the next request: a throttled store is not hammered', async () => {
    await charge(5);
    world.store.writeFaults.push('throttled', 'throttled', 'throttled', 'throttled');
    await charge(75);
    world.store.forgetCounts();
    expect(await charge(25)).toBe('queued');
    expect(world.store.writes).toBe(1);
  });

  test('no attempt begins after the time budget', async () => {
    await charge(5);
    world.store.forgetCounts();
    world.store.writeFaults.push('request_lost', 'request_lost', 'request_lost');
    const slow = world.store.update;
    world.store.update = (update) => {
      world.clock.timeMs += 1_000;
      return slow(update);
    };
    expect(await charge(75)).toBe('queued');
    expect(world.store.writes).toBe(2);
  });

  test('what an instance that stood still for an hour has not stored, it stores behind a new mark', async () => {
    await charge(5);
    const before = await mark();
    world.store.writeFaults.push('throttled', 'throttled', 'throttled');
    world.queue.failures = 2;
    await charge(75);
    world.clock.timeMs += HOUR_MS;
    await charge(1);
    await world.meter.storeDue();
    expect(await world.chargedCu()).toBe(81n);
    expect((await mark())?.mark).not.toBe(before?.mark);
  });

  test('an hour whose lanes may have expired takes no charge any more', async () => {
    await charge(5);
    world.store.writeFaults.push('throttled', 'throttled', 'throttled');
    world.queue.failures = 2;
    await charge(75);
    world.clock.timeMs += 31 * DAY_MS;
    await world.meter.storeDue();
    expect(await world.chargedCu()).toBe(5n);
    expect(world.telemetry.logged).toContainEqual(
      expect.objectContaining({ event: 'charge_lost', cu: 75, reason: 'too_late' }),
    );
    await world.meter.storeDue();
    await world.meter.handOver();
    expect(world.telemetry.logged.filter(({ event }) => event === 'charge_lost')).toHaveLength(1);
    expect(world.queue.lanes).toEqual([]);
  });

  test.each([0.5, Number.NaN])('a defective amount (%p) is logged, never thrown', async (cu) => {
    expect(await charge(cu)).toBe('unstored');
    expect(await world.chargedCu()).toBe(0n);
  });

  describe('in groups', () => {
    const MOST_CU = 100;

    test('a lane that was stored less than a second ago waits for a later request', async () => {
      const meter = world.instance(world.store, { groupCommitCu: MOST_CU });
      const chargeMore = (cu: number) => meter.charge(world.holder, cu, usageOf(cu)).store();
      expect(await chargeMore(10)).toBe('stored');
      for (let request = 0; request < 5; request++) expect(await chargeMore(10)).toBe('grouped');
      expect(await world.chargedCu()).toBe(10n);
      world.clock.timeMs += 999;
      await meter.storeDue();
      expect(await world.chargedCu()).toBe(10n);
      world.clock.timeMs += 1;
      await meter.storeDue();
      expect(await world.chargedCu()).toBe(60n);
    });

    test('an instance holds back no more than its bound', async () => {
      const meter = world.instance(world.store, { groupCommitCu: MOST_CU });
      await meter.charge(world.holder, 10, usageOf(10)).store();
      expect(await meter.charge(world.holder, MOST_CU, usageOf(MOST_CU)).store()).toBe('grouped');
      expect(await meter.charge(world.holder, 1, usageOf(1)).store()).toBe('stored');
      expect(await world.chargedCu()).toBe(111n);
    });

    test('its bound is over all its accounts', async () => {
      const meter = world.instance(world.store, { groupCommitCu: MOST_CU });
      const holders = [world.holder, { keyId: 'k', account: `${world.holder.account}-other` }];
      for (const holder of holders) await meter.charge(holder, 10, usageOf(10)).store();
      expect(await meter.charge(holders[0] ?? world.holder, 60, usageOf(60)).store()).toBe('grouped');
      expect(await meter.charge(holders[1] ?? world.holder, 60, usageOf(60)).store()).toBe('stored');
    });

    test('a process that is told to end hands over what it holds back', async () => {
      const meter = world.instance(world.store, { groupCommitCu: MOST_CU });
      for (let request = 0; request < 3; request++) await meter.charge(world.holder, 10, usageOf(10)).store();
      await meter.handOver();
      expect(world.queue.lanes.map(({ total }) => total)).toEqual([30n]);
    });
  });
});

test('a lane may rise for 30 days after its hour', () => {
  const end = Date.UTC(2026, 10, 21);
  expect(isTooLate(HOUR, end + 30 * DAY_MS - 1)).toBe(false);
  expect(isTooLate(HOUR, end + 30 * DAY_MS)).toBe(true);
});

describe('work list', () => {
  const hours = fc.record({
    account: fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,62}$/),
    shard: fc.integer({ min: 0, max: 63 }),
    hour: fc
      .integer({ min: 0, max: 200_000 })
      .map((hour) => new Date(hour * HOUR_MS).toISOString().slice(0, 13)),
  });

  test('an entry names its hour, account and shard, and sorts by hour', () => {
    fc.assert(
      fc.property(hours, hours, (one, other) => {
        expect(parseEntry(entryOf(one))).toEqual(one);
        expect(slotOf(one)).toMatch(/^(0\d|[1-5]\d|6[0-3])$/);
        if (one.hour < other.hour) expect(entryOf(one) < entryOf(other)).toBe(true);
      }),
      { verbose: 1 },
    );
  });

  test.each([[''], ['2026-11-20T23'], ['2026-11-20T23#acme'], ['2026-11-20T23#acme#x']])(
    '%p is no entry',
    (entry) => {
      expect(() => parseEntry(entry)).toThrow(TypeError);
    },
  );
});

describe('message of a lane', () => {
  const lane = {
    account: 'acme',
    shard: 3,
    hour: HOUR,
    lane: '__________8',
    charges: 3,
    total: 75n,
    used: 'example_mainnet eth_call:3:75',
  };

  test('carries the whole lane', () => {
    expect(decodeLane(encodeLane(lane))).toEqual(lane);
  });

  const message = JSON.parse(encodeLane(lane));
  test.each([
    [''],
    ['null'],
    ['[]'],
    ['{"account":'],
    [JSON.stringify({ ...message, total: 75 })],
    [JSON.stringify({ ...message, total: '-75' })],
    [JSON.stringify({ ...message, total: '0' })],
    [JSON.stringify({ ...message, total: '76' })],
    [JSON.stringify({ ...message, charges: undefined })],
    [JSON.stringify({ ...message, charges: '3' })],
    [JSON.stringify({ ...message, charges: -1 })],
    [JSON.stringify({ ...message, charges: 1.5 })],
    [JSON.stringify({ ...message, shard: 64 })],
    [JSON.stringify({ ...message, shard: '3' })],
    [JSON.stringify({ ...message, hour: '2026-11-20' })],
    [JSON.stringify({ ...message, hour: '2026-13-20T25' })],
    [JSON.stringify({ ...message, lane: 'x' })],
    [JSON.stringify({ ...message, account: '' })],
    [JSON.stringify({ ...message, used: 'nonsense' })],
  ])('%s is none', (body) => {
    expect(decodeLane(body)).toBeUndefined();
  });
});
