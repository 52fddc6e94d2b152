import fc from 'fast-check';
import { sampleChain } from '../../../bin/operator/fill/sample-chain.ts';
import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import type { BlockRange } from '../../../lambdas/chain-data/store/block-range.ts';
import { rawBlock, rawTransaction } from '../../chain-data/decode/raw-blocks.ts';

const MAX_PLACES = 48;
const MAX_BLOCKS = 192;

/** Ranges in ascending order that do not touch. */
const ranges = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 5_000 })), {
    minLength: 1,
    maxLength: 8,
  })
  .map((parts) => {
    let next = 0;
    return parts.map(([gap, length]): BlockRange => {
      const from = next + gap;
      next = from + length;
      return { from, to: next - 1 };
    });
  });

/** The runs of blocks that a sample asks its node for. */
async function runsOf(given: readonly BlockRange[], random: () => number): Promise<BlockRange[]> {
  const runs: BlockRange[] = [];
  const reader = {
    async *pages(from: number, to: number) {
      runs.push({ from, to });
      yield [rawBlock([], { number: from })];
    },
  };
  await sampleChain({ clock: { now: () => 0 }, random, callsSent: () => 0, reader }, given);
  return runs;
}

test('runs are short, within the ranges, and no block is in two', async () => {
  await fc.assert(
    fc.asyncProperty(ranges, fc.double({ min: 0, max: 0.999_999, noNaN: true }), async (given, fraction) => {
      const blocks = (await runsOf(given, () => fraction)).flatMap(({ from, to }) =>
        Array.from({ length: to - from + 1 }, (_, index) => from + index),
      );
      expect(new Set(blocks).size).toBe(blocks.length);
      expect(blocks.length).toBeGreaterThan(0);
      expect(blocks.length).toBeLessThanOrEqual(MAX_BLOCKS);
      expect(blocks.filter((block) => !given.some(({ from, to }) => from <= block && block <= to))).toEqual(
        [],
      );
    }),
  );
});

test('each part of a range is looked at, and the first few runs are all over it', async () => {
  const runs = await runsOf([{ from: 0, to: 48_000_000 - 1 }], () => 0.5);
  const parts = runs.map(({ from }) => Math.floor(from / 1_000_000));
  expect([...parts].sort((a, b) => a - b)).toEqual(Array.from({ length: MAX_PLACES }, (_, part) => part));
  const thirds = new Set(parts.slice(0, 3).map((part) => Math.floor(part / 16)));
  expect(thirds).toEqual(new Set([0, 1, 2]));
});

/** A chain in memory that is busier the higher a block is. */
function chainOf({ readMs = 0 }: { readonly readMs?: number } = {}) {
  let [now, calls] = [0, 0];
  const blockAt = (number: number): RawBlock =>
    rawBlock(
      Array.from({ length: Math.floor(number / 1_000) }, (_, index) => rawTransaction(index)),
      { number },
    );
  return {
    clock: { now: () => now },
    random: () => 0.5,
    callsSent: () => calls,
    reader: {
      async *pages(from: number, to: number) {
        for (let number = from; number <= to; number += 1) {
          now += readMs;
          calls += 3;
          yield [blockAt(number)];
        }
      },
    },
  };
}

test('a chain that was empty once is sampled as a whole', async () => {
  const sample = await sampleChain(chainOf(), [{ from: 0, to: 99_999 }]);
  expect(sample).toMatchObject({ blocks: MAX_BLOCKS, nodeCalls: 3 });
  // From none at the first block to 99 at the last.
  expect(sample.rows.transactions).toBeGreaterThan(48);
  expect(sample.rows.transactions).toBeLessThan(51);
  expect(sample.standardError).toBeGreaterThan(0.01);
  expect(sample.standardError).toBeLessThan(0.1);
});

test('a slow node is asked for a minute, and what it gave is the sample', async () => {
  const sample = await sampleChain(chainOf({ readMs: 4_000 }), [{ from: 0, to: 99_999 }]);
  expect(sample).toMatchObject({ blocks: 16, readMs: 4_000 });
});

test('one missing block is a sample', async () => {
  expect(await sampleChain(chainOf(), [{ from: 5_000, to: 5_000 }])).toMatchObject({
    blocks: 1,
    standardError: 0,
    rows: { blocks: 1, transactions: 5 },
  });
});
