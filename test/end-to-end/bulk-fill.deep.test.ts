/** That a long past is filled by files, whatever happens to the function that fills it, with the rows that the node has. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { StageConfigInput } from '../../lib/config/stage-config.ts';
import { callNode } from '../../local/processes/node-calls.ts';
import { functionProcesses } from '../local/processes.ts';
import { untilTrue } from '../support/until-true.ts';
import { compareBlocks, compareChainRows } from './node-comparison/chain-rows.ts';
import { Comparisons } from './node-comparison/comparisons.ts';
import { readNodeChain } from './node-comparison/node-chain.ts';
import { ask, type Row, rowsOf, type Sources } from './node-comparison/sources.ts';
import { type LongChain, startLongChain } from './nodes/long-chain.ts';
import { type RunningGateway, startGateway, stopGateways } from './running-gateway.ts';

const CHAIN = 'example_mainnet';
const STAGE_FILE = join(import.meta.dirname, '..', '..', 'config', 'local.json');
const STAGE = JSON.parse(readFileSync(STAGE_FILE, 'utf8')) as StageConfigInput;
/** All that blocks fill; balances come with the next snapshot, which is hours later. */
const DATASETS = [
  'blocks',
  'transactions',
  'logs',
  'erc20_transfers',
  'nft_transfers',
  'withdrawals',
  'tokens',
  'nft_owners',
  'dex_pools',
  'dex_swaps',
  'dex_liquidity_events',
  'token_prices',
  'candles',
  'stock_tokens',
  'stock_multipliers',
  'stock_daily',
];
const WAIT_MS = 120_000;
const POLL_MS = 500;
/** Time between two blocks of the head while the past is filled. */
const BLOCK_MS = 300;
/** Blocks after the last that is compared, so that it is final. */
const FINAL_BELOW = 300;
/** Empty blocks that are compared beside those with transactions. */
const NEIGHBOURS = 20;
/** Values that are compared with the node: of blocks, and of what happened in them. */
const LEAST_BLOCK_VALUES = 100_000;
const LEAST_VALUES = 3_000;

let chain: LongChain;
let gateway: RunningGateway;
let sources: Sources;
let database: pg.Client;

beforeAll(async () => {
  chain = await startLongChain();
  const [one] = STAGE.chains;
  if (one === undefined) throw new Error('the local stage has no chain');
  gateway = await startGateway({
    config: {
      ...STAGE,
      chains: [{ ...one, upstreams: [chain.url], privateUpstreams: true }],
      // However fast the machine is, the comparison stays below it.
      plans: { ...STAGE.plans, standard: { bucketCapacity: 100_000, refillPerSecond: 10_000 } },
      demo: {},
    },
  });
  sources = { baseUrl: gateway.baseUrl, apiKey: gateway.apiKey, node: chain.url };
  database = new pg.Client({ connectionString: gateway.endpoints.database });
  await database.connect();
});

afterAll(async () => {
  await database?.end();
  await stopGateways();
  await chain?.stop();
});

interface Progress {
  readonly missing_blocks: number;
  readonly queued_ranges: number;
  readonly bulk_partitions?: readonly object[];
}

async function backfill(...args: readonly string[]): Promise<Progress> {
  const { code, stdout, stderr } = await gateway.operator(['backfill', CHAIN, ...args, '--json']);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

function until(condition: () => Promise<boolean>): Promise<void> {
  return untilTrue(condition, {
    withinMs: WAIT_MS,
    everyMs: POLL_MS,
    failure: () => `it did not come so far in time:\n${gateway.logs()}`,
  });
}

async function count(table: string): Promise<number> {
  const { rows } = await database.query(`SELECT count(*)::int FROM ${CHAIN}.${table}`);
  return Number(rows[0].count);
}

/** The head of the index, which none of its blocks is above. */
async function indexed(): Promise<number> {
  return (await ask(sources, '/blocks?limit=1')).meta.as_of_block;
}

/** What the Data API says of the blocks that a dataset has. */
const coverage = (dataset: string) => rowsOf(sources, `/status/coverage/${dataset}`);

/** Mines blocks of the head meanwhile, and then all that are left. */
async function whileHeadGoesOn(work: () => Promise<void>): Promise<void> {
  let isDone = false;
  const mining = (async () => {
    while (!isDone && (await chain.goOn())) await sleep(BLOCK_MS);
  })();
  await work().finally(async () => {
    isDone = true;
    await mining;
  });
  while (await chain.goOn());
  await chain.mine(FINAL_BELOW);
}

/** Kills the function of the backfill once it has planned the partition, before it has a file: the node answers nothing meanwhile. */
async function killFunction(): Promise<void> {
  const isPlanned = async () => (await count('bulk_partitions')) > 0;
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  chain.beforeAnswer = async () => {
    if (await isPlanned()) await over;
  };
  try {
    await until(isPlanned);
    const killed = functionProcesses(gateway.dataDir, 'IndexingFill');
    for (const id of killed) process.kill(id, 'SIGKILL');
    expect(killed.length).toBeGreaterThan(0);
    expect(await count('bulk_files')).toBe(0);
  } finally {
    chain.beforeAnswer = async () => {};
    end();
  }
}

test(
  'a long past is filled by files below a head that goes on, started again after its function was killed',
  async () => {
    const { lastOfPast, firstHead, url } = chain;
    const range = ['--from', '0', '--to', String(lastOfPast)];
    await until(async () => (await indexed().catch(() => 0)) === firstHead);
    const plan = await backfill(...range, '--plan', '--bulk', '--node', url);
    expect(plan.missing_blocks).toBe(lastOfPast + 1);
    const seen: Progress[] = [];
    const go = async (...flags: readonly string[]) => seen.push(await backfill(...range, ...flags));
    await whileHeadGoesOn(async () => {
      await Promise.all([go('--start', '--bulk'), killFunction()]);
      expect(seen).toMatchObject([{ missing_blocks: lastOfPast + 1, queued_ranges: 1 }]);
      // The message that the function had is back after half an hour.
      await Promise.all([go('--start', '--bulk'), go('--start', '--bulk')]);
      await until(async () => {
        await go();
        return seen.at(-1)?.missing_blocks === 0;
      });
    });
    const filling = { from_block: 0, to_block: lastOfPast, state: 'filling' };
    expect(seen).toContainEqual(
      expect.objectContaining({ bulk_partitions: [expect.objectContaining(filling)] }),
    );
    expect(seen.at(-1)?.bulk_partitions ?? []).not.toContainEqual(expect.objectContaining(filling));
    const head = Number((await callNode(url, [{ method: 'eth_blockNumber', params: [] }]))[0]);
    const whole = JSON.stringify([{ from_block: 0, to_block: head, state: 'covered', reason: null }]);
    for (const dataset of DATASETS)
      await until(async () => JSON.stringify(await coverage(dataset)) === whole);
    expect(await backfill('--start', '--bulk')).toEqual({
      ...{ chain: CHAIN, from_block: 0, to_block: head },
      ...{ missing_blocks: 0, queued_ranges: 0, blocks_per_second: 0 },
    });
  },
  3 * WAIT_MS,
);

test('each block is told to be traced, or why not', async () => {
  const ranges = await coverage('traces');
  const ends = ranges.map(({ to_block }) => Number(to_block));
  expect(ranges.map(({ from_block }) => from_block)).toEqual([0, ...ends.slice(0, -1).map((end) => end + 1)]);
  const gaps = ranges.filter(
    ({ state, to_block }) => state === 'gap' && Number(to_block) <= chain.lastOfPast,
  );
  expect(new Set(gaps.map(({ reason }) => reason))).toEqual(new Set(['node_pruned']));
});

test('every block of the past is the one of the node, the first of the head its child', async () => {
  const comparisons = new Comparisons();
  const blocks = await readNodeChain(sources, 0, chain.lastOfPast + NEIGHBOURS);
  await compareBlocks(comparisons, sources, blocks);
  expect(comparisons.differences).toEqual(new Map());
  expect(comparisons.total).toBeGreaterThan(LEAST_BLOCK_VALUES);
});

test.each(['past', 'head'] as const)('what happened in the %s is what the node says', async (part) => {
  const comparisons = new Comparisons();
  const { lastBlock } = chain.expected;
  const [first, last] =
    part === 'past'
      ? [chain.heightOf(1), chain.lastOfPast]
      : [chain.firstHead + 1, chain.heightOf(lastBlock)];
  const blocks = await readNodeChain(sources, first - NEIGHBOURS, last + NEIGHBOURS);
  await compareChainRows(comparisons, sources, blocks);
  expect(comparisons.unexplained).toEqual([]);
  expect(comparisons.total).toBeGreaterThan(LEAST_VALUES);
});

test('owners, pools and trades are those that follow from the whole chain', async () => {
  const { contracts, nftOwners, itemBalances, pools, swaps } = chain.expected;
  const lines = (rows: readonly Row[], ...columns: readonly string[]) =>
    rows.map((row) => columns.map((column) => row[column]).join(' ')).sort();
  const owners = await rowsOf(sources, `/nfts/${contracts.nft}/owners`);
  expect(lines(owners, 'token_id', 'owner')).toEqual([...nftOwners].map((one) => one.join(' ')).sort());
  const holders = await rowsOf(sources, `/nfts/${contracts.items}/owners`);
  expect(lines(holders, 'token_id', 'owner', 'amount')).toEqual(
    itemBalances.map(({ id, holder, amount }) => `${id} ${holder} ${amount}`).sort(),
  );
  expect(lines(await rowsOf(sources, '/dex/pools'), 'pool_id', 'token0', 'token1', 'sqrt_price_x96')).toEqual(
    pools
      .map(({ id, token0, token1, sqrtPriceX96 = '' }) => `${id} ${token0} ${token1} ${sqrtPriceX96}`)
      .sort(),
  );
  expect(
    lines(
      await rowsOf(sources, '/dex/trades?order=asc&from_block=0'),
      'block_number',
      'pool_id',
      'amount_in',
      'amount_out',
    ),
  ).toEqual(
    swaps
      .map(({ blockNumber, pool, amount0, amount1 }) => {
        const [paid, got] = amount0 > 0n ? [amount0, amount1] : [amount1, amount0];
        return `${chain.heightOf(blockNumber)} ${pool} ${paid} ${-got}`;
      })
      .sort(),
  );
  expect(swaps.length).toBeGreaterThan(10);
});
