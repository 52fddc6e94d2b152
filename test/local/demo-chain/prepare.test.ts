import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callNode } from '../../../local/demo-chain/node-calls.ts';
import { DEMO_BLOCKS, DEMO_SPAN_SECONDS } from '../../../local/demo-chain/plan.ts';
import { prepareDemoChain } from '../../../local/demo-chain/prepare.ts';
import { startAnvil } from '../../../local/processes/anvil.ts';

const CHAIN_ID = 424_243;
const NOW_MS = Date.parse('2026-11-20T09:30:00Z');
const clock = { now: () => NOW_MS };

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'prepare-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

test('a new chain begins with the demo, after an interrupted play too, and goes on from there', async () => {
  const unfinished = join(folder, 'demo-chain');
  mkdirSync(unfinished);
  writeFileSync(join(unfinished, 'state.json'), '{"cut off');
  await prepareDemoChain({ chainId: CHAIN_ID, folder, clock });
  expect(readdirSync(folder)).toEqual(['genesis-time', 'state.json']);
  const node = await startAnvil({ chain: 'demo', chainId: CHAIN_ID, folder, tell: () => undefined });
  const [head, genesis, last] = (await callNode(node.url, [
    { method: 'eth_blockNumber', params: [] },
    { method: 'eth_getBlockByNumber', params: ['0x0', false] },
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
  ])) as [string, { timestamp: string }, { timestamp: string }];
  await node.stop();
  expect(Number(head)).toBe(DEMO_BLOCKS);
  expect(Number(last.timestamp)).toBe(NOW_MS / 1_000);
  expect(Number(genesis.timestamp)).toBe(NOW_MS / 1_000 - DEMO_SPAN_SECONDS);
});

test('a chain that has begun is left alone', async () => {
  const state = join(folder, 'state.json');
  writeFileSync(state, 'a chain of its own');
  const { mtimeMs, size } = statSync(state);
  await prepareDemoChain({ chainId: CHAIN_ID, folder, clock });
  expect(statSync(state)).toMatchObject({ mtimeMs, size });
  expect(existsSync(join(folder, 'demo-chain'))).toBe(false);
});
