/** That a demo chain continues making blocks with trades while somebody asks, near the prices that it began with. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Address } from 'viem';
import { startDemoNode } from '../../../local/demo-chain/demo-node.ts';
import { keepChainLive } from '../../../local/demo-chain/live.ts';
import { DEMO_SPAN_SECONDS } from '../../../local/demo-chain/plan.ts';
import { playBlocks } from '../../../local/demo-chain/play.ts';
import { SEED } from '../../../local/demo-chain/prepare.ts';
import { lowerCase } from '../../../local/demo-chain/script/script.ts';
import { callNode } from '../../../local/processes/node-calls.ts';
import { untilTrue } from '../../support/until-true.ts';
import { plannedChain } from './expected-chain.ts';
import { CHAIN_ID, NOW_MS } from './played-chain.ts';

const PLAYED_BLOCKS = 80;
const TRADES = 150;
/** Topics of a swap of a V2 pair and of a V3 pool. */
const SWAPS = [
  '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822',
  '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67',
];

interface SwapLog {
  readonly address: Address;
  readonly blockNumber: string;
}

test('each block has one trade, prices stay near their start, and nobody asking means no block', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'live-chain-'));
  const end = NOW_MS / 1_000;
  const node = await startDemoNode({ chainId: CHAIN_ID, folder, genesisTime: end - DEMO_SPAN_SECONDS });
  const ask = async (method: string, ...params: unknown[]) =>
    (await callNode(node.url, [{ method, params }]))[0];
  const head = async () => Number(await ask('eth_blockNumber'));
  let isWanted = true;
  let own = 0;
  const told: string[] = [];
  let pauses = 0;
  let stop = async () => {};
  const within = { withinMs: 60_000, everyMs: 1, failure: () => `the chain stands still: ${told}` };
  try {
    const accounts = ((await ask('eth_accounts')) as Address[]).map(lowerCase);
    const { blocks, expected } = plannedChain(SEED, accounts, end, { blocks: PLAYED_BLOCKS });
    await playBlocks(node.url, blocks);
    await callNode(node.url, [
      { method: 'evm_setAutomine', params: [true] },
      { method: 'evm_setTime', params: [end] },
    ]);
    stop = keepChainLive({
      url: node.url,
      blockTimeMs: 12_000,
      isWanted: () => isWanted,
      pause: async () => {
        pauses += 1;
        // The node answers with a transaction's hash before its block is made: the next trade reads the pools after it.
        await untilTrue(async () => (await head()) >= PLAYED_BLOCKS + own, within);
      },
      tell: (line) => told.push(line),
      onBlock: () => {
        own += 1;
      },
    });
    await untilTrue(async () => (await head()) >= PLAYED_BLOCKS + TRADES, within);
    isWanted = false;
    const before = pauses;
    await untilTrue(async () => pauses > before + 2, within);
    const last = await head();
    const after = pauses;
    await untilTrue(async () => pauses > after + 20, within);
    expect(await head()).toBe(last);
    expect({ own, told }).toEqual({ own: last - PLAYED_BLOCKS, told: [] });
    const range = { fromBlock: `0x${(PLAYED_BLOCKS + 1).toString(16)}`, toBlock: 'latest' };
    const swaps = (await ask('eth_getLogs', { ...range, topics: [SWAPS] })) as SwapLog[];
    expect(swaps.map(({ blockNumber }) => Number(blockNumber))).toEqual(
      Array.from({ length: last - PLAYED_BLOCKS }, (_, index) => PLAYED_BLOCKS + 1 + index),
    );
    const pools = expected.pools.filter(({ protocol }) => protocol !== 'uniswap_v4');
    expect([...new Set(swaps.map(({ address }) => address))].sort()).toEqual(
      pools.map(({ id }) => id).sort(),
    );
    for (const { id, protocol, reserve0, reserve1 } of pools.filter(
      (pool) => pool.protocol === 'uniswap_v2',
    )) {
      const reserves = String(await ask('eth_call', { to: id, data: '0x0902f1ac' }, 'latest'));
      const [now0, now1] = [reserves.slice(2, 66), reserves.slice(66, 130)].map((word) =>
        BigInt(`0x${word}`),
      );
      const drift = Number(((now1 ?? 0n) * reserve0 * 1_000n) / ((now0 ?? 1n) * reserve1));
      expect({ protocol, isNear: drift > 900 && drift < 1_100 }).toEqual({ protocol, isNear: true });
    }
  } finally {
    await stop();
    await node.stop();
    rmSync(folder, { recursive: true });
  }
}, 120_000);
