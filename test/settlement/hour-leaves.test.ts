import fc from 'fast-check';
import { sumLanes } from '../../lambdas/access/accounts/lane-hours.ts';
import { laneUpdate } from '../../lambdas/access/charge/lane.ts';
import { encodeUsage } from '../../lambdas/access/charge/usage-text.ts';
import type { Item, Query, Store } from '../../lambdas/access/store/store.ts';
import {
  type HourLeaves,
  hourLeaves,
  laneUsage,
  leafOf,
  packPart,
  ShardLeaves,
  unpackPart,
} from '../../lambdas/settlement/hour-leaves.ts';
import { laneLeafText } from '../../lambdas/shared/bill/lane-leaf.ts';
import { leafHash, treeRoot } from '../../lambdas/shared/bill/merkle-tree.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { repetitions } from '../support/at-length.ts';
import { laneDigest } from '../support/hour-sum.ts';

const ACCOUNT = 'acme';
const HOUR = '2026-11-20T09';
const LONGEST_USED = 'x'.repeat(480);
/** Lanes of a wide account in one hour. */
const WIDE = repetitions(20_000);
const LANES_PER_PAGE = 250;

function storedLane(shard: number, place: number, used: string): Item {
  const lane = `lane${String(place).padStart(7, '0')}`;
  const charged = { charges: place + 1, total: BigInt(3 * (place + 1)), used };
  const { key, set } = laneUpdate({ account: ACCOUNT, shard, hour: HOUR, lane, ...charged });
  return { ...key, ...set };
}

async function leavesOf(store: Store, shards: number): Promise<HourLeaves> {
  const range = { account: ACCOUNT, shards, fromHour: HOUR, toHour: HOUR };
  const sums = sumLanes({ store }, range, (shard, hour) => new ShardLeaves(shard, hour));
  const [sum] = await Array.fromAsync(sums);
  if (sum === undefined) throw new Error('the hour has lanes');
  return hourLeaves(ACCOUNT, sum);
}

test('root, digest, usage and what is kept are those of all lanes at once, on however many shards', async () => {
  const counts = fc.array(fc.oneof(fc.integer({ max: 3, min: 0 }), fc.constant(600)), {
    minLength: 1,
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(counts, async (shards) => {
      const store = new MemoryStore();
      const lanes = shards.flatMap((count, shard) =>
        Array.from({ length: count }, (_, place) =>
          storedLane(shard, place, `example eth_call:${place + 1}:${3 * (place + 1)}`),
        ),
      );
      fc.pre(lanes.length > 0);
      for (const item of lanes) await store.put({ table: 'lanes', item, when: [] });
      const hour = await leavesOf(store, shards.length);
      const leaves = lanes.map((lane) => leafOf(lane, HOUR));
      const root = treeRoot(leaves.map((leaf) => leafHash(laneLeafText(leaf)))).toString('hex');
      expect([hour.root(), hour.digest(), hour.lanes]).toEqual([root, laneDigest(lanes), lanes.length]);
      expect(encodeUsage(hour.usage())).toBe(encodeUsage(laneUsage(lanes)));
      expect(unpackPart(packPart({ statement: 's', used: 'u' }, hour.bytes()))).toEqual({
        statement: 's',
        used: 'u',
        leaves,
      });
    }),
    { numRuns: 20 },
  );
});

test(`of ${WIDE} lanes an hour holds a page, and some 50 bytes of each that was read`, async () => {
  const held: number[] = [];
  let sink: ShardLeaves | undefined;
  const pages: Pick<Store, 'query'> = {
    async query({ after }: Query) {
      const from = after === undefined ? 0 : Number(after.place);
      const { packed = [], waiting = '' } = sink?.bytes() ?? {};
      expect(waiting.length).toBeLessThan(16 * 1_024);
      held.push(packed.reduce((sum, { length }) => sum + length, waiting.length));
      const items = Array.from({ length: LANES_PER_PAGE }, (_, place) =>
        storedLane(0, from + place, LONGEST_USED + (from + place)),
      );
      const next = from + LANES_PER_PAGE;
      return { items, ...(next < WIDE && { next: { place: String(next) } }) };
    },
  };
  const range = { account: ACCOUNT, shards: 1, fromHour: HOUR, toHour: HOUR };
  const sums = sumLanes({ store: pages as Store }, range, (shard, hour) => {
    sink = new ShardLeaves(shard, hour);
    return sink;
  });
  const [sum] = await Array.fromAsync(sums);
  expect(sum).toMatchObject({ lanes: WIDE, cu: 3n * BigInt((WIDE * (WIDE + 1)) / 2) });
  expect(held).toHaveLength(WIDE / LANES_PER_PAGE);
  expect(Math.max(...held)).toBeLessThan(60 * WIDE);
});
