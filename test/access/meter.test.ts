import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createDynamoStore } from '../../lambdas/access/dynamo-store.ts';
import type { Admission, Refusal } from '../../lambdas/access/metering.ts';
import { emulatorClientConfig } from '../emulators/metering-tables.ts';
import { MemoryStore } from '../simulation/memory-store.ts';
import { MeteringWorld, type OpenedStore, STORES } from './metering-world.ts';

function refusalOf(admission: Admission): Refusal {
  if (admission.admitted) throw new Error('admitted');
  return admission.refusal;
}

beforeEach(() => {
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe.each(STORES)('meter on $name', ({ open }) => {
  let opened: OpenedStore;
  let world: MeteringWorld;

  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    world = await new MeteringWorld(opened.store).create();
  });

  const admit = (cu: number, calls = 1) => world.meter.admit(world.holder, { cu, calls });

  describe('admit', () => {
    test('tells the balance on arrival and the limits after it', async () => {
      expect(await admit(250)).toEqual({
        admitted: true,
        balanceCu: 1_000_000n,
        limits: [{ name: 'cu', quota: 1_000, windowSeconds: 10, remaining: 750, resetSeconds: 3 }],
      });
    });

    test('a warm request is 1 read and 2 writes, its charge included', async () => {
      await world.warm();
      expect(await admit(10)).toMatchObject({ admitted: true });
      expect(await world.meter.charge(world.holder, 10, [])).toMatchObject({ state: 'charged' });
      expect([world.store.reads, world.store.writes]).toEqual([1, 2]);
    });

    test('a warm request consumes at most 1 read unit and 2 write units, one refused from memory none', async () => {
      await world.warm();
      const before = { ...opened.consumed };
      expect(await admit(1_000)).toMatchObject({ admitted: true });
      await world.meter.charge(world.holder, 1_000, []);
      const after = { ...opened.consumed };
      expect(after.reads - before.reads).toBeLessThanOrEqual(1);
      expect(after.writes - before.writes).toBeLessThanOrEqual(2);
      expect(refusalOf(await admit(1))).toMatchObject({ reason: 'rate_limited' });
      expect(opened.consumed).toEqual(after);
    });

    test('admits exactly the capacity, over several instances', async () => {
      const meters = [world.meter, world.instance(), world.instance()];
      const admissions = await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          meters[index % 3]?.admit(world.holder, { cu: 50, calls: 1 }),
        ),
      );
      expect(admissions.filter((admission) => admission?.admitted)).toHaveLength(20);
    });

    test('refuses by a remembered bucket without the store, and admits after the told time', async () => {
      await admit(1_000);
      world.store.forgetCounts();
      for (let request = 0; request < 20; request++) {
        expect(refusalOf(await admit(75))).toEqual({
          reason: 'rate_limited',
          limit: 'cu',
          retryAfterMs: 750,
          limits: [{ name: 'cu', quota: 1_000, windowSeconds: 10, remaining: 0, resetSeconds: 10 }],
        });
      }
      expect([world.store.reads, world.store.writes]).toEqual([0, 0]);
      world.clock.timeMs += 749;
      expect(refusalOf(await admit(75))).toMatchObject({ retryAfterMs: 1 });
      world.clock.timeMs += 1;
      expect(await admit(75)).toMatchObject({ admitted: true });
    });

    test('the read that authenticates also tells the bucket', async () => {
      await admit(1_000);
      const other = world.instance();
      await other.authenticate(world.apiKey);
      world.store.forgetCounts();
      expect(refusalOf(await other.admit(world.holder, { cu: 1, calls: 1 }))).toMatchObject({
        reason: 'rate_limited',
      });
      expect([world.store.reads, world.store.writes]).toEqual([1, 0]);
    });

    test('a cost over the capacity is refused without a write', async () => {
      await world.warm();
      expect(refusalOf(await admit(1_001))).toEqual({
        reason: 'cost_exceeds_burst',
        cost: 1_001,
        capacity: 1_000,
      });
      expect(world.store.writes).toBe(0);
      expect(await admit(1_000)).toMatchObject({ admitted: true });
    });

    test('more calls than a second may have never fit; as many as it may have do', async () => {
      await world.setAccount({ plan: 'free' });
      expect(refusalOf(await admit(6, 6))).toMatchObject({
        reason: 'rate_limited',
        limit: 'rps',
        retryAfterMs: undefined,
      });
      expect(world.store.writes).toBe(0);
      expect(await admit(5, 5)).toMatchObject({ admitted: true, limits: [{ name: 'cu' }, { remaining: 0 }] });
      expect(refusalOf(await admit(1))).toMatchObject({ limit: 'rps', retryAfterMs: 200 });
    });

    test('a disabled key stops at once, whatever is cached', async () => {
      await world.warm();
      await world.meter.authenticate(world.apiKey);
      await world.setKeyStatus('disabled');
      const bucket = (await world.key()).tat;
      expect(refusalOf(await admit(1))).toEqual({ reason: 'key_unknown' });
      expect((await world.key()).tat).toBe(bucket);
      expect(await world.meter.authenticate(world.apiKey)).toBeUndefined();
    });
  });

  describe('balance', () => {
    test.each([[0n], [-5n]])('of %d is refused and drains no bucket', async (granted) => {
      await world.setAccount({ granted });
      for (let request = 0; request < 5; request++) {
        expect(refusalOf(await admit(10))).toEqual({ reason: 'insufficient_balance', balanceCu: granted });
      }
      expect(world.store.writes).toBe(0);
    });

    test('of 1 is enough', async () => {
      await world.setAccount({ granted: 1n });
      expect(await admit(10)).toMatchObject({ admitted: true, balanceCu: 1n });
    });

    test('used up by a charge, nothing more is drained; credited, it admits at once', async () => {
      await world.setAccount({ granted: 10n });
      await admit(10);
      expect(await world.meter.charge(world.holder, 10, [])).toEqual({ state: 'charged', balanceCu: 0n });
      world.store.forgetCounts();
      expect(refusalOf(await admit(10))).toMatchObject({ reason: 'insufficient_balance' });
      expect([world.store.reads, world.store.writes]).toEqual([1, 0]);
      await world.setAccount({ granted: 11n });
      expect(await admit(10)).toMatchObject({ admitted: true });
    });

    test('used up elsewhere, it is seen by the very next request, and drains at most once', async () => {
      await world.warm();
      await world.setAccount({ granted: 0n });
      for (let request = 0; request < 3; request++) {
        expect(refusalOf(await admit(10))).toEqual({ reason: 'insufficient_balance', balanceCu: 0n });
      }
      expect(world.store.writes).toBe(1);
    });

    test('comes before the limits', async () => {
      await admit(1_000);
      await world.setAccount({ granted: 0n });
      const other = world.instance();
      expect(refusalOf(await other.admit(world.holder, { cu: 1, calls: 1 }))).toMatchObject({
        reason: 'insufficient_balance',
      });
      expect(refusalOf(await other.admit(world.holder, { cu: 5_000, calls: 1 }))).toMatchObject({
        reason: 'insufficient_balance',
      });
    });
  });

  describe('plan', () => {
    test('an unknown one is the default one, with one log line', async () => {
      await world.setAccount({ plan: 'constructor' });
      expect(await admit(1)).toMatchObject({ admitted: true, limits: [{ quota: 1_000 }] });
      await admit(1);
      const lines = jest.mocked(process.stdout.write).mock.calls.map(([line]) => String(line));
      expect(lines.filter((line) => line.includes('plan_unknown'))).toHaveLength(1);
    });

    test('a raised one is learned by an admitted request, and by refused ones within 10 seconds', async () => {
      await world.warm();
      await world.setAccount({ plan: 'large' });
      expect(refusalOf(await admit(5_000))).toMatchObject({ reason: 'cost_exceeds_burst' });
      world.clock.timeMs += 10_000;
      expect(await admit(5_000)).toMatchObject({ admitted: true, limits: [{ quota: 100_000 }] });
    });
  });

  describe('a store that fails', () => {
    const unavailable = { admitted: false, refusal: { reason: 'billing_unavailable' } };

    test('on the balance: billing unavailable', async () => {
      await world.warm();
      world.store.readFaults.push('throttled');
      expect(await admit(1)).toEqual(unavailable);
      expect(await admit(1)).toMatchObject({ admitted: true });
    });

    test('throttles the bucket once: admitted; twice: billing unavailable', async () => {
      await world.warm();
      world.store.writeFaults.push('throttled');
      expect(await admit(1_000)).toMatchObject({ admitted: true });
      world.clock.timeMs += 10_000;
      world.store.writeFaults.push('throttled', 'throttled');
      expect(await admit(1_000)).toEqual(unavailable);
      expect(await admit(1_000)).toMatchObject({ admitted: true });
    });

    test('loses the answer of the bucket: billing unavailable, deducted at most once', async () => {
      await world.warm();
      world.store.writeFaults.push('answer_lost');
      expect(await admit(500)).toEqual(unavailable);
      expect(await admit(500)).toMatchObject({ admitted: true, limits: [{ remaining: 0 }] });
    });

    test('has no such account: billing unavailable', async () => {
      const holder = { ...world.holder, account: 'gone' };
      expect(await world.meter.admit(holder, { cu: 1, calls: 1 })).toEqual(unavailable);
    });
  });

  describe('authenticate', () => {
    test('an active key has its holder', async () => {
      expect(await world.meter.authenticate(world.apiKey)).toEqual(world.holder);
    });

    test('a missing key does not reach the store', async () => {
      expect(await world.meter.authenticate(undefined)).toBeUndefined();
      expect(world.store.reads).toBe(0);
    });

    test('unknown, disabled and malformed keys cost the same: one read in 5 seconds', async () => {
      const unknown = new MeteringWorld(opened.store);
      await world.setKeyStatus('disabled');
      const keys = [unknown.apiKey, world.apiKey, '', 'rgw_', `${world.apiKey}0`, world.apiKey.toUpperCase()];
      for (const key of keys) {
        const { meter, store, clock } = world;
        const before = store.reads;
        expect(await meter.authenticate(key)).toBeUndefined();
        clock.timeMs += 4_999;
        expect(await meter.authenticate(key)).toBeUndefined();
        expect(store.reads).toBe(before + 1);
        clock.timeMs += 1;
        await meter.authenticate(key);
        expect(store.reads).toBe(before + 2);
      }
    });

    test('a holder is cached for 10 seconds', async () => {
      await world.meter.authenticate(world.apiKey);
      await world.setKeyStatus('disabled');
      world.clock.timeMs += 9_999;
      expect(await world.meter.authenticate(world.apiKey)).toEqual(world.holder);
      expect(world.store.reads).toBe(1);
      world.clock.timeMs += 1;
      expect(await world.meter.authenticate(world.apiKey)).toBeUndefined();
    });

    test('a clock that is set back keeps nothing longer', async () => {
      await world.meter.authenticate(world.apiKey);
      world.clock.timeMs -= 60_000;
      await world.meter.authenticate(world.apiKey);
      expect(world.store.reads).toBe(2);
    });

    test('concurrent look-ups share one read, and a failed one is not remembered', async () => {
      world.store.readFaults.push('request_lost');
      const failed = Array.from({ length: 20 }, () => world.meter.authenticate(world.apiKey));
      for (const each of failed) await expect(each).rejects.toThrow('timed out');
      const found = Array.from({ length: 20 }, () => world.meter.authenticate(world.apiKey));
      expect(new Set(await Promise.all(found))).toEqual(new Set([world.holder]));
      expect(world.store.reads).toBe(2);
    });
  });
});

test('an unknown key that is tried 10,000 times over pushes no known one out', async () => {
  const world = await new MeteringWorld(new MemoryStore()).create();
  await world.meter.authenticate(world.apiKey);
  for (let key = 0; key < 10_001; key++) {
    await world.meter.authenticate(`rgw_${key.toString(16).padStart(64, '0')}`);
  }
  world.store.forgetCounts();
  expect(await world.meter.authenticate(world.apiKey)).toEqual(world.holder);
  expect(world.store.reads).toBe(0);
});

test('a store that accepts and never answers: billing unavailable', async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  if (address === null || typeof address === 'string') throw new Error('the listener has no port');
  const stalled = createDynamoStore({
    tableNames: { keys: 'keys', accounts: 'accounts', ledger: 'ledger', usage: 'usage' },
    clientConfig: emulatorClientConfig(`http://127.0.0.1:${address.port}`),
    requestTimeoutMs: 100,
  });
  const world = await new MeteringWorld(new MemoryStore()).create();
  const meter = world.instance(stalled);
  expect(await meter.admit(world.holder, { cu: 1, calls: 1 })).toEqual({
    admitted: false,
    refusal: { reason: 'billing_unavailable' },
  });
  await expect(meter.authenticate(world.apiKey)).rejects.toThrow();
  expect(await meter.charge(world.holder, 5, [])).toEqual({ state: 'queued' });
  for (const socket of sockets) socket.destroy();
  silent.close();
});
