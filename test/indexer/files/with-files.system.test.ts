import { decodeBlock } from '../../../lambdas/chain-data/decode/decode-block.ts';
import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { StrangeBlocksError } from '../../../lambdas/chain-data/store/neighbours.ts';
import { ALL_STRICT } from '../../../lambdas/indexer/blocks/block-error.ts';
import { openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import type { Manifest } from '../../../lambdas/indexer/files/manifest.ts';
import { objectFiles, objectKey } from '../../../lambdas/indexer/files/object-files.ts';
import { withFiles } from '../../../lambdas/indexer/files/with-files.ts';
import type { ChainReader } from '../../../lambdas/indexer/follow/chain-reader.ts';
import { fillRange } from '../../../lambdas/indexer/follow/fill-range.ts';
import { followStep } from '../../../lambdas/indexer/follow/follow-step.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { BOB, PLAIN } from '../../chain-data/decode/raw-blocks.ts';
import { newSchema } from '../../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { denseBlocks } from '../../operator/fill/dense-chain.ts';
import { testAtLength } from '../../support/at-length-tests.ts';
import { MemoryObjects } from '../../support/memory/objects.ts';
import { dumpIndex } from '../follow/dump-index.ts';
import { makeForkingChain } from '../follow/forking-chain.ts';
import { servedBy } from '../served/served-chain.ts';
import { cryoPart } from './cryo-part.ts';
import { CHAIN_ID, likeOfNode, type MemoryFiles, partOf } from './memory-files.ts';

const HEAD = 80;
/** The index begins here; all below is to be filled. */
const FIRST = 50;
const decode = (block: RawBlock) => decodeBlock(block, PLAIN);
const options = () => ({ deadline: Date.now() + 120_000 });

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

/** A node in memory, which counts the blocks that it gives. */
function nodeOf(blocks: readonly RawBlock[]): ChainReader & { readonly given: number[] } {
  const last = blocks.at(-1) as RawBlock;
  const given: number[] = [];
  return {
    given,
    head: async () => last,
    header: async (number) => blocks[number],
    async *pages(from, to) {
      for (let number = from; number <= to; number += 1) {
        given.push(number);
        yield [blocks[number] as RawBlock];
      }
    },
  };
}

/** An index that began in the middle of the chain and is at its head. */
async function begunIndex(blocks: readonly RawBlock[], first = FIRST) {
  const schema = await newSchema(database);
  const index = openChainIndex(connectionTo(database.writer, schema));
  await index.begin(blocks[first - 1] as RawBlock);
  await followStep({ reader: nodeOf(blocks), index, decode }, options());
  return { schema, index, dump: () => dumpIndex(database.postgres.superuser, schema) };
}

interface Filling {
  readonly files: MemoryFiles;
  readonly manifest: Manifest;
  readonly node: ChainReader;
  readonly random?: () => number;
}

const readerOf = ({ files, manifest, node, random = () => 0.5 }: Filling) =>
  withFiles({ reader: node, files, manifest, chainId: CHAIN_ID, isRelaxed: ALL_STRICT, random });

const fillFrom = (reader: ChainReader, index: ReturnType<typeof openChainIndex>, to = FIRST - 1) =>
  fillRange({ reader, index, decode, outOfTime: () => false }, { from: 0, to }, options());

const chain = makeForkingChain(HEAD).blocks.map(likeOfNode);
const below = chain.slice(0, FIRST);

test('an index that is filled from files equals one that is filled from the node, row by row', async () => {
  const [fromFiles, fromNode] = [await begunIndex(chain), await begunIndex(chain)];
  const node = nodeOf(chain);
  const part = await partOf(below);
  expect(await fillFrom(readerOf({ ...part, node }), fromFiles.index)).toEqual({
    blocks: FIRST,
    complete: true,
  });
  expect(node.given).toEqual([25, 49]);
  await fillFrom(nodeOf(chain), fromNode.index);
  expect(await fromFiles.dump()).toEqual(await fromNode.dump());
});

test('full blocks with calls, withdrawals, NFTs and swaps are the same too', async () => {
  const blocks = denseBlocks(7).map(likeOfNode);
  const [fromFiles, fromNode] = [await begunIndex(blocks, 5), await begunIndex(blocks, 5)];
  const part = await partOf(blocks.slice(0, 5));
  await fillFrom(readerOf({ ...part, node: nodeOf(blocks) }), fromFiles.index, 4);
  await fillFrom(nodeOf(blocks), fromNode.index, 4);
  const dump = await fromFiles.dump();
  expect([dump.traces?.length, dump.withdrawals?.length]).toEqual([2_800, 112]);
  expect(dump).toEqual(await fromNode.dump());
});

/** An index whose blocks up to 4 are filled from files of cryo, and the others from the node. */
async function filledFromCryo() {
  let gas = 0n;
  const blocks = denseBlocks(7).map((block) => {
    gas = 0n;
    const transactions = block.transactions.map((one) => {
      gas += one.receipt.gasUsed;
      return { ...one, receipt: { ...one.receipt, cumulativeGasUsed: gas } };
    });
    return likeOfNode({ ...block, transactions, gasUsed: gas });
  });
  const begun = await begunIndex(blocks, 5);
  await fillFrom(readerOf({ ...cryoPart(blocks.slice(0, 5)), node: nodeOf(blocks) }), begun.index, 4);
  return { ...begun, blocks };
}

test('blocks of cryo are stored, and not covered as whole ones', async () => {
  const { dump } = await filledFromCryo();
  const { coverage = [], transactions = [] } = await dump();
  const covered = coverage.map((row) => JSON.parse(row) as { dataset: string; covered: string });
  const of = (dataset: string) => covered.find((row) => row.dataset === dataset)?.covered;
  expect([of('blocks'), of('logs'), of('traces'), of('withdrawals')]).toEqual([
    ...['{[0,7)}', '{[0,7)}', '{[0,7)}'],
    '{[5,7)}',
  ]);
  const told = transactions.map(
    (row) => JSON.parse(row) as { block_number: number; effective_gas_price: number },
  );
  expect(told.filter(({ effective_gas_price }) => effective_gas_price === null)).toHaveLength(500);
});

test('a range that is filled from files of cryo answers null for what the source did not tell', async () => {
  const { schema, blocks } = await filledFromCryo();
  const served = servedBy(database, schema);
  const [ofFiles, ofNode] = await Promise.all(
    [4, 5].map((number) => served.get(`/transactions/${blocks[number]?.transactions[0]?.hash}`)),
  );
  expect(ofFiles).toMatchObject({
    ...{ effective_gas_price: null, fee: null, total_fee: null, l1_fee: null, blob_gas_used: null },
    ...{ access_list: null, authorization_list: null, blob_versioned_hashes: null },
    ...{ receipt_extra: null, extra_omitted: null },
  });
  expect(ofNode).toMatchObject({
    ...{ fee: expect.any(String), total_fee: expect.any(String), access_list: [], receipt_extra: {} },
    ...{ extra_omitted: [] },
  });
  expect(await served.get('/status/coverage/withdrawals')).toMatchObject([
    { from_block: 0, to_block: 4, state: 'gap' },
    { from_block: 5, to_block: 6, state: 'covered' },
  ]);
});

test('a part whose blocks are stored in part is stored once, also when files overlap', async () => {
  const { index, dump } = await begunIndex(chain);
  const node = nodeOf(chain);
  const [one, other] = [await partOf(chain.slice(0, 30)), await partOf(chain.slice(10, 60))];
  await fillFrom(readerOf({ ...one, node }), index, 29);
  const doubled = readerOf({ ...other, node });
  await fillRange(
    { reader: doubled, index, decode, outOfTime: () => false },
    { from: 10, to: 59 },
    options(),
  );
  const whole = await begunIndex(chain);
  await fillFrom(nodeOf(chain), whole.index);
  expect(await dump()).toEqual(await whole.dump());
});

describe('nothing of a part is stored', () => {
  const refusal = async (filling: Filling) => {
    const { index } = await begunIndex(chain);
    const before = await index.missing({ from: 0, to: HEAD });
    const error = await fillFrom(readerOf(filling), index).then(
      () => new Error('not refused'),
      (thrown: Error) => thrown,
    );
    expect(await index.missing({ from: 0, to: HEAD })).toEqual(before);
    return error;
  };

  test('if the node contradicts a block that is compared', async () => {
    const other = chain.map((block) => ({ ...block, miner: BOB }));
    expect(await refusal({ ...(await partOf(below)), node: nodeOf(other) })).toMatchObject({
      name: 'FileRefusedError',
      message: 'file 000000000000-000000000049 is refused: the node has another block 25 (miner)',
    });
  });

  test('if any block that is drawn differs, in a transaction, a receipt, a log or a call', async () => {
    const busy = below.find(
      ({ transactions, traces }) => transactions.length > 0 && traces.kind === 'traced',
    ) as RawBlock;
    const [transaction] = busy.transactions;
    if (transaction === undefined) throw new Error('no transaction');
    const { receipt } = transaction;
    const changes: Record<string, Partial<RawBlock>> = {
      'transaction 0, value': { transactions: [{ ...transaction, value: 5n }] },
      'transaction 0, gasUsed': { transactions: [{ ...transaction, receipt: { ...receipt, gasUsed: 5n } }] },
      'transaction 0, logs': {
        transactions: [
          {
            ...transaction,
            receipt: { ...receipt, logs: receipt.logs.map((log) => ({ ...log, data: '0x99' as const })) },
          },
        ],
      },
      traces: {
        traces: {
          kind: 'traced',
          calls: (busy.traces.kind === 'traced' ? busy.traces.calls : []).map((call) => ({
            ...call,
            output: '0x01',
          })),
        },
      },
    };
    for (const [difference, change] of Object.entries(changes)) {
      const other = chain.map((block) => (block === busy ? { ...block, ...change } : block));
      const error = await refusal({ ...(await partOf(below)), node: nodeOf(other), random: () => 0 });
      expect(error.message).toContain(`the node has another block ${busy.number} (${difference})`);
    }
  });

  test('if its last file is cut', async () => {
    const { files, manifest } = await partOf(below);
    const { name } = manifest.files[4] as { name: string };
    files.bytes.set(name, (files.bytes.get(name) as Uint8Array).subarray(1));
    expect((await refusal({ files, manifest, node: nodeOf(chain) })).message).toMatch(
      /^file withdrawals\/0+-0+49\.parquet is refused: it has \d+ bytes, and its manifest says \d+$/,
    );
  });

  test('if a byte is another one, or its last block is of another chain', async () => {
    const { files, manifest } = await partOf(below);
    const { name } = manifest.files[2] as { name: string };
    const bytes = Uint8Array.from(files.bytes.get(name) as Uint8Array);
    bytes[9] = (bytes[9] ?? 0) ^ 1;
    files.bytes.set(name, bytes);
    expect((await refusal({ files, manifest, node: nodeOf(chain) })).message).toContain(
      'its SHA-256 is not that of its manifest',
    );
    const forked = makeForkingChain(HEAD);
    forked.fork(FIRST - 2, HEAD);
    const strange = await partOf(forked.blocks.slice(0, FIRST).map(likeOfNode));
    expect((await refusal({ ...strange, node: nodeOf(chain) })).message).toContain(
      'the node has another block 49 (hash)',
    );
    // A node that is on the fork, too.
    expect(await refusal({ ...strange, node: nodeOf(forked.blocks.map(likeOfNode)) })).toBeInstanceOf(
      StrangeBlocksError,
    );
  });
});

testAtLength(
  'a block with 100,000 logs is filled, a row group at a time',
  async () => {
    const LOGS = 100_000;
    const [genesis, block] = makeForkingChain(2).blocks as [RawBlock, RawBlock];
    const [transaction] = makeForkingChain(9).blocks.flatMap(({ transactions }) => transactions);
    if (transaction === undefined) throw new Error('no transaction');
    const logs = Array.from({ length: LOGS }, (_, logIndex) => ({
      logIndex,
      address: genesis.miner,
      topics: [genesis.hash],
      data: '0x01' as const,
    }));
    const heavy = { ...block, transactions: [{ ...transaction, receipt: { ...transaction.receipt, logs } }] };
    const blocks = [genesis, { ...heavy, traces: { kind: 'traced', calls: [] } as const }].map(likeOfNode);
    const part = await partOf(blocks);
    const reader = readerOf({ ...part, node: nodeOf(blocks), random: () => 0 });
    const counts: number[] = [];
    for await (const page of reader.pages(0, 1, options()))
      counts.push(...page.map(({ transactions }) => transactions[0]?.receipt.logs.length ?? 0));
    expect(counts).toEqual([1, LOGS]);
    expect(part.files.largest).toBeLessThan(8 * 1024 * 1024 + 1);
  },
  60_000,
);

test('blocks outside of the part are those of the node', async () => {
  const node = nodeOf(chain);
  const reader = readerOf({ ...(await partOf(chain.slice(10, 20))), node });
  const read: number[] = [];
  for await (const page of reader.pages(18, 22, options())) read.push(...page.map(({ number }) => number));
  expect([read, node.given]).toEqual([
    [18, 19, 20, 21, 22],
    [18, 19, 20, 21, 22],
  ]);
});

test('files in a bucket are read in parts; one that is gone is named', async () => {
  const { files, manifest } = await partOf(below);
  const objects = new MemoryObjects();
  for (const { name, sha256 } of manifest.files)
    await objects.put(objectKey('made', sha256), files.bytes.get(name) as Uint8Array);
  const inBucket = { files: objectFiles(objects, 'made') as MemoryFiles, manifest, node: nodeOf(chain) };
  const blocks: RawBlock[] = [];
  for await (const page of readerOf(inBucket).pages(0, FIRST - 1, options())) blocks.push(...page);
  expect(blocks).toEqual(below);
  objects.forge(objectKey('made', manifest.files[1]?.sha256 ?? ''), undefined);
  await expect(readerOf(inBucket).pages(0, 9, options()).next()).rejects.toThrow(
    'file transactions/000000000000-000000000049.parquet is refused: it is not in the bucket any more',
  );
});
