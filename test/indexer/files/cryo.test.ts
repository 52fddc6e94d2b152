import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCryoParts } from '../../../bin/operator/files/cryo-files.ts';
import { decodeBlock } from '../../../lambdas/chain-data/decode/decode-block.ts';
import type { RawBlock, RawCall } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { ALL_STRICT, type IsRelaxed } from '../../../lambdas/indexer/blocks/block-error.ts';
import { withFiles } from '../../../lambdas/indexer/files/with-files.ts';
import type { ChainReader } from '../../../lambdas/indexer/follow/chain-reader.ts';
import { denseBlocks } from '../../operator/fill/dense-chain.ts';
import { cryoPart } from './cryo-part.ts';
import { blocksOf, CHAIN_ID, likeOfNode } from './memory-files.ts';

/** Blocks whose gas adds up, as that of a node does. */
const blocks: readonly RawBlock[] = denseBlocks(3).map((block) => {
  let used = 0n;
  const transactions = block.transactions.map((one) => {
    used += one.receipt.gasUsed;
    return { ...one, receipt: { ...one.receipt, cumulativeGasUsed: used } };
  });
  return likeOfNode({ ...block, transactions, gasUsed: used });
});
const [first, second] = blocks as [RawBlock, RawBlock];

const nodeOf = (told: readonly RawBlock[]): ChainReader => ({
  head: async () => told.at(-1) as RawBlock,
  header: async (number) => told[number],
  async *pages(from, to) {
    yield told.slice(from, to + 1);
  },
});

const read = async (
  part: ReturnType<typeof cryoPart>,
  told: readonly RawBlock[] = blocks,
  isRelaxed: IsRelaxed = ALL_STRICT,
) => {
  const reader = withFiles({
    ...{ ...part, reader: nodeOf(told), chainId: CHAIN_ID, isRelaxed, random: () => 0 },
  });
  const found: RawBlock[] = [];
  for await (const page of reader.pages(0, 2, { deadline: 0 })) found.push(...page);
  return found;
};

/** The blocks with one call changed. */
function withCall(change: (call: RawCall) => RawCall): RawBlock[] {
  return blocks.map((block) => {
    if (block !== second || block.traces.kind === 'gap') return block;
    const [top, ...others] = block.traces.calls;
    return { ...block, traces: { kind: 'traced', calls: [change(top as RawCall), ...others] } };
  });
}

test('blocks of cryo have what cryo tells, and the rest is null: each is known to be partial', async () => {
  const found = await read(cryoPart(blocks));
  expect(found).toHaveLength(3);
  expect(found[1]).toMatchObject({
    ...{ hash: second.hash, gasLimit: second.gasLimit, logsBloom: second.logsBloom, isPartial: true },
    ...{ withdrawals: [], extra: {}, traces: second.traces },
  });
  const [transaction, known] = [found[1]?.transactions[5], second.transactions[5]];
  expect(transaction).toEqual({
    ...known,
    receipt: { ...known?.receipt, effectiveGasPrice: null, contractAddress: null },
  });
});

test('a block of which cryo left out a call that failed, or a creation, has no traces', async () => {
  const failed = withCall((top) => ({
    ...top,
    calls: top.calls.map((call, index) => (index === 1 ? { ...call, error: 'reverted' } : call)),
  }));
  const made = withCall((top) => ({
    ...top,
    calls: top.calls.map((call) => ({ ...call, type: 'CREATE2' })),
  }));
  for (const told of [failed, made]) {
    const found = await read(cryoPart(told), told);
    expect(found.map(({ traces }) => traces.kind)).toEqual(['traced', 'gap', 'traced']);
    expect(found[1]?.traces).toMatchObject({
      reason: 'not_started',
      message: expect.stringContaining('cryo leaves out'),
    });
  }
});

test('a transaction that is missing is noticed by the gas of the block, a log by the bloom', async () => {
  const without = (change: Partial<RawBlock>) =>
    blocks.map((block) => (block === second ? { ...block, ...change } : block));
  const fewer = without({
    transactions: second.transactions.slice(0, -1),
    traces: { kind: 'gap', reason: 'timeout', message: '' },
  });
  await expect(read(cryoPart(fewer))).rejects.toThrow(
    /made__blocks__\d+_to_\d+\.parquet is refused: block 1: transactions used/,
  );
  const [one, ...others] = second.transactions;
  if (one === undefined) throw new Error('no transaction');
  const silent = without({
    transactions: [{ ...one, receipt: { ...one.receipt, logs: [] } }, ...others].map(renumbered()),
  });
  await expect(read(cryoPart(silent))).rejects.toThrow('bloom of other logs');
});

function renumbered() {
  let next = 0;
  return (transaction: RawBlock['transactions'][number]) => ({
    ...transaction,
    receipt: {
      ...transaction.receipt,
      logs: transaction.receipt.logs.map((log) => ({ ...log, logIndex: next++ })),
    },
  });
}

test('a node that contradicts what cryo tells is believed', async () => {
  const other = blocks.map((block) => ({ ...block, timestamp: block.timestamp + 1 }));
  await expect(read(cryoPart(blocks), other)).rejects.toThrow('the node has another block 0 (timestamp)');
});

test('columns that cryo writes only when asked are named', async () => {
  await expect(read(cryoPart(blocks, ['logs_bloom', 'parent_hash']))).rejects.toThrow(
    'made__blocks__00000000_to_00000002.parquet is refused: it lacks parent_hash, logs_bloom',
  );
  const found = await blocksOf(
    ...(Object.values(cryoPart(blocks, ['success'])) as Parameters<typeof blocksOf>),
  );
  expect(found[0]?.transactions[0]?.receipt.status).toBeNull();
  expect(first.transactions[0]?.receipt.status).toBe(1);
});

test('a gas limit that no column has is null, where the chain may lack members', async () => {
  const part = cryoPart(blocks.map((block) => ({ ...block, gasLimit: null })));
  await expect(read(part)).rejects.toThrow('block 0 has no gas limit');
  const found = await read(part, blocks, (check) => check === 'missingMembers');
  expect(found.map(({ gasLimit }) => gasLimit)).toEqual([null, null, null]);
  const [rows] = found.map((block) => decodeBlock(block, { wrappedNative: new Set() }));
  expect(rows?.block).toMatchObject({ gas_limit: null, gas_used: first.gasUsed });
});

test('the parts of a folder are found by the names of their files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cryo-'));
  try {
    const part = cryoPart(blocks);
    for (const [name, bytes] of part.files.bytes) await writeFile(join(folder, name), bytes);
    const byTable = (one: { table: string }, other: { table: string }) => (one.table < other.table ? -1 : 1);
    const [found] = await readCryoParts(folder);
    expect({ ...found, files: [...(found?.files ?? [])].sort(byTable) }).toEqual({
      ...part.manifest,
      files: [...part.manifest.files].sort(byTable),
    });
    await writeFile(
      join(folder, 'made__logs__00000003_to_00000005.parquet'),
      part.files.bytes.get('made__logs__00000000_to_00000002.parquet') ?? '',
    );
    await expect(readCryoParts(folder)).rejects.toThrow('file blocks 3 to 5 is refused');
  } finally {
    await rm(folder, { recursive: true });
  }
});
