/** How a fill by files divides a range: into partitions, and each of them into messages. */
import fc from 'fast-check';
import { type RunBulkParts, runBulk } from '../../lambdas/backfill/bulk/run-bulk.ts';
import type { BlockRange } from '../../lambdas/chain-data/store/block-range.ts';
import type { BackfillMessage } from '../../lambdas/indexer/backfill-message.ts';
import type { ChainConnection } from '../../lambdas/shared/chain-database/chain-queries.ts';

const LEAST_BLOCKS = 10_000;
const MAX_MESSAGES = 110;
const CURSOR = { block_number: Number.MAX_SAFE_INTEGER, reorg_epoch: 0, halted: null, node_head: null };

/** A database without a block, whose partitions ahead of the head are so wide. */
function emptyDatabase(width: number, opened: BlockRange[]): ChainConnection {
  const answer = (text: string, { from, to, range }: Readonly<Record<string, unknown>>) => {
    if (text.includes('bulk_open(')) {
      opened.push({ from: Number(from), to: Number(to) });
      return [{ last: Number(to) }];
    }
    if (text.includes('.cursors')) return [CURSOR];
    if (text.includes('nearest')) return [{ width, blocks: width, bytes: (80 * 2 ** 30) / 1.000_001 }];
    const [, first = '', last = ''] = /^\{\[(\d+),(\d+)\]\}$/.exec(String(range)) ?? [];
    return first === '' ? [] : [{ from_block: Number(first), to_block: Number(last) }];
  };
  const connection: ChainConnection = {
    name: 'made',
    transaction: (work) => work(connection),
    query: async (text, parameters = {}) => ({ rows: answer(text, parameters), updated: 0 }),
  };
  return connection;
}

/** Plans a range to its end. @returns its partitions, and the messages of each or of what is none */
async function plannedIn(range: BlockRange, width: number) {
  const partitions: BlockRange[] = [];
  const steps: BackfillMessage[][] = [];
  let next: BackfillMessage | undefined = { chain: 'made', ...range, bulk: 'plan' };
  while (next !== undefined) {
    const sent: BackfillMessage[] = [];
    const parts = {
      connection: emptyDatabase(width, partitions),
      queue: { send: async (work: unknown) => void sent.push(work as BackfillMessage) },
      transferRule: '',
    };
    await runBulk(parts as unknown as RunBulkParts, next, { deadline: 0 });
    steps.push(sent.filter(({ bulk }) => bulk !== 'finish'));
    const finish = sent.find(({ bulk }) => bulk === 'finish');
    const end: number = finish === undefined ? range.to : (partitions.at(-1)?.to ?? range.to);
    next = end < range.to ? { ...next, from: end + 1 } : undefined;
  }
  return { partitions, steps };
}

/** The ranges follow each other from the first block to the last. */
function expectToCover(parts: readonly BlockRange[], { from, to }: BlockRange) {
  expect([parts[0]?.from, parts.at(-1)?.to]).toEqual([from, to]);
  const strange = parts.filter(
    (part, index) => part.to < part.from || (index > 0 && part.from !== (parts[index - 1]?.to ?? 0) + 1),
  );
  expect(strange).toEqual([]);
}

const thousands = (max: number) => fc.integer({ min: 5, max }).map((count) => 1_000 * count);
/** Widths, and ranges of a few partitions. */
const ranges = fc
  .tuple(thousands(10_000), fc.nat(100_000_000), fc.double({ min: 0.001, max: 5, noNaN: true }))
  .map(([width, from, share]) => ({ width, from, to: from + Math.ceil(width * share) - 1 }));

test('partitions have each block of a range once, and so have the messages of each', async () => {
  await fc.assert(
    fc.asyncProperty(ranges, async ({ width, ...range }) => {
      const { partitions, steps } = await plannedIn(range, width);
      expectToCover(steps.flat(), range);
      for (const [index, partition] of partitions.entries()) expectToCover(steps[index] ?? [], partition);
    }),
  );
});

test('a partition is as wide as those ahead of the head, only the last is wider by half at most, or narrower', async () => {
  await fc.assert(
    fc.asyncProperty(ranges, async ({ width, ...range }) => {
      const { partitions, steps } = await plannedIn(range, width);
      for (const { from, to } of partitions) {
        const blocks = to - from + 1;
        if (to < range.to) expect(blocks).toBe(width);
        expect(blocks).toBeLessThan(1.5 * width);
        expect(range.to - from + 1).toBeGreaterThanOrEqual(LEAST_BLOCKS);
      }
      for (const messages of steps.slice(0, partitions.length))
        expect(messages.length).toBeLessThanOrEqual(1.5 * Math.max(MAX_MESSAGES, width / 20_000));
    }),
  );
});
