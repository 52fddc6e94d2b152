import { readAccountItem } from '../../lambdas/access/accounts/account-item.ts';
import type { Item } from '../../lambdas/access/store/store.ts';
import { rebuildAccount } from '../../lambdas/accounts/rebuild-account.ts';
import { auditAccounts } from '../../lambdas/audit/audit.ts';
import { isAtLength, repetitions, sampled } from '../support/at-length.ts';
import { workList } from '../support/kept-leaves.ts';
import { ACCOUNT, CatchUpWorld, shown, storeWith, type Usage } from './catch-up-world.ts';

const PACE = { accountsAtOnce: 4, outOfTime: () => false };

function records({ store }: CatchUpWorld): Item[] {
  return store
    .items('ledger')
    .filter(({ settled_cu }) => settled_cu !== undefined)
    .sort((one, other) => (String(one.record) < String(other.record) ? -1 : 1));
}

async function expectSoundAudit(world: CatchUpWorld): Promise<void> {
  const report = await world.whole(auditAccounts(world.books(), undefined, PACE));
  expect(report.accounts).toBe(1);
  expect(report.invariants.flatMap(({ violations }) => violations)).toEqual([]);
}

const USAGES: readonly Usage[] = [
  { hours: 72, lanes: 500, bytes: 40 },
  { hours: 72, lanes: 500, bytes: 400 },
  { hours: 72, lanes: 500, bytes: 800 },
  { hours: 1, lanes: 20_000, bytes: 800 },
  { hours: 24, lanes: 1_200, shards: 16, bytes: 400 },
  { hours: 72, lanes: 1_200, shards: 16, bytes: 400 },
];

test.each(sampled(USAGES).map((usage) => ({ ...usage, lanes: repetitions(usage.lanes) })))(
  'usage of $hours h x $lanes lanes of $bytes bytes is settled, audited before and after',
  async (usage) => {
    const { store, chargedCu } = storeWith(usage);
    const world = new CatchUpWorld(store);
    await expectSoundAudit(world);
    const before = world.figures;
    const after = await world.catchUp(chargedCu);
    const figures = { ...after, laneReadUnits: after.laneReadUnits - before.laneReadUnits };
    process.stdout.write(`${JSON.stringify(usage)}: ${shown(figures)}\n`);
    expect(figures).toMatchObject({ runs: 1, settledCu: chargedCu, throttled: 0 });
    const pages = usage.hours * (usage.shards ?? 1);
    expect(figures.laneReadUnits).toBeLessThan(Math.max(1.2 * figures.dataUnits, pages));
    expect(records(world)).toHaveLength(usage.hours);
    await expectSoundAudit(world);
    await world.settle();
    expect(workList(store)).toEqual([]);
  },
);

test.each([12_000, 20_000].map(repetitions))(
  'an account with %i lanes of 800 bytes is rebuilt, and nothing changes',
  async (lanes) => {
    const world = new CatchUpWorld(storeWith({ hours: 1, lanes, bytes: 800 }).store);
    const { before, after } = await world.whole(rebuildAccount(world.books(), ACCOUNT));
    expect(after).toEqual(before);
    world.store.restore('accounts', { account: ACCOUNT }, undefined);
    const rebuilt = await world.whole(rebuildAccount(world.books(), ACCOUNT));
    expect(rebuilt.after).toEqual(before);
    expect(world.figures.throttled).toBe(0);
  },
);

/** Pages from one after which a reader stops to the next. */
const PAGE_STEP = isAtLength ? 1 : 3;
/** Some pages an hour and shard, so that there is something to lose after each. */
const SMALL: Usage = { hours: 4, lanes: 1_100, shards: 2, bytes: 40 };

describe('a settlement whose reader', () => {
  const prepared = storeWith(SMALL);

  async function undisturbed(): Promise<{ readonly pages: number; readonly books: readonly Item[] }> {
    const world = new CatchUpWorld(prepared.store.copy());
    let pages = 0;
    await world.settle(
      world.books(async () => {
        pages += 1;
      }),
    );
    return { pages, books: withoutTimes(world) };
  }

  const withoutTimes = (world: CatchUpWorld) =>
    records(world).map((item) => ({ ...item, settled_at: '', previous: '' }));

  test('dies after any page leaves whole hours, and the next run settles the rest', async () => {
    const { pages, books } = await undisturbed();
    expect(pages).toBeGreaterThan(SMALL.hours * 2);
    for (let last = 1; last <= pages; last += PAGE_STEP) {
      const world = new CatchUpWorld(prepared.store.copy());
      let read = 0;
      const dies = async () => {
        read += 1;
        if (read >= last) await new Promise(() => {});
      };
      void world.hourlyRun(world.books(dies));
      await world.time.run();
      const written = records(world).length;
      expect(written).toBeGreaterThanOrEqual(Math.floor(last / (pages / SMALL.hours)) - 1);
      await world.settle();
      expect(withoutTimes(world)).toEqual(books);
      expect(world.settledCu).toBe(prepared.chargedCu);
    }
  });

  test('freezes after any page, and goes on when another run is over, changes nothing', async () => {
    const { pages, books } = await undisturbed();
    for (let last = 1; last <= pages; last += PAGE_STEP) {
      const world = new CatchUpWorld(prepared.store.copy());
      let read = 0;
      const freezes = async () => {
        read += 1;
        if (read === last) await world.time.pause(10 * 60_000);
      };
      const frozen = world.hourlyRun(world.books(freezes));
      world.time.after(60_000, () => void world.hourlyRun());
      await world.time.run();
      expect(await frozen).toEqual([]);
      expect(withoutTimes(world)).toEqual(books);
      expect(world.settledCu).toBe(prepared.chargedCu);
    }
  });
});

test.each([
  ['20 s', 20_000, 1],
  ['5 minutes', 300_000, 2],
])(
  'a partition of lanes that is throttled for %s does not stop what is read, and then nothing',
  async (_for, forMs, runs) => {
    const { store, chargedCu } = storeWith(SMALL);
    const world = new CatchUpWorld(store);
    let read = 0;
    const throttle = async () => {
      read += 1;
      if (read === 6) world.limited.throttlePartition(`${ACCOUNT}#1`, world.time.nowMs + forMs);
    };
    await world.settle(world.books(throttle));
    expect(records(world).length).toBeGreaterThan(0);
    if (runs > 1) expect(world.settledCu).toBeLessThan(chargedCu);
    const figures = await world.catchUp(chargedCu);
    expect(figures).toMatchObject({ runs, settledCu: chargedCu });
    expect(figures.throttled).toBeLessThan(20);
    await expectSoundAudit(world);
  },
);

test('the account item that is throttled for 20 s is waited for', async () => {
  const { store, chargedCu } = storeWith(SMALL);
  const world = new CatchUpWorld(store);
  let read = 0;
  const throttle = async () => {
    read += 1;
    if (read === 3) world.limited.throttlePartition(ACCOUNT, world.time.nowMs + 20_000);
  };
  expect(await world.settle(world.books(throttle))).toEqual([]);
  expect(world.settledCu).toBe(chargedCu);
});

test('a run that has no more time stops between two hours, and the next one goes on', async () => {
  const { store, chargedCu } = storeWith({ hours: 12, lanes: 300, bytes: 40 });
  const world = new CatchUpWorld(store);
  const slow = async () => world.time.pause(25_000);
  expect(await world.settle(world.books(slow))).toEqual([]);
  expect(world.settledCu).toBe(chargedCu);
  expect(world.telemetry.logged).toContainEqual(expect.objectContaining({ event: 'work_handed_on' }));
  const { readUnits } = world.limited.figures('lanes');
  expect(readUnits).toBeLessThan(1.5 * world.figures.dataUnits);
});

test('an hour that cannot be read stays open; younger ones get their records, and the balance stays as it was', async () => {
  const { store, chargedCu } = storeWith({ hours: 5, lanes: 10, bytes: 40 });
  const world = new CatchUpWorld(store);
  const [first, poisoned] = ['2026-11-20T07', '2026-11-20T08'];
  const key = { account_shard: `${ACCOUNT}#0`, hour_lane: `${poisoned}#lane0000003` };
  const sound = store.peek('lanes', key) ?? {};
  store.restore('lanes', key, { ...sound, total: 'many' });
  expect(await world.settle()).toMatchObject([{ message: '1 accounts failed' }]);
  expect(records(world).map(({ hour }) => hour)).toEqual([
    first,
    '2026-11-20T09',
    '2026-11-20T10',
    '2026-11-20T11',
  ]);
  const item = readAccountItem(store.peek('accounts', { account: ACCOUNT }) ?? {});
  expect(item).toMatchObject({ openFrom: poisoned, settled: (chargedCu * 4n) / 5n, closed: chargedCu / 5n });
  expect(world.telemetry.logged).toContainEqual(
    expect.objectContaining({ event: 'settlement_account_failed', account: ACCOUNT }),
  );
  expect(await world.settle()).toHaveLength(1);
  expect(workList(store).map(({ entry }) => entry)).toEqual([`${poisoned}#${ACCOUNT}#0`]);
  store.restore('lanes', key, sound);
  expect(await world.settle()).toEqual([]);
  expect(readAccountItem(store.peek('accounts', { account: ACCOUNT }) ?? {})).toMatchObject({
    openFrom: '2026-11-20T12',
    settled: chargedCu,
    closed: chargedCu,
  });
  await expectSoundAudit(world);
});
