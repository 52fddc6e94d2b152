/** A request is admitted by key, bounds, balance and bucket, from memory where that is certain. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Entry, KeyBounds } from '../../lambdas/access/contract/key-bounds.ts';
import type { Admission, MeterRefusal } from '../../lambdas/access/contract/metering.ts';
import { createDynamoStore } from '../../lambdas/access/store/dynamo-store.ts';
import { updateKeyBounds } from '../../lambdas/accounts/keys.ts';
import { emulatorClientConfig } from '../emulators/metering-tables.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { MeteringWorld } from './metering-world.ts';

function refusalOf(admission: Admission): MeterRefusal {
  if (admission.admitted) throw new Error('admitted');
  return admission.refusal;
}

describe('meter', () => {
  let store: MemoryStore;
  let world: MeteringWorld;

  beforeEach(async () => {
    store = new MemoryStore();
    world = await new MeteringWorld(store).create();
  });

  const charge = (cu: number) =>
    world.meter
      .charge(world.holder, cu, [
        { chain: 'example_mainnet', method: 'eth_call', calls: 1, cu, cached: 0, errors: 0 },
      ])
      .store();
  const admit = (cu: number) => world.meter.admit(world.holder, { cu });

  describe('admit', () => {
    test('tells the balance on arrival and the limits after it', async () => {
      expect(await admit(250)).toEqual({
        admitted: true,
        balanceCu: 1_000_000n,
        limits: [{ name: 'cu', quota: 1_000, windowSeconds: 10, remaining: 750, resetSeconds: 3 }],
      });
    });

    test('a warm request whose balance is certain is a draw and a charge, and no read', async () => {
      await world.warm();
      expect(await admit(10)).toMatchObject({ admitted: true });
      await charge(10);
      world.store.forgetCounts();
      expect(await admit(10)).toMatchObject({ admitted: true });
      await charge(10);
      expect([world.store.reads, world.store.writes]).toEqual([0, 2]);
    });

    test('account and lanes are read again when the view has aged, beside the draw', async () => {
      await world.warm();
      world.clock.timeMs += 8_999;
      await admit(1);
      expect([world.store.reads, world.store.writes]).toEqual([0, 1]);
      world.clock.timeMs += 1;
      await admit(1);
      expect([world.store.reads, world.store.writes]).toEqual([2, 2]);
    });

    test('admits exactly the capacity, over several instances', async () => {
      const meters = [world.meter, world.instance(), world.instance()];
      const admissions = await Promise.all(
        Array.from({ length: 30 }, (_, index) => meters[index % 3]?.admit(world.holder, { cu: 50 })),
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
      expect(refusalOf(await other.admit(world.holder, { cu: 1 }))).toMatchObject({
        reason: 'rate_limited',
      });
      expect([world.store.reads, world.store.writes]).toEqual([3, 0]);
    });

    test('a cost over the capacity is refused without a write', async () => {
      await world.warm();
      expect(await admit(1_001)).toEqual({
        admitted: false,
        refusal: { reason: 'cost_exceeds_burst', cost: 1_001, capacity: 1_000 },
      });
      expect(world.store.writes).toBe(0);
      expect(await admit(1_000)).toMatchObject({ admitted: true });
    });

    test('as many requests as a second may have, whatever they cost; the next fits a moment later', async () => {
      await world.setAccount({ plan: 'free' });
      for (let request = 0; request < 5; request++)
        expect(await admit(100)).toMatchObject({ admitted: true });
      expect(refusalOf(await admit(1))).toMatchObject({ limit: 'rps', retryAfterMs: 200 });
      world.clock.timeMs += 200;
      expect(await admit(1)).toMatchObject({ admitted: true, limits: [{ name: 'cu' }, { remaining: 0 }] });
    });

    test('a disabled key stops at once, whatever is cached', async () => {
      await world.warm();
      await world.meter.authenticate(world.apiKey);
      await world.setKeyStatus('disabled');
      expect(refusalOf(await admit(1))).toEqual({ reason: 'key_unknown' });
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
      await charge(10);
      world.store.forgetCounts();
      expect(refusalOf(await admit(10))).toEqual({ reason: 'insufficient_balance', balanceCu: 0n });
      expect(world.store.writes).toBe(0);
      await world.setAccount({ granted: 11n });
      world.clock.timeMs += 1_000;
      expect(await admit(10)).toMatchObject({ admitted: true });
    });

    test('near its end it is read once a second, and what another instance charged is seen by then', async () => {
      await world.setAccount({ granted: 500n });
      await world.warm();
      expect(await admit(1)).toMatchObject({ admitted: true, balanceCu: 500n });
      world.clock.timeMs += 999;
      expect(await admit(1)).toMatchObject({ admitted: true });
      expect(world.store.reads).toBe(2);
      world.clock.timeMs += 1;
      world.store.forgetCounts();
      const other = world.instance();
      await other
        .charge(world.holder, 499, [
          { chain: 'x', method: 'eth_call', calls: 1, cu: 499, cached: 0, errors: 0 },
        ])
        .store();
      expect(await admit(10)).toMatchObject({ admitted: true, balanceCu: 1n });
      expect(world.store.reads).toBe(2);
      await charge(10);
      expect(refusalOf(await admit(10))).toEqual({ reason: 'insufficient_balance', balanceCu: -9n });
      expect(refusalOf(await admit(10))).toEqual({ reason: 'insufficient_balance', balanceCu: -9n });
      expect(world.store.reads).toBe(4);
    });

    test('what an instance holds back is off it, however often the lanes are read', async () => {
      await world.setAccount({ granted: 500n });
      const meter = world.instance(world.store, { groupCommitCu: 100 });
      for (const cu of [10, 20, 30]) {
        await meter
          .charge(world.holder, cu, [{ chain: 'x', method: 'eth_call', calls: 1, cu, cached: 0, errors: 0 }])
          .store();
      }
      expect(await world.chargedCu()).toBe(10n);
      for (let request = 0; request < 2; request++)
        expect(await meter.admit(world.holder, { cu: 1 })).toMatchObject({ balanceCu: 440n });
    });

    test('settled hours and lanes of open ones add up, whichever was read first', async () => {
      await charge(100);
      await world.meter.admit(world.holder, { cu: 1 });
      await world.setAccount({
        granted: 1_000_000n,
        settled: 100n,
        closed: 100n,
        open_from: '2026-11-21T00',
      });
      world.clock.timeMs += 10_000;
      expect(await admit(1)).toMatchObject({ balanceCu: 999_900n });
    });

    test('what is settled of an open hour is not counted twice', async () => {
      await charge(100);
      await world.setAccount({ settled: 60n });
      expect(await world.instance().admit(world.holder, { cu: 1 })).toMatchObject({ balanceCu: 999_900n });
    });

    test('near its end, a cost over the capacity is told from a limit that passes, without a write', async () => {
      await world.setAccount({ granted: 1_000n });
      const refusal = refusalOf(await admit(1_001));
      expect(refusal).toEqual({ reason: 'cost_exceeds_burst', cost: 1_001, capacity: 1_000 });
      expect(world.store.writes).toBe(0);
    });

    test('comes before the limits', async () => {
      await admit(1_000);
      await world.setAccount({ granted: 0n });
      const other = world.instance();
      expect(refusalOf(await other.admit(world.holder, { cu: 1 }))).toMatchObject({
        reason: 'insufficient_balance',
      });
      expect(refusalOf(await other.admit(world.holder, { cu: 5_000 }))).toMatchObject({
        reason: 'insufficient_balance',
      });
    });
  });

  describe('plan', () => {
    test('an unknown one is the default one, with one log line', async () => {
      await world.setAccount({ plan: 'constructor' });
      expect(await admit(1)).toMatchObject({ admitted: true, limits: [{ quota: 1_000 }] });
      await admit(1);
      expect(world.telemetry.logged.filter(({ event }) => event === 'plan_unknown')).toHaveLength(1);
    });

    test('a raised one is learned by refused requests within a second', async () => {
      await world.warm();
      await admit(1);
      await world.setAccount({ plan: 'large' });
      world.clock.timeMs += 1_000;
      expect(await admit(5_000)).toMatchObject({ admitted: true, limits: [{ quota: 100_000 }] });
    });
  });

  describe('expectsAdmission', () => {
    const expects = (cu: number) => world.meter.expectsAdmission(world.holder, { cu });

    test('not of a key or an account that was never seen', async () => {
      expect(expects(1)).toBe(false);
      await world.meter.authenticate(world.apiKey);
      expect(expects(1)).toBe(false);
    });

    test('of a key with room and an account with a certain balance', async () => {
      await world.warm();
      expect(expects(10)).toBe(true);
      expect(expects(1_001)).toBe(false);
    });

    test('not near the end of a balance', async () => {
      await world.setAccount({ granted: 1_100n });
      await world.warm();
      expect(expects(1)).toBe(false);
    });

    test('wrongly once for each time that the bucket runs empty', async () => {
      await world.warm();
      const other = world.instance();
      await other.admit(world.holder, { cu: 990 });
      expect(expects(100)).toBe(true);
      expect(refusalOf(await admit(100))).toMatchObject({ reason: 'rate_limited' });
      world.clock.timeMs += 1_000;
      await other.admit(world.holder, { cu: 95 });
      expect(expects(100)).toBe(false);
      world.clock.timeMs += 1_000;
      expect(await admit(50)).toMatchObject({ admitted: true });
      expect(expects(50)).toBe(true);
    });
  });

  describe('a store that fails', () => {
    const unavailable = { admitted: false, refusal: { reason: 'billing_unavailable' } };

    test('on a balance that may have ended: admitted by what was seen, for ten seconds', async () => {
      await world.setAccount({ granted: 500n });
      await world.warm();
      world.clock.timeMs += 8_999;
      world.store.readFaults.push('throttled');
      expect(await admit(1)).toMatchObject({ admitted: true });
      world.clock.timeMs += 1;
      world.store.readFaults.push('throttled');
      expect(await admit(1)).toEqual(unavailable);
      expect(await admit(1)).toMatchObject({ admitted: true });
    });

    test('on a balance that is certain: admitted by what was seen, for a minute', async () => {
      await world.warm();
      world.clock.timeMs += 50_000;
      world.store.readFaults.push('throttled', 'throttled');
      expect(await admit(1)).toMatchObject({ admitted: true });
      world.clock.timeMs += 10_000;
      world.store.readFaults.push('throttled');
      expect(await admit(1)).toEqual(unavailable);
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

    test('loses the response of the bucket: billing unavailable, deducted at most once', async () => {
      await world.warm();
      world.store.writeFaults.push('answer_lost');
      expect(await admit(500)).toEqual(unavailable);
      expect(await admit(500)).toMatchObject({ admitted: true, limits: [{ remaining: 0 }] });
    });

    test('has no such account: billing unavailable', async () => {
      const holder = { ...world.holder, account: 'gone' };
      expect(await world.meter.admit(holder, { cu: 1 })).toEqual(unavailable);
    });
  });

  test.each(['storeDue', 'storeAllDue', 'handOver'] as const)(
    '%s also tells what bounds refused',
    async (end) => {
      for (let refused = 0; refused < 3; refused += 1) world.meter.noteRefusal(world.holder, 'method');
      expect(world.telemetry.metrics()).toEqual([{ RefusedByBounds: 1 }]);
      if (end !== 'handOver') world.clock.timeMs += 60_000;
      await world.meter[end]();
      expect(world.telemetry.metrics()).toEqual([{ RefusedByBounds: 1 }, { RefusedByBounds: 2 }]);
    },
  );

  describe('authenticate', () => {
    test('an active key has its holder', async () => {
      expect(await world.meter.authenticate(world.apiKey)).toEqual(world.holder);
    });

    test('a missing key does not reach the store', async () => {
      expect(await world.meter.authenticate(undefined)).toBeUndefined();
      expect(world.store.reads).toBe(0);
    });

    test('unknown, disabled and malformed keys cost the same: one read in a second', async () => {
      const unknown = new MeteringWorld(store);
      await world.setKeyStatus('disabled');
      const keys = [unknown.apiKey, world.apiKey, '', 'rgw_', `${world.apiKey}0`, world.apiKey.toUpperCase()];
      for (const key of keys) {
        const { meter, store, clock } = world;
        const before = store.reads;
        expect(await meter.authenticate(key)).toBeUndefined();
        clock.timeMs += 999;
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

    test('a disabled key is told apart from an unknown one for a second at most', async () => {
      await world.meter.authenticate(world.apiKey);
      await world.setKeyStatus('disabled');
      expect(await world.meter.isActive(world.holder)).toBe(true);
      world.clock.timeMs += 1_000;
      expect(await world.meter.isActive(world.holder)).toBe(false);
      expect(world.store.reads).toBe(2);
      expect(await world.meter.authenticate(world.apiKey)).toBeUndefined();
      await world.setKeyStatus('active');
      world.clock.timeMs += 1_000;
      expect(await world.meter.authenticate(world.apiKey)).toEqual(world.holder);
    });

    test('a draw from its bucket shows a key to be active as well', async () => {
      await world.meter.authenticate(world.apiKey);
      world.clock.timeMs += 5_000;
      await admit(1);
      world.store.forgetCounts();
      expect(await world.meter.isActive(world.holder)).toBe(true);
      world.clock.timeMs += 9_000;
      expect(await world.meter.authenticate(world.apiKey)).toEqual(world.holder);
      expect(world.store.reads).toBe(0);
    });

    describe('of a key with bounds', () => {
      const entry = { api: 'rpc', address: '192.0.2.7' } as const;
      const elsewhere = { ...entry, address: '198.51.100.7' };
      const bind = (bounds: KeyBounds) => updateKeyBounds(store, world.holder.keyId, () => bounds);
      const enter = (at: Entry = entry) => world.meter.authenticate(world.apiKey, at);
      beforeEach(() =>
        bind({ apis: ['rpc'], ips: ['192.0.2.0/24'], expires_at: '2026-11-20T23:40:00.000Z' }),
      );

      test('lets in what is within them, and carries them', async () => {
        expect(await enter()).toMatchObject({ account: world.holder.account, bounds: { apis: ['rpc'] } });
        expect(await enter({ ...entry, address: '::ffff:192.0.2.9' })).toBeDefined();
        expect(await enter({ ...entry, api: 'mcp' })).toBeUndefined();
        expect(await enter(elsewhere)).toBeUndefined();
        expect(await world.meter.authenticate(world.apiKey)).toBeUndefined();
      });

      test('from another address is looked up as often as an unknown key, whatever its owner does', async () => {
        const reads = async (look: () => Promise<unknown>) => {
          const { store, clock } = world;
          const counts: number[] = [];
          for (const pauseMs of [0, 999, 1, 500, 10_000]) {
            clock.timeMs += pauseMs;
            store.forgetCounts();
            expect(await look()).toBeUndefined();
            counts.push(store.reads);
          }
          return counts;
        };
        const unknown = await reads(() => world.meter.authenticate(`rgw_${'1'.repeat(64)}`, elsewhere));
        expect(unknown).toEqual([1, 0, 1, 0, 1]);
        expect(await reads(() => enter(elsewhere))).toEqual(unknown);
        world.clock.timeMs += 2_000;
        await enter();
        await admit(1);
        expect(await reads(() => enter(elsewhere))).toEqual(unknown);
      });

      test('counts a change within ten seconds, however busy the key is', async () => {
        await enter();
        await bind({ apis: ['mcp'] });
        for (let second = 0; second < 10; second += 1) {
          await enter();
          await admit(1);
          world.clock.timeMs += 1_000;
        }
        expect(await enter()).toBeUndefined();
        await bind({ apis: ['rpc'], methods: ['eth_call'] });
        world.clock.timeMs += 1_000;
        expect(await enter()).toMatchObject({ bounds: { methods: ['eth_call'] } });
      });

      test('ends with its time, by each request', async () => {
        world.clock.timeMs = Date.parse('2026-11-20T23:39:59.999Z');
        expect(await enter()).toBeDefined();
        world.clock.timeMs += 1;
        expect(await enter()).toBeUndefined();
      });

      test('draws its day in the write of the bucket, on instances with two clocks around midnight', async () => {
        await bind({ cu_per_day: 300 });
        const holder = { ...world.holder, bounds: { cu_per_day: 300 } };
        const midnight = Date.parse('2026-11-21T00:00:00Z');
        const other = new MeteringWorld(store);
        const draw = (at: MeteringWorld, cu: number) => at.meter.admit(holder, { cu });
        world.clock.timeMs = midnight - 2_000;
        other.clock.timeMs = midnight - 7_000;
        expect(await draw(world, 200)).toMatchObject({ admitted: true });
        world.store.forgetCounts();
        expect(await draw(world, 50)).toMatchObject({ admitted: true });
        expect(world.store.writes).toBe(1);
        expect(refusalOf(await draw(other, 51))).toMatchObject({
          reason: 'key_daily_limit',
          resetsAtMs: midnight,
        });
        // The fast one begins the day, and the slow one counts on it.
        world.clock.timeMs = midnight;
        expect(await draw(world, 250)).toMatchObject({ admitted: true });
        other.clock.timeMs = midnight - 5_000;
        expect(await draw(other, 40)).toMatchObject({ admitted: true });
        expect(refusalOf(await draw(other, 11))).toMatchObject({
          reason: 'key_daily_limit',
          resetsAtMs: midnight + 86_400_000,
        });
        expect(refusalOf(await draw(world, 11))).toMatchObject({ reason: 'key_daily_limit' });
        expect(await store.get('keys', { key_id: holder.keyId })).toMatchObject({
          day: BigInt(midnight / 86_400_000),
          day_cu: 290n,
        });
      });

      test('that cannot be read admits no request', async () => {
        const key = { table: 'keys', key: { key_id: world.holder.keyId } } as const;
        await store.update({ ...key, when: [], set: { bounds: '{"countries":["FR"]}' } });
        expect(await enter()).toBeUndefined();
      });
    });

    test('while the store does not say, a key that was active is', async () => {
      await world.meter.authenticate(world.apiKey);
      world.clock.timeMs += 1_000;
      world.store.readFaults.push('throttled');
      expect(await world.meter.isActive(world.holder)).toBe(true);
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
    tableNames: {
      keys: 'keys',
      accounts: 'accounts',
      lanes: 'lanes',
      unsettled: 'unsettled',
      balances: 'balances',
      ledger: 'ledger',
    },
    clientConfig: emulatorClientConfig(`http://127.0.0.1:${address.port}`),
    requestTimeoutMs: 100,
  });
  const world = await new MeteringWorld(new MemoryStore()).create();
  const meter = world.instance(stalled);
  expect(await meter.admit(world.holder, { cu: 1 })).toEqual({
    admitted: false,
    refusal: { reason: 'billing_unavailable' },
  });
  await expect(meter.authenticate(world.apiKey)).rejects.toThrow();
  const usage = [{ chain: 'x', method: 'eth_call', calls: 1, cu: 5, cached: 0, errors: 0 }];
  expect(await meter.charge(world.holder, 5, usage).store()).toBe('queued');
  for (const socket of sockets) socket.destroy();
  silent.close();
});
