/** A chain of a real node is followed. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeBlock } from '../../../lambdas/chain-data/decode/decode-block.ts';
import { type ChainIndex, openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import { followStep, type StepOutcome } from '../../../lambdas/indexer/follow/follow-step.ts';
import { createNodeReader } from '../../../lambdas/indexer/follow/node-reader.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { systemClock } from '../../../lambdas/shared/runtime/clock.ts';
import {
  connectNode,
  type NodeConnection,
} from '../../../lambdas/shared/upstream/connection/node-connection.ts';
import { startAnvil } from '../../../local/processes/anvil.ts';
import type { EmbeddedProcess } from '../../../local/processes/embedded-process.ts';
import { ALICE, BOB, PLAIN } from '../../chain-data/decode/raw-blocks.ts';
import {
  MADE_CHAINS,
  type MigratedDatabase,
  startMigratedDatabase,
} from '../../database/migrated-database.ts';

describe('the index of a real node', () => {
  const [CHAIN] = MADE_CHAINS;
  const CHAIN_ID = 31_337;
  const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
  const MAX_STEPS = 20;
  const FINALITY = 256;
  const SENDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';

  let folder: string;
  let anvil: EmbeddedProcess;
  let node: NodeConnection;
  let database: MigratedDatabase;
  let index: ChainIndex;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'follow-anvil-'));
    [anvil, database] = await Promise.all([
      startAnvil({ chain: CHAIN, chainId: CHAIN_ID, folder, tell: () => undefined }),
      startMigratedDatabase([]),
    ]);
    node = connectNode({ url: anvil.url, maxResponseBytes: MAX_RESPONSE_BYTES, clock: systemClock });
    index = openChainIndex(connectionTo(database.writer, CHAIN));
  });

  afterAll(async () => {
    node?.close();
    await Promise.all([anvil?.stop(), database?.close()]);
    rmSync(folder, { recursive: true, force: true });
  });

  async function call(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const response = await fetch(anvil.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result?: unknown; error?: unknown };
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  const send = (to: string, value: number) =>
    call('eth_sendTransaction', { from: SENDER, to, value: `0x${value.toString(16)}`, gas: '0x5208' });

  /** One by one, so that the node keeps the state of each. */
  async function mine(blocks: number): Promise<void> {
    for (let block = 0; block < blocks; block += 1) await call('evm_mine');
  }

  async function catchUp(): Promise<StepOutcome['kind'][]> {
    const reader = createNodeReader(node, systemClock, { traces: true });
    const kinds: StepOutcome['kind'][] = [];
    while (kinds.length < MAX_STEPS) {
      const parts = {
        reader,
        index,
        decode: (block: Parameters<typeof decodeBlock>[0]) => decodeBlock(block, PLAIN),
      };
      const { kind } = await followStep(parts, { deadline: Date.now() + 120_000 });
      kinds.push(kind);
      if (kind === 'idle' || kind === 'behind' || kind === 'halted') return kinds;
    }
    throw new Error('the index does not come to rest');
  }

  /** Hashes of the stored blocks and of those of the node, newest first. */
  async function bothChains(): Promise<[string[], string[]]> {
    const { rows } = await database.reader.query(
      `SELECT number, encode(hash, 'hex') AS hash FROM ${CHAIN}.blocks ORDER BY number DESC LIMIT 40`,
    );
    const told = await Promise.all(
      rows.map(async ({ number }) => {
        const block = await call('eth_getBlockByNumber', `0x${Number(number).toString(16)}`, false);
        return (block as { hash: string }).hash;
      }),
    );
    return [rows.map(({ hash }) => `0x${hash}`), told];
  }

  test('a real node is followed through reorganisations, and no further than the finalized block', async () => {
    await mine(3);
    const early = await call('evm_snapshot');
    await mine(FINALITY + 20);
    await send(ALICE, 1);
    await send(BOB, 2);
    expect(await catchUp()).toEqual(['began', 'appended', 'idle']);

    await call('anvil_reorg', 10, [[{ from: SENDER, to: ALICE, value: '0x7', gas: '0x5208' }, 3]]);
    await mine(1);
    expect(await catchUp()).toEqual(['rolled_back', 'appended', 'idle']);
    const [stored, told] = await bothChains();
    expect(stored).toEqual(told);
    const { rows } = await database.reader.query(
      `SELECT value::text AS value FROM ${CHAIN}.transactions ORDER BY 1`,
    );
    expect(rows).toEqual([{ value: '7' }]);

    const head = Number(await call('eth_blockNumber'));
    await call('evm_revert', early);
    await send(BOB, 9);
    await mine(head);
    expect(await catchUp()).toEqual(['halted']);
    expect((await index.cursor())?.halted).toContain('another block');
  });
});
