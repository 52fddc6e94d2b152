import fc from 'fast-check';
import { updateAccount } from '../../lambdas/access/account-change.ts';
import { applyCharge, type Charge } from '../../lambdas/access/charge-update.ts';
import { movePendingHour } from '../../lambdas/access/move-pending-hour.ts';
import { type ObservedAccount, observeAccount } from '../../lambdas/access/observed-account.ts';
import {
  IDLE_LANES_WORTH_PRUNING,
  LANES_OF_FIVE_OPEN_HOURS,
  LANES_PER_UPDATE,
  pruneLanes,
} from '../../lambdas/access/prune-lanes.ts';
import { isHour, isSettleable, SETTLEMENT_GRACE_MS } from '../../lambdas/access/settlement-hours.ts';
import { nextStep } from '../../lambdas/access/settlement-plan.ts';
import {
  nextRecord,
  putRecord,
  type SettlementRecord,
  toRecord,
} from '../../lambdas/access/settlement-record.ts';
import { MemoryStore } from '../simulation/memory-store.ts';
import { chargeAt, clockAt, openAccount } from './settlement-fixture.ts';

const NOON = Date.parse('2026-11-20T12:00:00Z');

describe('hours', () => {
  const at = (time: string) => Date.parse(`2026-11-20T${time}Z`);

  test.each([
    ['ten minutes after its end', '12:10:00.000', {}, true],
    ['a millisecond before that', '12:09:59.999', {}, false],
    ['by force, at its end', '12:00:00.000', { force: true }, true],
    ['by force, while it runs', '11:59:59.999', { force: true }, false],
    ['by force and by name, while it runs', '11:59:59.999', { force: true, hour: '2026-11-20T11' }, true],
    ['by name, in its grace', '12:05:00.000', { hour: '2026-11-20T11' }, false],
    ['when another is asked for', '13:00:00.000', { force: true, hour: '2026-11-20T10' }, false],
  ])('an hour is settled: %s', (_case, time, scope, expected) => {
    expect(isSettleable('2026-11-20T11', at(time), scope)).toBe(expected);
  });

  test.each([
    ['2026-11-20T23', true],
    ['2026-11-20T24', false],
    ['2026-02-30T01', false],
    ['2026-11-20', false],
    ['', false],
  ])('%p is an hour: %p', (text, expected) => expect(isHour(text)).toBe(expected));
});

test('the units of all revisions of an hour add up to the floor of its total', () => {
  fc.assert(
    fc.property(
      fc.array(fc.bigInt({ min: 1n, max: 10n ** 15n }), { minLength: 1, maxLength: 20 }),
      (usages) => {
        const records: SettlementRecord[] = [];
        for (const cu of usages) {
          records.push(nextRecord({ account: 'a', hour: '2026-11-20T11', cu }, records.at(-1), NOON));
        }
        const total = usages.reduce((sum, cu) => sum + cu, 0n);
        const units = records.reduce((sum, { billing_units }) => sum + billing_units, 0n);
        expect(units).toBe(total / 1_000n);
        expect(records.at(-1)).toMatchObject({
          revision: usages.length,
          total_cu: total,
          remainder_cu: total % 1_000n,
        });
        for (const record of records) expect(toRecord(putRecord(record).item)).toEqual(record);
      },
    ),
  );
});

describe('a change planned on what is no longer true is refused', () => {
  const clock = clockAt('2026-11-20T12:00:00Z');
  let store: MemoryStore;
  beforeEach(async () => {
    store = new MemoryStore();
    await openAccount(store, clock, 'alice');
  });

  const observe = async () => observeAccount((await store.get('accounts', { account: 'alice' })) ?? {});
  const apply = (change: ReturnType<typeof pruneLanes>) => {
    if (change === undefined) throw new Error('nothing is planned');
    return store.update(updateAccount('alice', [change]));
  };
  const useLanes = async (count: number) => {
    for (let lane = 0; lane < count; lane += 1) {
      await chargeAt(store, 'alice', '2026-11-20T03:10:00Z', 5, `idle-${lane}`);
    }
  };
  const settled = (observed: ObservedAccount) => ({ ...observed, pending: new Map() });

  test('pruning, if one of the lanes was used since', async () => {
    await useLanes(IDLE_LANES_WORTH_PRUNING);
    const plan = pruneLanes(settled(await observe()), NOON);
    await chargeAt(store, 'alice', '2026-11-20T11:59:00Z', 7, 'idle-0');
    expect(await apply(plan)).toMatchObject({ applied: false });
  });

  test('pruning, if the account is pruned further already', async () => {
    await useLanes(IDLE_LANES_WORTH_PRUNING);
    const plan = pruneLanes(settled(await observe()), NOON);
    await store.update({
      table: 'accounts',
      key: { account: 'alice' },
      when: [],
      set: { pruned_through: '2026-11-20T09' },
    });
    expect(await apply(plan)).toMatchObject({ applied: false });
  });

  test('leaving the index, if a charge came since', async () => {
    await chargeAt(store, 'alice', '2026-11-20T10:00:00Z', 5);
    const plan = movePendingHour(settled(await observe()));
    await chargeAt(store, 'alice', '2026-11-20T10:30:00Z', 5);
    expect(await apply(plan)).toMatchObject({ applied: false });
  });

  test('moving in the index, if another settlement took the account out of it', async () => {
    await chargeAt(store, 'alice', '2026-11-20T09:00:00Z', 5);
    await chargeAt(store, 'alice', '2026-11-20T11:00:00Z', 5);
    const observed = await observe();
    const plan = movePendingHour({ ...observed, pending: new Map([['2026-11-20T11', 5n]]) });
    expect(await apply(movePendingHour(settled(observed)))).toMatchObject({ applied: true });
    expect(await apply(plan)).toMatchObject({ applied: false });
  });

  test('a duplicate of a charge whose lane was pruned', async () => {
    await useLanes(IDLE_LANES_WORTH_PRUNING);
    expect(await apply(pruneLanes(settled(await observe()), NOON))).toMatchObject({ applied: true });
    const timeMs = Date.parse('2026-11-20T03:10:00Z');
    const again: Charge = {
      account: 'alice',
      lane: 'idle-0',
      cu: 5n,
      hour: '2026-11-20T03',
      seq: BigInt(timeMs) * 1_000n,
      used: '',
    };
    expect((await applyCharge(store, again)).state).toBe('too_late');
    await chargeAt(store, 'alice', '2026-11-20T11:00:00Z', 5, 'idle-0');
  });
});

describe('pruning', () => {
  const account = (lanes: number, lastUse: string, more: Partial<ObservedAccount> = {}): ObservedAccount => ({
    account: 'alice',
    granted: 0n,
    charged: 0n,
    settled: 0n,
    pending: new Map(),
    lanes: new Map(
      Array.from({ length: lanes }, (_, lane) => [`lane-${lane}`, BigInt(Date.parse(lastUse)) * 1_000n]),
    ),
    pendingShard: 3n,
    pendingHour: undefined,
    prunedThrough: undefined,
    ...more,
  });

  test('keeps five full hours open', () => {
    expect(pruneLanes(account(20, '2026-11-20T07:00:00Z'), NOON)).toBeUndefined();
    const change = pruneLanes(account(20, '2026-11-20T06:59:59.999Z'), NOON);
    expect(change?.set).toEqual({ pruned_through: '2026-11-20T06' });
    expect(change?.remove).toHaveLength(20);
  });

  test('leaves a few idle lanes alone, and takes a bounded number at once', () => {
    const idle = '2026-11-20T01:00:00Z';
    expect(pruneLanes(account(IDLE_LANES_WORTH_PRUNING - 1, idle), NOON)).toBeUndefined();
    expect(pruneLanes(account(LANES_PER_UPDATE + 30, idle), NOON)?.remove).toHaveLength(LANES_PER_UPDATE);
  });

  test('stays before the oldest unsettled hour', () => {
    const pending = new Map([['2026-11-20T04', 5n]]);
    expect(pruneLanes(account(20, '2026-11-20T04:00:00Z', { pending }), NOON)).toBeUndefined();
    const change = pruneLanes(account(20, '2026-11-20T03:59:00Z', { pending }), NOON);
    expect(change?.set).toEqual({ pruned_through: '2026-11-20T03' });
  });

  test('keeps as many hours open as leave no more lanes than a write unit has room for', () => {
    const old = account(20, '2026-11-20T07:30:00Z');
    const young = Array.from({ length: 20 }, (_, lane): [string, bigint] => [
      `young-${lane}`,
      BigInt(Date.parse('2026-11-20T11:30:00Z')) * 1_000n,
    ]);
    const change = pruneLanes({ ...old, lanes: new Map([...old.lanes, ...young]) }, NOON);
    expect(change?.set).toEqual({ pruned_through: '2026-11-20T07' });
    expect(change?.after.lanes).toEqual(new Map(young));
    expect(pruneLanes(old, NOON)).toBeUndefined();
  });

  test('of very many lanes takes those of the last hour, once its grace is over, and none of the running one', () => {
    const grace = NOON + SETTLEMENT_GRACE_MS;
    const crowded = LANES_OF_FIVE_OPEN_HOURS + IDLE_LANES_WORTH_PRUNING;
    expect(pruneLanes(account(crowded, '2026-11-20T11:59:59.999Z'), grace - 1)).toBeUndefined();
    const change = pruneLanes(account(crowded, '2026-11-20T11:59:59.999Z'), grace);
    expect(change?.set).toEqual({ pruned_through: '2026-11-20T11' });
    expect(change?.remove).toHaveLength(crowded);
    expect(pruneLanes(account(crowded, '2026-11-20T12:00:00Z'), grace)).toBeUndefined();
    const pending = new Map([['2026-11-20T11', 5n]]);
    expect(pruneLanes(account(crowded, '2026-11-20T11:00:00Z', { pending }), grace)).toBeUndefined();
  });

  test('takes lanes of hours that are closed already, and closes no other', () => {
    const change = pruneLanes(account(20, '2026-11-20T07:30:00Z', { prunedThrough: '2026-11-20T08' }), NOON);
    expect(change?.set).toEqual({ pruned_through: '2026-11-20T08' });
    expect(change?.remove).toHaveLength(20);
  });

  test('never goes back', () => {
    const change = pruneLanes(account(20, '2026-11-20T01:00:00Z', { prunedThrough: '2026-11-20T08' }), NOON);
    expect(change?.set).toEqual({ pruned_through: '2026-11-20T08' });
  });
});

test('a quiet account is settled, pruned and taken out of the index by one transaction', () => {
  const observed: ObservedAccount = {
    account: 'alice',
    granted: 10n,
    charged: 7n,
    settled: 0n,
    pending: new Map([['2026-11-20T01', 7n]]),
    lanes: new Map(Array.from({ length: 9 }, (_, lane) => [`lane-${lane}`, 1n])),
    pendingShard: 0n,
    pendingHour: '2026-11-20T01',
    prunedThrough: undefined,
  };
  const step = nextStep({ observed, single: false }, NOON, {});
  expect(step?.record).toMatchObject({ hour: '2026-11-20T01', revision: 1, settled_cu: 7n });
  expect(step?.after).toMatchObject({ pendingHour: undefined, settled: 7n, lanes: new Map() });
  expect(nextStep({ observed: step?.after ?? observed, single: false }, NOON, {})).toBeUndefined();
});
