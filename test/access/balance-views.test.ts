/** The balance view of a wide account is small, is read as it was written, and counts each hour once. */
import { readAccountItem } from '../../lambdas/access/accounts/account-item.ts';
import {
  type BalanceView,
  dropBalanceView,
  readBalanceView,
  writeBalanceView,
} from '../../lambdas/access/accounts/balance-view.ts';
import { lanesSeenAt, sumSeenLanes } from '../../lambdas/access/accounts/seen-lanes.ts';
import { laneUpdate } from '../../lambdas/access/charge/lane.ts';
import type { Item, Store } from '../../lambdas/access/store/store.ts';
import { BalanceKeeper } from '../../lambdas/account-balances/keep-balance.ts';
import { hourOf } from '../../lambdas/shared/runtime/clock.ts';
import { itemSize } from '../simulation/stores/item-size.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { passOn } from '../simulation/stores/pass-on.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';
import { PLANS } from './metering-world.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 10, 20, 12, 30);
const HOUR = hourOf(NOW);
const HOUR_BEFORE = hourOf(NOW - HOUR_MS);

function accountOf(more: Item = {}) {
  return readAccountItem({
    ...{ account: 'acme', plan: 'standard', plan_revision: 1n, shards: 1n, keys: 1n, enabled_keys: 1n },
    ...{ disabled_at_ms: 0n, granted: 10_000n, settled: 0n, closed: 0n, open_from: HOUR_BEFORE },
    created_at: '2026-11-01T00:00:00.000Z',
    ...more,
  });
}

/** Two open hours, both read a moment ago. */
const LANES = lanesSeenAt(
  [
    [HOUR_BEFORE, 4_000n],
    [HOUR, 5_000n],
  ],
  HOUR_BEFORE,
  NOW,
);

describe('a balance view', () => {
  const viewOfHours = (hours: number): BalanceView => {
    const openFrom = hourOf(NOW - (hours - 1) * HOUR_MS);
    const lanes = Array.from({ length: hours }, (_, ago) => {
      const startMs = NOW - ago * HOUR_MS;
      return [hourOf(startMs), { cu: 123_456_789n + BigInt(ago), seenAt: NOW - 36_000 * ago }] as const;
    });
    const item = accountOf({
      open_from: openFrom,
      granted: 10n ** 15n,
      closed: 10n ** 14n,
      settled: 10n ** 14n,
    });
    return { item, lanes: { hours: new Map(lanes) }, seenAt: NOW, isWide: true };
  };

  test.each([1, 24, 25, 72, 960])(
    'of %i open hours is read as it was written, below a kibibyte',
    async (hours) => {
      const store = new MemoryStore();
      const view = viewOfHours(hours);
      expect(await writeBalanceView(store, view, NOW)).toBe(true);
      const read = await readBalanceView(store, 'acme');
      expect(read).toMatchObject({ item: view.item, seenAt: NOW, isWide: true });
      const summed = sumSeenLanes(view.lanes, view.item.openFrom, NOW + 5_000);
      expect(sumSeenLanes(read?.lanes ?? LANES, view.item.openFrom, NOW + 5_000)).toEqual(summed);
      expect(read?.lanes.hours.size).toBe(Math.min(hours, 24));
      expect(itemSize(store.peek('balances', { account: 'acme' }) ?? {})).toBeLessThan(1_024);
    },
  );

  test('is written by the youngest run alone, and by any once it was dropped', async () => {
    const store = new MemoryStore();
    expect(await writeBalanceView(store, viewOfHours(2), NOW)).toBe(true);
    expect(await writeBalanceView(store, viewOfHours(3), NOW - 1)).toBe(false);
    expect((await readBalanceView(store, 'acme'))?.lanes.hours.size).toBe(2);
    await dropBalanceView(store, 'acme');
    expect(await readBalanceView(store, 'acme')).toBeUndefined();
    expect(await writeBalanceView(store, viewOfHours(3), NOW - 1)).toBe(true);
  });

  test('counts an hour that settlement closes between the reads of item and lanes once', async () => {
    const stored = new MemoryStore();
    let nowMs = NOW;
    const lane = { account: 'acme', shard: 0, lane: 'lane-1_____', charges: 1, used: '' };
    const { account, ...item } = { account: 'acme', ...stateOf(accountOf()) };
    stored.restore('accounts', { account }, { account, ...item });
    await stored.update(laneUpdate({ ...lane, hour: HOUR_BEFORE, total: 4_000n }));
    await stored.update(laneUpdate({ ...lane, hour: HOUR, total: 5_000n }));
    let isClosed = false;
    const store: Store = {
      ...passOn(stored),
      query: (query) => {
        // The item was read: now the hour before is settled.
        if (query.table === 'lanes' && !isClosed) {
          isClosed = true;
          const closed = { open_from: HOUR, settled: 4_000n, closed: 4_000n };
          stored.restore('accounts', { account }, { account, ...item, ...closed });
        }
        return stored.query(query);
      },
    };
    const balances: bigint[] = [];
    const keeper = new BalanceKeeper(
      {
        store,
        clock: { now: () => nowMs },
        pause: async (durationMs) => {
          const view = await readBalanceView(stored, account);
          if (
            view !== undefined &&
            sumSeenLanes(view.lanes, view.item.openFrom, nowMs).seenAt > nowMs - 5_000
          )
            balances.push(
              view.item.granted - view.item.closed - sumSeenLanes(view.lanes, view.item.openFrom, nowMs).cu,
            );
          nowMs += Math.max(1, durationMs);
        },
        telemetry: new RecordedTelemetry(),
        settings: { plans: PLANS, defaultPlan: 'standard' },
        run: NOW,
        narrowLanes: 1,
      },
      account,
    );
    await keeper.keep(() => nowMs >= NOW + 5_000);
    expect(balances.length).toBeGreaterThan(0);
    expect(new Set(balances)).toEqual(new Set([1_000n]));
  });
});

function stateOf(item: ReturnType<typeof accountOf>): Item {
  const { granted, settled, closed, openFrom, createdAt } = item;
  return {
    ...{ plan: 'standard', plan_revision: 1n, shards: 1n, keys: 1n, enabled_keys: 1n, disabled_at_ms: 0n },
    ...{ granted, settled, closed, open_from: openFrom, created_at: createdAt },
  };
}
