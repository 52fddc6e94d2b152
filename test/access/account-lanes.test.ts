import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sizeOf, WRITE_UNIT_BYTES } from '../../bench/item-size.ts';
import { AccountMemory } from '../../lambdas/access/account-memory.ts';
import { chargeAccount } from '../../lambdas/access/charge.ts';
import { LanePool } from '../../lambdas/access/lane-pool.ts';
import { LANE_PREFIX } from '../../lambdas/access/observed-account.ts';
import { LANES_OF_FIVE_OPEN_HOURS } from '../../lambdas/access/prune-lanes.ts';
import { settleAccount } from '../../lambdas/access/settle-account.ts';
import type { Item } from '../../lambdas/access/store.ts';
import { MemoryStore } from '../simulation/memory-store.ts';
import { KeptQueue, PLANS } from './metering-world.ts';
import { clockAt, openAccount } from './settlement-fixture.ts';

const HOUR_MS = 3_600_000;
const HOURS = 6;
const INSTANCES = 700;
/** Charges of one instance, over its life. */
const CHARGES = 6;
const USAGE = [{ chain: 'example_mainnet', method: 'eth_call', calls: 1, cu: 20, cached: 0, errors: 0 }];

/** An account in use, with the usage of two hours and of one call. */
const ACCOUNT = {
  account: 'acme',
  plan: 'standard',
  granted: 10_000_000_000n,
  charged: 1_234_567_890n,
  settled: 1_234_000_000n,
  created_at: '2026-11-20T10:00:00.000Z',
  pending_shard: 11n,
  pending_hour: '2026-11-20T10',
  pruned_through: '2026-11-20T09',
  'h_2026-11-20T10': 123_456n,
  'h_2026-11-20T11': 12_345n,
  used: 'example_mainnet eth_call:1:20',
};

/** The largest account item that so many instances leave, one after the other, with settlement once an hour. */
async function largestItem(instances: number, settledAtMinute: number): Promise<Item> {
  const clock = clockAt('2026-11-20T10:00:00Z');
  const startMs = clock.time;
  const store = new MemoryStore();
  const pause = async () => {};
  await openAccount(store, clock, 'alice');
  const queue = new KeptQueue();
  const accounts = new AccountMemory({ plans: PLANS, defaultPlan: 'standard' });
  let settledMs = startMs + settledAtMinute * 60_000;
  let largest: Item = {};
  let random = 0;
  for (let instance = 0; instance < instances; instance += 1) {
    const lanes = new LanePool((count) => {
      random += 1;
      const bytes = Buffer.alloc(count);
      bytes.writeUInt32BE(random);
      return bytes;
    });
    for (let charge = 0; charge < CHARGES; charge += 1) {
      clock.time = startMs + Math.floor(((instance + charge / CHARGES) * HOURS * HOUR_MS) / instances);
      if (clock.time >= settledMs) {
        await settleAccount({ store, clock, pause }, 'alice');
        settledMs += HOUR_MS;
      }
      const outcome = await chargeAccount(
        { store, queue, clock, pause, lanes, accounts },
        'alice',
        20,
        USAGE,
      );
      if (outcome.state !== 'charged') throw new Error(`the charge is ${outcome.state}`);
    }
    const item = (await store.get('accounts', { account: 'alice' })) ?? {};
    if (sizeOf(item) > sizeOf(largest)) largest = item;
  }
  expect(largest.charged).toBeLessThanOrEqual(BigInt(instances * CHARGES * 20));
  return largest;
}

test.each([
  ['right after the grace of an hour', 10, 4],
  ['right before it', 9, 6],
])('700 instances one after the other in six hours, settlement %s', async (_case, minute, writeUnits) => {
  const largest = await largestItem(INSTANCES, minute);
  expect(Math.ceil(sizeOf(largest) / WRITE_UNIT_BYTES)).toBeLessThanOrEqual(writeUnits);
});

test('an account whose lanes stay for five hours is one write unit', async () => {
  const largest = await largestItem(LANES_OF_FIVE_OPEN_HOURS, 10);
  expect(Object.keys(largest).filter((name) => name.startsWith(LANE_PREFIX))).toHaveLength(
    LANES_OF_FIVE_OPEN_HOURS,
  );
  expect(sizeOf(largest)).toBeLessThanOrEqual(WRITE_UNIT_BYTES);
});

test('the table of docs/cost.md is what DynamoDB counts', () => {
  const table = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'cost.md'), 'utf8');
  const rows = [...table.matchAll(/^\| ([\d,]+) \| ([\d,]+) B \| (\d+) \| ([\d,]+) \|/gm)];
  expect(rows.length).toBeGreaterThan(5);
  for (const row of rows) {
    const [lanes, bytes, writeUnits, charges] = row.slice(1).map((text) => Number(text.replace(',', '')));
    const item: Record<string, string | bigint> = { ...ACCOUNT };
    for (let lane = 0; lane < (lanes ?? 0); lane += 1) {
      item[LANE_PREFIX + String(lane).padStart(11, '_')] = 1_763_632_800_123_001n;
    }
    const size = sizeOf(item);
    const units = Math.ceil(size / WRITE_UNIT_BYTES);
    expect([bytes, writeUnits, charges]).toEqual([size, units, Math.floor(1_000 / units)]);
  }
});
