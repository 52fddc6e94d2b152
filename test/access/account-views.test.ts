/** What an instance knows of an account is young enough that nothing is admitted beyond its balance. */
import { readAccountItem } from '../../lambdas/access/accounts/account-item.ts';
import { AccountViews } from '../../lambdas/access/accounts/account-view.ts';
import { writeBalanceView } from '../../lambdas/access/accounts/balance-view.ts';
import { lanesSeenAt } from '../../lambdas/access/accounts/seen-lanes.ts';
import { laneUpdate } from '../../lambdas/access/charge/lane.ts';
import { type Store, StoreUnavailableError } from '../../lambdas/access/store/store.ts';
import { connectFunction } from '../../lambdas/shared/aws/signed-service.ts';
import { hourOf } from '../../lambdas/shared/runtime/clock.ts';
import { startLambdaEndpoint } from '../../local/functions/functions.ts';
import { ACCESS_KEY_ID } from '../local/access-key.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { passOn } from '../simulation/stores/pass-on.ts';
import { MeteringWorld, PLANS } from './metering-world.ts';

const SECOND_MS = 1_000;
const PRICE = { cu: 10 };

let world: MeteringWorld;
beforeEach(async () => {
  world = await new MeteringWorld(new MemoryStore()).create();
});

const reasonOf = async (meter = world.meter) => {
  const admission = await meter.admit(world.holder, PRICE);
  return admission.admitted ? 'admitted' : admission.refusal.reason;
};

/** What other instances charge. */
async function chargeElsewhere(total: bigint, shard = 0): Promise<void> {
  const { account } = world.holder;
  const hour = hourOf(world.clock.timeMs);
  await world.stored.update(
    laneUpdate({ account, shard, hour, lane: `lane-${shard}_____`, charges: 1, total, used: '' }),
  );
}

test('what others charge on shards that the account got since it was last read is in its balance', async () => {
  await world.setAccount({ granted: 100n });
  expect(await reasonOf()).toBe('admitted');
  await world.setAccount({ shards: 3n });
  await chargeElsewhere(100n, 2);
  world.clock.timeMs += SECOND_MS;
  expect(await reasonOf()).toBe('insufficient_balance');
});

test('a balance that was certain and is used up by now is refused as soon as that is read beside the draw', async () => {
  expect(await reasonOf()).toBe('admitted');
  await chargeElsewhere(1_000_000n);
  world.clock.timeMs += 10 * SECOND_MS;
  expect(await reasonOf()).toBe('insufficient_balance');
});

test('a key that has just been disabled may still have spent its bucket: what it can have is not certain', async () => {
  for (const [sinceMs, isCertain] of [
    [0, false],
    [3_600 * SECOND_MS, true],
  ] as const) {
    const disabledAt = BigInt(world.clock.timeMs - sinceMs);
    // One key can be admitted a full bucket and a second of refill.
    await world.setAccount({ granted: 1_111n, keys: 2n, enabled_keys: 1n, disabled_at_ms: disabledAt });
    const meter = world.instance();
    expect(await reasonOf(meter)).toBe('admitted');
    expect(meter.expectsAdmission(world.holder, PRICE)).toBe(isCertain);
  }
});

describe('a reading that takes two seconds', () => {
  const slow = (table: 'accounts' | 'lanes'): Store => ({
    ...passOn(world.store),
    get: async (of, key, options) => {
      const item = await world.store.get(of, key, options);
      if (of === table) world.clock.timeMs += 2 * SECOND_MS;
      return item;
    },
    query: async (query) => {
      const page = await world.store.query(query);
      if (query.table === table) world.clock.timeMs += 2 * SECOND_MS;
      return page;
    },
  });

  test('is as old as its beginning: what the key can be admitted meanwhile is not certain', async () => {
    // A full bucket and three seconds of refill: the reading's two, and the one by which it can lag.
    for (const [granted, isCertain] of [
      [1_300n, false],
      [1_311n, true],
    ] as const) {
      await world.setAccount({ granted });
      const meter = world.instance(slow('lanes'));
      expect(await reasonOf(meter)).toBe('admitted');
      expect(meter.expectsAdmission(world.holder, PRICE)).toBe(isCertain);
    }
  });

  test('refuses for three seconds from its beginning on, also while the store does not answer', async () => {
    await world.setAccount({ granted: 0n });
    const meter = world.instance(slow('accounts'));
    expect(await reasonOf(meter)).toBe('insufficient_balance');
    world.clock.timeMs += 999;
    world.store.readFaults.push('throttled');
    expect(await reasonOf(meter)).toBe('insufficient_balance');
    world.clock.timeMs += 1;
    world.store.readFaults.push('throttled');
    expect(await reasonOf(meter)).toBe('billing_unavailable');
  });
});

test('near its end an account is read strongly, and far from it for half the units', async () => {
  const reads: string[] = [];
  const kind = (eventual: boolean | undefined) => (eventual === true ? 'eventual' : 'strong');
  const watched: Store = {
    ...passOn(world.store),
    get: async (table, key, options) => {
      if (table === 'accounts') reads.push(`item ${kind(options?.eventual)}`);
      return world.store.get(table, key, options);
    },
    query: async (query) => {
      if (query.table === 'lanes') reads.push(`lanes ${kind(query.eventual)}`);
      return world.store.query(query);
    },
  };
  const meter = world.instance(watched);
  await world.setAccount({ granted: 100n });
  await reasonOf(meter);
  expect(reads.splice(0)).toEqual(['item strong', 'lanes strong']);
  await world.setAccount({ granted: 1_000_000n });
  world.clock.timeMs += SECOND_MS;
  await reasonOf(meter);
  expect(reads.splice(0)).toEqual(['item strong', 'lanes strong']);
  world.clock.timeMs += 10 * SECOND_MS;
  await reasonOf(meter);
  expect(reads).toEqual(['item eventual', 'lanes eventual']);
});

describe('a balance view near the end that nothing refreshes any more', () => {
  const keepView = async () => {
    const seenAt = world.clock.timeMs;
    const item = readAccountItem(await world.account());
    const lanes = lanesSeenAt([], item.openFrom, seenAt);
    expect(await writeBalanceView(world.stored, { item, lanes, seenAt, isWide: true }, seenAt)).toBe(true);
    return seenAt;
  };

  test('admits for a minute, then nobody, and again once it is refreshed', async () => {
    await world.setAccount({ granted: 100n });
    const writtenAt = await keepView();
    const meters = [world.meter, world.instance()];
    for (let second = 0; second < 59; second += 1) {
      world.clock.timeMs = writtenAt + second * SECOND_MS;
      expect(await reasonOf(meters[second % 2])).toBe('admitted');
    }
    // One that knows nothing of the account looks twice more for a younger view.
    for (const meter of [...meters, world.instance()]) {
      world.clock.timeMs = writtenAt + 59 * SECOND_MS;
      expect(await reasonOf(meter)).toBe('admitted');
    }
    for (const meter of [...meters, world.instance()]) {
      world.clock.timeMs = writtenAt + 61 * SECOND_MS;
      expect(await reasonOf(meter)).toBe('billing_unavailable');
    }
    await keepView();
    for (const meter of meters) expect(await reasonOf(meter)).toBe('admitted');
  });

  test('admits for ten seconds by an instance to which the table does not answer', async () => {
    await world.setAccount({ granted: 100n });
    const writtenAt = await keepView();
    let isAway = false;
    const store: Store = {
      ...passOn(world.store),
      get: async (table, key, options) => {
        if (isAway && table === 'balances') throw new StoreUnavailableError('throttled', false);
        return world.store.get(table, key, options);
      },
    };
    const meter = world.instance(store);
    expect(await reasonOf(meter)).toBe('admitted');
    isAway = true;
    for (const [second, reason] of [
      [9, 'admitted'],
      [11, 'billing_unavailable'],
    ] as const) {
      world.clock.timeMs = writtenAt + second * SECOND_MS;
      expect(await reasonOf(meter)).toBe(reason);
    }
  });
});

describe('the first balance view of an account', () => {
  const READING = { itemMaxAgeMs: 3 * SECOND_MS };
  const views = (startBalances: () => Promise<void>) => {
    const { store, clock, telemetry } = world;
    const settings = { plans: PLANS, defaultPlan: 'standard' };
    const parts = { store, clock, telemetry, settings, narrowLanes: 1, startBalances };
    return new AccountViews(parts, () => 0n);
  };
  const read = (one: AccountViews) => one.read(world.holder.account, READING);

  beforeEach(async () => {
    await world.setAccount({ shards: 20n });
    for (let shard = 0; shard < 20; shard += 1) await chargeElsewhere(1n, shard);
  });

  test('starts the function that keeps it, once for all instances', async () => {
    const runs: unknown[] = [];
    const endpoint = await startLambdaEndpoint(
      new Map([['balances', (event) => runs.push(event)]]),
      ACCESS_KEY_ID,
    );
    const before = { ...process.env };
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_LAMBDA: endpoint.url,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: ACCESS_KEY_ID,
      AWS_SECRET_ACCESS_KEY: 'local',
    });
    try {
      const start = connectFunction('balances');
      for (const one of [views(start), views(start)]) {
        expect((await read(one)).isWide).toBe(true);
        world.clock.timeMs += 20 * SECOND_MS;
        await read(one);
      }
      expect(runs).toEqual([{}]);
      expect(world.telemetry.logged).toEqual([]);
      await expect(connectFunction('another')()).rejects.toThrow('Lambda answered with status 404');
    } finally {
      process.env = before;
      await endpoint.close();
    }
  });

  test('may be missing for ten seconds: lanes that were too many are not read again', async () => {
    let lanes = 0;
    const query = world.stored.query.bind(world.stored);
    world.stored.query = (asked) => {
      if (asked.table === 'lanes') lanes += 1;
      return query(asked);
    };
    const one = views(async () => {});
    await read(one);
    const before = lanes;
    world.clock.timeMs += 9 * SECOND_MS;
    expect((await read(one)).isWide).toBe(true);
    expect(lanes).toBe(before);
    world.clock.timeMs += 2 * SECOND_MS;
    await read(one);
    expect(lanes).toBeGreaterThan(before);
  });

  test('is asked for again where the store did not take it, and the account is read meanwhile', async () => {
    const runs: string[] = [];
    const one = views(async () => {
      runs.push('started');
    });
    world.store.writeFaults.push('throttled');
    expect((await read(one)).isWide).toBe(true);
    expect(runs).toEqual([]);
    world.clock.timeMs += 11 * SECOND_MS;
    await read(one);
    expect(runs).toEqual(['started']);
  });

  test('is read without it where the function cannot be started: the run of the next minute finds it', async () => {
    const one = views(() => Promise.reject(new Error('throttled')));
    expect((await read(one)).isWide).toBe(true);
    expect(world.telemetry.logged).toEqual([
      expect.objectContaining({ level: 'warn', event: 'balances_not_started' }),
    ]);
  });
});
