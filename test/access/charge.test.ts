import { decodeCharge, encodeCharge } from '../../lambdas/access/charge-message.ts';
import { applyCharge, type Charge } from '../../lambdas/access/charge-update.ts';
import { LanePool } from '../../lambdas/access/lane-pool.ts';
import type { MethodUsage } from '../../lambdas/access/metering.ts';
import type { Item } from '../../lambdas/access/store.ts';
import { MAX_USAGE_TEXT_BYTES } from '../../lambdas/access/usage-text.ts';
import { type Fault, MeteringWorld, type OpenedStore, STORES } from './metering-world.ts';

const HOUR = '2026-11-20T23';

function lanesOf(item: Item): string[] {
  return Object.keys(item).filter((attribute) => attribute.startsWith('w_'));
}

describe.each(STORES)('charge on $name', ({ open }) => {
  let opened: OpenedStore;
  let world: MeteringWorld;

  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    world = await new MeteringWorld(opened.store).create({ granted: 1_000n });
  });
  afterEach(() => jest.restoreAllMocks());

  const usageOf = (cu: number) => [
    { chain: 'example_mainnet', method: 'eth_call', calls: 1, cu, cached: 0, errors: 0 },
  ];
  const charge = (cu: number) => world.meter.charge(world.holder, cu, usageOf(cu));

  async function expectCharged(cu: bigint): Promise<void> {
    const account = await world.account();
    expect(account.charged).toBe(cu);
    expect(account[`h_${HOUR}`] ?? 0n).toBe(cu);
  }

  test('one write, to the balance and to the hour', async () => {
    expect(await charge(75)).toEqual({ state: 'charged', balanceCu: 925n });
    expect(world.store.writes).toBe(1);
    expect(world.store.reads).toBe(0);
    await expectCharged(75n);
    expect((await world.account()).pending_hour).toBe(HOUR);
  });

  test('says what it pays for, in one write unit also with a dozen lanes and the longest text', async () => {
    await Promise.all(Array.from({ length: 12 }, () => charge(1)));
    expect((await world.account()).used).toBe('example_mainnet eth_call:1:1');
    const methods = Array.from({ length: 100 }, (_, index) => ({ ...usageOf(1)[0], method: `eth_${index}` }));
    const before = opened.consumed.writes;
    await world.meter.charge(world.holder, 100, methods as MethodUsage[]);
    expect(opened.consumed.writes - before).toBeLessThanOrEqual(1);
    const { used } = await world.account();
    expect(String(used).length).toBeGreaterThan(MAX_USAGE_TEXT_BYTES - 20);
    expect(lanesOf(await world.account())).toHaveLength(12);
  });

  test('the pending hour stays the first one', async () => {
    await charge(1);
    world.clock.timeMs += 3_600_000;
    await charge(2);
    expect(await world.account()).toMatchObject({
      pending_hour: HOUR,
      [`h_${HOUR}`]: 1n,
      'h_2026-11-21T00': 2n,
      charged: 3n,
    });
  });

  test('charges one after the other share a lane; 50 at once sum exactly', async () => {
    for (let cu = 1; cu <= 5; cu++) await charge(cu);
    expect(lanesOf(await world.account())).toHaveLength(1);
    const other = world.instance();
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (index % 2 === 0 ? other : world.meter).charge(world.holder, index + 1, usageOf(index + 1)),
      ),
    );
    expect(outcomes.every(({ state }) => state === 'charged')).toBe(true);
    await expectCharged(15n + 1_275n);
  });

  const faults: readonly (readonly Fault[])[] = [
    ['throttled'],
    ['throttled', 'throttled'],
    ['request_lost'],
    ['answer_lost'],
    ['answer_lost', 'answer_lost'],
    ['answer_lost', 'throttled'],
    ['request_lost', 'answer_lost'],
  ];
  test.each(faults.map((each) => [each.join(' then '), each] as const))(
    '%s: charged once',
    async (_, each) => {
      world.store.writeFaults.push(...each);
      expect(await charge(75)).toEqual({ state: 'charged', balanceCu: 925n });
      await expectCharged(75n);
      expect(world.queue.charges).toEqual([]);
    },
  );

  const undecided: readonly (readonly Fault[])[] = [
    ['throttled', 'throttled', 'throttled'],
    ['request_lost', 'request_lost', 'request_lost'],
    ['answer_lost', 'answer_lost', 'answer_lost'],
    ['answer_lost', 'throttled', 'request_lost'],
  ];
  test.each(undecided.map((each) => [each.join(', '), each] as const))(
    '%s: queued, its lane retired, and applied once however often it is delivered',
    async (_, each) => {
      world.store.writeFaults.push(...each);
      expect(await charge(75)).toEqual({ state: 'queued' });
      expect(world.store.writes).toBe(3);
      expect(await charge(25)).toMatchObject({ state: 'charged' });
      const [queued, ...others] = world.queue.charges;
      if (queued === undefined) throw new Error('nothing was queued');
      expect(others).toEqual([]);
      for (let delivery = 0; delivery < 3; delivery++) {
        expect(await applyCharge(world.stored, queued)).toMatchObject({ state: 'applied' });
      }
      await expectCharged(100n);
      expect(lanesOf(await world.account())).toHaveLength(2);
    },
  );

  test('no attempt begins after the time budget', async () => {
    world.store.writeFaults.push('request_lost', 'request_lost', 'request_lost');
    const slow = world.store.update;
    world.store.update = (update) => {
      world.clock.timeMs += 1_000;
      return slow(update);
    };
    expect(await charge(75)).toEqual({ state: 'queued' });
    expect(world.store.writes).toBe(2);
  });

  test('the queue is tried twice; then the charge is lost, with an error line that says how much', async () => {
    world.store.writeFaults.push('throttled', 'throttled', 'throttled');
    world.queue.failures = 1;
    expect(await charge(75)).toEqual({ state: 'queued' });
    world.store.writeFaults.push('throttled', 'throttled', 'throttled');
    world.queue.failures = 2;
    expect(await charge(75)).toEqual({ state: 'lost' });
    await expectCharged(0n);
    const line = jest.mocked(process.stdout.write).mock.lastCall?.[0];
    expect(JSON.parse(String(line))).toMatchObject({
      level: 'error',
      event: 'charge_lost',
      account: world.holder.account,
      hour: HOUR,
      cu: 75,
    });
  });

  test('an hour that is pruned takes no charge, a later one does', async () => {
    await world.setAccount({ pruned_through: HOUR });
    expect(await charge(75)).toEqual({ state: 'lost' });
    await expectCharged(0n);
    await world.setAccount({ pruned_through: '2026-11-20T22' });
    expect(await charge(75)).toMatchObject({ state: 'charged' });
    await expectCharged(75n);
  });

  test('a repeated charge whose lane was pruned is not applied again', async () => {
    world.store.writeFaults.push('answer_lost', 'answer_lost', 'answer_lost');
    await charge(75);
    const [queued] = world.queue.charges;
    if (queued === undefined) throw new Error('nothing was queued');
    await world.stored.update({
      table: 'accounts',
      key: { account: world.holder.account },
      when: [],
      set: { pruned_through: HOUR },
      remove: [`w_${queued.lane}`],
    });
    expect(await applyCharge(world.stored, queued)).toEqual({ state: 'too_late' });
    await expectCharged(75n);
  });

  test('an account that is gone is not made again', async () => {
    const gone = { ...world.holder, account: 'gone' };
    expect(await world.meter.charge(gone, 5, usageOf(5))).toEqual({ state: 'lost' });
    expect(await world.stored.get('accounts', { account: 'gone' })).toBeUndefined();
  });

  test.each([0.5, Number.NaN])('a defective amount (%p) is logged, never thrown', async (cu) => {
    expect(await charge(cu)).toEqual({ state: 'lost' });
    await expectCharged(0n);
  });
});

describe('lanes', () => {
  const NOW_MS = 1_795_000_000_000;
  const pool = () => {
    let next = 0;
    return new LanePool((count) => new Uint8Array(count).fill(next++));
  };

  test('a released lane is used again, a retired one never, and two in flight never share one', () => {
    const lanes = pool();
    const [first, second] = [lanes.acquire(), lanes.acquire()];
    expect(first.id).not.toBe(second.id);
    lanes.release(first);
    expect(lanes.acquire()).toBe(first);
    expect(lanes.acquire().id).not.toBe(second.id);
  });

  test('an id is 8 bytes in base64url', () => {
    expect(new LanePool((count) => new Uint8Array(count).fill(255)).acquire().id).toBe('__________8');
  });

  test('sequence numbers rise, also when the clock does not, and carry a time that is not before now', () => {
    const lane = pool().acquire();
    const now = BigInt(NOW_MS) * 1_000n;
    expect(lane.nextSequence(NOW_MS)).toBe(now);
    expect(lane.nextSequence(NOW_MS)).toBe(now + 1n);
    expect(lane.nextSequence(NOW_MS - 5_000)).toBe(now + 2n);
    expect(lane.nextSequence(NOW_MS + 1)).toBe(now + 1_000n);
  });

  test('a bounded number of idle lanes is kept', () => {
    const lanes = pool();
    const taken = Array.from({ length: 100 }, () => lanes.acquire());
    for (const lane of taken) lanes.release(lane);
    const again = Array.from({ length: 100 }, () => lanes.acquire());
    expect(again.filter((lane) => taken.includes(lane))).toHaveLength(64);
  });
});

describe('charge message', () => {
  const charge: Charge = {
    account: 'acme',
    cu: 75n,
    hour: HOUR,
    lane: '__________8',
    seq: 1_795_000_000_000_123n,
    used: 'example_mainnet eth_call:3:75',
  };

  test('carries the whole charge', () => {
    expect(decodeCharge(encodeCharge(charge))).toEqual(charge);
  });

  const message = JSON.parse(encodeCharge(charge));
  test.each([
    [''],
    ['null'],
    ['[]'],
    ['{"account":'],
    [JSON.stringify({ ...message, cu: 75 })],
    [JSON.stringify({ ...message, cu: '-75' })],
    [JSON.stringify({ ...message, cu: '0' })],
    [JSON.stringify({ ...message, seq: undefined })],
    [JSON.stringify({ ...message, hour: '2026-11-20' })],
    [JSON.stringify({ ...message, lane: 'x' })],
    [JSON.stringify({ ...message, account: '' })],
  ])('%s is none', (body) => {
    expect(decodeCharge(body)).toBeUndefined();
  });

  test.each([undefined, 5, 'nonsense', 'example_mainnet eth_call'])('usage %p stops no charge', (used) => {
    expect(decodeCharge(JSON.stringify({ ...message, used }))).toEqual({ ...charge, used: '' });
  });
});
