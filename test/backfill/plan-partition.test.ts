import fc from 'fast-check';
import { divide, MIN_PARTITION_BLOCKS, planPartition } from '../../lambdas/backfill/bulk/plan-partition.ts';
import { decodeBlock } from '../../lambdas/chain-data/decode/decode-block.ts';
import type { BlockRange } from '../../lambdas/chain-data/store/block-range.ts';
import { messagesOf } from '../../lambdas/indexer/backfill-message.ts';
import type { ChainReader } from '../../lambdas/indexer/follow/chain-reader.ts';
import { PLAIN, rawBlock } from '../chain-data/decode/raw-blocks.ts';

type PartitionPlan = ReturnType<typeof divide>;

const MAX_PARTITION_BLOCKS = 10_000_000;
const PARTITION_ROWS = 100_000_000;

/** Partitions of a range, as one after the other is planned; each with other blocks. */
function partitionsOf(range: BlockRange, rowsOf: readonly number[]) {
  const made: (PartitionPlan & { readonly rows: number })[] = [];
  for (let from = range.from; from <= range.to; ) {
    const rows = rowsOf[made.length % rowsOf.length] ?? 0;
    const plan = divide({ from, to: range.to }, rows);
    made.push({ ...plan, rows });
    from = plan.to + 1;
  }
  return made;
}

/** The ranges follow each other from the first block to the last. */
function expectToCover(parts: readonly BlockRange[], { from, to }: BlockRange) {
  expect([parts[0]?.from, parts.at(-1)?.to]).toEqual([from, to]);
  const strange = parts.filter(
    (part, index) => part.to < part.from || (index > 0 && part.from !== (parts[index - 1]?.to ?? 0) + 1),
  );
  expect(strange).toEqual([]);
}

const ranges = fc
  .tuple(fc.nat(100_000_000), fc.integer({ min: 1, max: 60_000_000 }))
  .map(([from, blocks]) => ({ from, to: from + blocks - 1 }));
/** Rows of a block, from none to far more than a message is to have. */
const density = fc.oneof(
  fc.constant(0),
  fc.double({ min: 0.01, max: 20, noNaN: true }),
  fc.double({ min: 20, max: 5_000_000, noNaN: true }),
);
const densities = fc.array(density, { minLength: 1, maxLength: 5 });

test('partitions have each block of a range once, and so have the messages of each', () => {
  fc.assert(
    fc.property(ranges, densities, (range, rowsOf) => {
      const parts = partitionsOf(range, rowsOf);
      expectToCover(parts, range);
      for (const { from, to, messageBlocks } of parts.slice(0, 3))
        expectToCover(messagesOf({ chain: 'c', from, to, bulk: 'write' }, messageBlocks), { from, to });
    }),
  );
});

test('a partition has neither more blocks nor more rows than it may, and only what is left has fewer than the least', () => {
  fc.assert(
    fc.property(ranges, densities, (range, rowsOf) => {
      for (const { from, to, rows } of partitionsOf(range, rowsOf)) {
        const blocks = to - from + 1;
        expect(blocks).toBeLessThan(2 * MAX_PARTITION_BLOCKS);
        if (blocks > 1.5 * MIN_PARTITION_BLOCKS)
          expect(blocks * rows).toBeLessThanOrEqual(1.5 * PARTITION_ROWS);
        if (to < range.to) expect(blocks).toBeGreaterThanOrEqual(MIN_PARTITION_BLOCKS);
      }
    }),
  );
});

test('a million empty blocks are one partition, known by a few that are read', async () => {
  const read: number[] = [];
  const reader: ChainReader = {
    ...{ head: () => Promise.reject(new Error('no head')), header: async () => undefined },
    async *pages(from) {
      read.push(from);
      yield [rawBlock([], { number: from })];
    },
  };
  const range = { from: 0, to: 999_999 };
  const plan = await planPartition({ reader, decode: (block) => decodeBlock(block, PLAIN) }, range, {
    deadline: 0,
  });
  expect(plan).toEqual({ ...range, messageBlocks: 20_000 });
  expect(read).toHaveLength(16);
});
