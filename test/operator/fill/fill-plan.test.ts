import fc from 'fast-check';
import { allRows, type ChainSample } from '../../../bin/operator/fill/chain-sample.ts';
import { type FillOptions, planFill } from '../../../bin/operator/fill/fill-plan.ts';

/** Blocks of a small layer 2: ten transactions, each with two logs, a transfer and two calls. */
const SMALL: ChainSample = {
  blocks: 192,
  rows: {
    blocks: 1,
    transactions: 10,
    withdrawals: 0,
    logs: 20,
    erc20_transfers: 10,
    nft_transfers: 0,
    dex_swaps: 0,
    dex_liquidity_events: 0,
    traces: 30,
  },
  dataBytes: 5_000,
  nodeCalls: 3,
  readMs: 10,
  traced: true,
  standardError: 0.05,
};
const OPTIONS: FillOptions = { blocks: 10_000_000, functions: 4, maxAcu: 8 };

const limitOf = (sample: ChainSample, options: FillOptions) => planFill(sample, options).hours[0]?.limit;
const hoursOf = (sample: ChainSample, options: FillOptions) => planFill(sample, options).hours[0]?.hours ?? 0;

test('rows, bytes and calls are those of the sample, for all blocks', () => {
  const { rows, bytes, nodeCalls, fits } = planFill(SMALL, OPTIONS);
  expect({ rows, nodeCalls, fits }).toEqual({ rows: 710_000_000, nodeCalls: 30_000_000, fits: true });
  const block = 574 + 10 * 386 + 20 * 308 + 10 * 319 + 30 * 291;
  expect(bytes).toBeCloseTo(10_000_000 * (block + 5_000), 0);
});

test('each limit can be the one that a fill waits for', () => {
  expect(limitOf(SMALL, { ...OPTIONS, functions: 1, maxAcu: 256 })).toBe('functions');
  expect(limitOf(SMALL, { ...OPTIONS, functions: 1_000, maxAcu: 256, callsPerSecond: 25 })).toBe('node');
  expect(limitOf(SMALL, { ...OPTIONS, blocks: 10_000, functions: 1_000, maxAcu: 1 })).toBe(
    'database processors',
  );
});

test('by files less is waited for, unless it is the node', () => {
  const byFiles = (options: FillOptions) => planFill(SMALL, options).byFiles.hours[0];
  for (const options of [
    { ...OPTIONS, functions: 1, maxAcu: 256 },
    { ...OPTIONS, functions: 1_000 },
  ])
    expect(byFiles(options)?.hours).toBeLessThan(hoursOf(SMALL, options));
  const slowNode = { ...OPTIONS, functions: 1_000, maxAcu: 256, callsPerSecond: 25 };
  expect(byFiles(slowNode)).toEqual({ limit: 'node', hours: hoursOf(SMALL, slowNode) });
  expect(byFiles({ ...OPTIONS, functions: 1_000, maxAcu: 8 })?.limit).toBe('database processors');
});

test('by files nothing is paid for requests of the database, and little for objects', () => {
  const { byFiles, once } = planFill(SMALL, OPTIONS);
  const usd = (costs: typeof once) => costs.reduce((sum, cost) => sum + (cost.usd ?? 0), 0);
  expect(byFiles.once.map(({ line }) => line)).toContain('files');
  expect(byFiles.once.map(({ line }) => line)).not.toContain('RDS Data API');
  expect(usd(byFiles.once)).toBeLessThan(usd(once));
});

test('a node of 25 calls a second gives 30 million of them in 333 hours', () => {
  expect(hoursOf(SMALL, { ...OPTIONS, maxAcu: 256, callsPerSecond: 25 })).toBeCloseTo(333.3, 1);
});

test('a price that is not known is not nothing', () => {
  const line = (options: FillOptions) =>
    planFill(SMALL, options).once.find((cost) => cost.line === 'calls of the node');
  expect(line(OPTIONS)).toEqual({ line: 'calls of the node', usd: undefined, ioOptimizedUsd: undefined });
  expect(line({ ...OPTIONS, nodeUsd: 0.5 })).toEqual({
    line: 'calls of the node',
    usd: 15,
    ioOptimizedUsd: 15,
  });
});

test('storage that is not billed by the request costs more by the gigabyte and the hour', () => {
  const { once, monthly } = planFill(SMALL, OPTIONS);
  const usd = (costs: typeof once, line: string) => costs.find((cost) => cost.line === line);
  expect(usd(once, 'its writes')?.ioOptimizedUsd).toBe(0);
  expect(usd(once, 'its writes')?.usd).toBeGreaterThan(0);
  for (const cost of [usd(once, 'capacity of the database'), usd(monthly, 'storage')])
    expect(cost?.ioOptimizedUsd).toBeGreaterThan(cost?.usd ?? Number.POSITIVE_INFINITY);
});

test('a history of more than 128 TiB does not fit', () => {
  const perBlock = planFill(SMALL, OPTIONS).bytes / OPTIONS.blocks;
  const most = Math.floor((128 * 2 ** 40) / perBlock);
  expect(planFill(SMALL, { ...OPTIONS, blocks: most }).fits).toBe(true);
  expect(planFill(SMALL, { ...OPTIONS, blocks: most + 1 }).fits).toBe(false);
});

test('more of anything never takes longer, and more blocks never less', () => {
  const amount = (max: number) => fc.integer({ min: 1, max });
  const options = fc.record({ blocks: amount(1e8), functions: amount(1_000), maxAcu: amount(256) });
  fc.assert(
    fc.property(options, amount(100), (given, more) => {
      const hours = hoursOf(SMALL, given);
      expect(hoursOf(SMALL, { ...given, functions: given.functions + more })).toBeLessThanOrEqual(hours);
      expect(hoursOf(SMALL, { ...given, maxAcu: given.maxAcu + more })).toBeLessThanOrEqual(hours);
      expect(hoursOf(SMALL, { ...given, blocks: given.blocks + more })).toBeGreaterThanOrEqual(hours);
      expect(planFill(SMALL, given).rows).toBe(allRows(SMALL.rows) * given.blocks);
    }),
  );
});
