import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO_BLOCKS, DEMO_SPAN_SECONDS } from '../../../local/demo-chain/plan.ts';
import { prepareDemoChain, prepareDemoChains } from '../../../local/demo-chain/prepare.ts';
import { startAnvil } from '../../../local/processes/anvil.ts';
import { callNode } from '../../../local/processes/node-calls.ts';
import { CHAIN_ID, NOW_MS, type PlayedChain } from './played-chain.ts';

/** A local run plays the chain with the same seed as the tests do. */
const SEEDED = { chainId: CHAIN_ID, clock: { now: () => NOW_MS } };

/** How a local run begins its chain. @param played the demo chain that the tests have played at the same time */
export function testPreparation(played: () => PlayedChain): void {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'prepare-'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  test('a new chain begins with the demo, to its last hash, after an interrupted play too, and goes on from there', async () => {
    const unfinished = join(folder, 'demo-chain');
    mkdirSync(unfinished);
    writeFileSync(join(unfinished, 'state.json'), '{"cut off');
    await prepareDemoChain({ ...SEEDED, folder });
    expect(readdirSync(folder)).toEqual(['genesis-time', 'state.json']);
    const node = await startAnvil({ chain: 'demo', chainId: CHAIN_ID, folder, tell: () => undefined });
    const [genesis, last] = (await callNode(node.url, [
      { method: 'eth_getBlockByNumber', params: ['0x0', false] },
      { method: 'eth_getBlockByNumber', params: ['latest', false] },
    ])) as Record<'number' | 'timestamp' | 'hash', string>[];
    await node.stop();
    expect(Number(last?.number)).toBe(DEMO_BLOCKS);
    expect(Number(last?.timestamp)).toBe(NOW_MS / 1_000);
    expect(Number(genesis?.timestamp)).toBe(NOW_MS / 1_000 - DEMO_SPAN_SECONDS);
    expect(last?.hash).toBe((await played().reader.getBlock()).hash);
  });

  test('a chain that a start was interrupted before has the times of the one that had begun', async () => {
    mkdirSync(join(folder, 'begun'));
    writeFileSync(join(folder, 'begun', 'state.json'), 'a chain of its own');
    writeFileSync(join(folder, 'begun', 'genesis-time'), String(NOW_MS / 1_000 - DEMO_SPAN_SECONDS));
    mkdirSync(join(folder, 'new'));
    const upstreams = ['embedded'] as const;
    const chains = ['new', 'begun'].map((chain) => ({ chain, chainId: CHAIN_ID, default: true, upstreams }));
    const clock = { now: () => NOW_MS + 77_777 };
    await prepareDemoChains({ chains } as unknown as Parameters<typeof prepareDemoChains>[0], folder, clock);
    expect(Number(readFileSync(join(folder, 'new', 'genesis-time'), 'utf8'))).toBe(
      NOW_MS / 1_000 - DEMO_SPAN_SECONDS,
    );
  });

  test('a chain that has begun is left alone', async () => {
    const state = join(folder, 'state.json');
    writeFileSync(state, 'a chain of its own');
    const { mtimeMs, size } = statSync(state);
    await prepareDemoChain({ ...SEEDED, folder });
    expect(statSync(state)).toMatchObject({ mtimeMs, size });
    expect(existsSync(join(folder, 'demo-chain'))).toBe(false);
  });
}
