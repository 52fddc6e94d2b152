import fc from 'fast-check';
import {
  type Bounds,
  END_OF_BLOCKS,
  FIRST_BLOCKS,
  firstUnbound,
  nextBounds,
  PARTITION_BYTES,
  partitionWidth,
} from '../../../lambdas/chain-data/store/partition-bounds.ts';

const KIB = 1_024;
const MOST_BLOCKS = 10_000_000;
const LEAST_BLOCKS = 5_000;

/** A chain that is followed from its first block: the partitions that it gets, each with what it holds in the end. */
function followed(bytesOf: (block: number) => number, head: number) {
  const partitions: (Bounds & { readonly bytes: number })[] = [];
  for (let block = 0; block <= head; ) {
    const last = partitions.at(-1);
    const volume = last && { width: last.end - last.from, blocks: last.end - last.from, bytes: last.bytes };
    const next = nextBounds(partitions, block, partitionWidth(volume));
    partitions.push({ ...next, bytes: bytesOf(next.from) * (next.end - next.from) });
    block = next.end;
  }
  return partitions;
}

test('before anything is measured a partition is of usual width', () => {
  expect(partitionWidth(undefined)).toBe(FIRST_BLOCKS);
});

test('a chain of one density gets partitions of the bytes that are asked for', () => {
  fc.assert(
    fc.property(fc.integer({ min: KIB, max: 4 * KIB * KIB }), (blockBytes) => {
      const width = FIRST_BLOCKS;
      const next = partitionWidth({ width, blocks: width, bytes: width * blockBytes });
      const bytes = next * blockBytes;
      if (next === LEAST_BLOCKS) return;
      expect(bytes).toBeLessThanOrEqual(PARTITION_BYTES);
      if (next < 2 * width) expect(bytes).toBeGreaterThan(0.7 * PARTITION_BYTES);
    }),
  );
});

test('a million empty blocks are a few partitions, and what comes then is in one that is no wider than all before', () => {
  const EMPTY = 1_000_000;
  const partitions = followed((block) => (block < EMPTY ? KIB : 700 * KIB), EMPTY - 1);
  expect(partitions.length).toBeLessThan(6);
  const last = partitions.at(-1);
  expect((last?.end ?? 0) - (last?.from ?? 0)).toBeLessThanOrEqual(EMPTY);
  const dense = { width: 800_000, blocks: 800_000, bytes: 800_000 * 700 * KIB };
  expect(partitionWidth(dense) * 700 * KIB).toBeLessThanOrEqual(PARTITION_BYTES);
});

test('no partition is wider than ten million blocks, or narrower than five times what is made ahead', () => {
  expect(partitionWidth({ width: MOST_BLOCKS, blocks: 1_000, bytes: 1 })).toBe(MOST_BLOCKS);
  expect(partitionWidth({ width: 100, blocks: 1_000, bytes: 2 ** 50 })).toBe(LEAST_BLOCKS);
});

test('blocks that come in any order get partitions that meet and never overlap', () => {
  const arrivals = fc.array(
    fc.record({ block: fc.nat(30_000_000), width: fc.integer({ min: 5, max: 10_000 }) }),
    { minLength: 1, maxLength: 60 },
  );
  fc.assert(
    fc.property(arrivals, (blocks) => {
      const partitions: Bounds[] = [];
      for (const { block, width } of blocks) {
        if (firstUnbound(partitions, block) !== block) continue;
        const wide = width * 1_000;
        const next = nextBounds(partitions, block, wide);
        expect(next.from).toBeLessThanOrEqual(block);
        expect(next.end).toBeGreaterThan(block);
        expect(next.end - next.from).toBeLessThanOrEqual(2 * wide);
        partitions.push(next);
      }
      const sorted = partitions.sort((one, other) => one.from - other.from);
      for (const [index, { from }] of sorted.entries())
        expect(from).toBeGreaterThanOrEqual(sorted[index - 1]?.end ?? 0);
    }),
  );
});

test('a backfill below the first partition leaves no slivers', () => {
  const partitions: Bounds[] = [{ from: 25_030_000, end: 25_130_000 }];
  for (let block = 0; block < 25_030_000; block = firstUnbound(partitions, 0))
    partitions.push(nextBounds(partitions, block, FIRST_BLOCKS));
  const widths = partitions.map(({ from, end }) => end - from);
  expect(Math.min(...widths)).toBeGreaterThanOrEqual(FIRST_BLOCKS / 2);
  expect(firstUnbound(partitions, 0)).toBe(25_130_000);
});

test('no partition goes beyond the numbers that a row has room for', () => {
  const last = END_OF_BLOCKS - 1;
  expect(nextBounds([], last, FIRST_BLOCKS).end).toBe(END_OF_BLOCKS);
  expect(nextBounds([{ from: 0, end: last }], last, FIRST_BLOCKS)).toEqual({
    from: last,
    end: END_OF_BLOCKS,
  });
});
