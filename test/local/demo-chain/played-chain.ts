import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PublicClient } from 'viem';
import { startDemoNode } from '../../../local/demo-chain/demo-node.ts';
import { DEMO_BLOCKS, DEMO_SPAN_SECONDS } from '../../../local/demo-chain/plan.ts';
import { playDemoChain } from '../../../local/demo-chain/play.ts';
import { SEED } from '../../../local/demo-chain/prepare.ts';
import { readerOf } from './chain-reader.ts';
import { type DemoChain, describeChain } from './expected-chain.ts';

export const NOW_MS = Date.parse('2026-11-20T09:30:00Z');
export const CHAIN_ID = 31_337;

/** A demo chain that was played on a node of its own, which keeps the state of all blocks. */
export interface PlayedChain {
  readonly url: string;
  readonly expected: DemoChain;
  readonly reader: PublicClient;
  stop(): Promise<void>;
}

export async function playOnFreshNode(): Promise<PlayedChain> {
  const folder = mkdtempSync(join(tmpdir(), 'demo-chain-'));
  const genesisTime = NOW_MS / 1_000 - DEMO_SPAN_SECONDS;
  const node = await startDemoNode({ chainId: CHAIN_ID, folder, genesisTime, stateBlocks: 2 * DEMO_BLOCKS });
  const stop = async () => {
    await node.stop();
    rmSync(folder, { recursive: true });
  };
  try {
    const expected = describeChain(await playDemoChain({ url: node.url, seed: SEED, now: () => NOW_MS }));
    return { url: node.url, expected, reader: readerOf(node.url), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
