import { decodeBlock } from '../../lambdas/chain-data/decode/decode-block.ts';
import type { RawBlock } from '../../lambdas/chain-data/decode/raw-block.ts';
import { loadBlocks } from '../../lambdas/chain-data/store/load-blocks.ts';
import { createBlockReader } from '../../lambdas/indexer/fetch/read-blocks.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import type { MigratedDatabase } from '../../test/database/migrated-database.ts';
import { createFakeNode } from '../../test/indexer/fetch/fake-node.ts';
import {
  answersOf,
  makeBlock,
  type NodeBlockJson,
  type NodeJson,
} from '../../test/indexer/fetch/node-chain.ts';
import type { Figure } from '../figures.ts';

const TRANSACTIONS = 200;
const FAR_DEADLINE_MS = 3_600_000;
const word = (digits: string) => `0x${digits.padStart(64, '0')}`;

/** What nodes of a kind of chain tell beside what all do. */
interface Form {
  readonly name: string;
  readonly transaction?: NodeJson;
  readonly receipt?: NodeJson;
}

const FORMS: readonly Form[] = [
  { name: 'a plain one' },
  { name: 'Arbitrum', receipt: { timeboosted: false } },
  {
    name: 'the OP stack since Jovian',
    receipt: {
      ...{ l1Fee: '0x249e2a35e', l1GasPrice: '0x17edbb41', l1GasUsed: '0x640', l1BaseFeeScalar: '0x2608' },
      ...{ l1BlobBaseFee: '0x162bd01', l1BlobBaseFeeScalar: '0x177fdb', daFootprintGasScalar: '0x190' },
      ...{ operatorFeeScalar: '0x0', operatorFeeConstant: '0x0', blobGasUsed: '0x9c40' },
    },
  },
  {
    name: 'an access list of three slots',
    transaction: {
      accessList: [{ address: `0x${'ab'.repeat(20)}`, storageKeys: ['1', '2', '3'].map(word) }],
    },
  },
  {
    name: 'six blobs',
    transaction: {
      maxFeePerBlobGas: '0x3b9aca00',
      blobVersionedHashes: Array.from('123456', (digit) => `0x01${digit.padStart(62, 'c')}`),
    },
    receipt: { blobGasUsed: '0xc0000', blobGasPrice: '0x1' },
  },
];

/** Bytes of a transaction's row by what its node tells, and how often a node is asked for a block. */
export async function measureRows(database: MigratedDatabase, chain: string): Promise<Figure[]> {
  const chainJson = [makeBlock(0, 0), ...FORMS.map((form, index) => blockOf(form, index + 1))];
  const node = createFakeNode(answersOf(chainJson));
  const reader = createBlockReader({ node, clock: { now: () => 0 }, wait: async () => {}, traces: true });
  const blocks: RawBlock[] = [];
  for await (const block of reader.read(0, FORMS.length, { deadline: FAR_DEADLINE_MS })) blocks.push(block);
  const decoded = blocks.map((block) => decodeBlock(block, { wrappedNative: new Set() }));
  await connectionTo(database.writer, chain).transaction((queries) => loadBlocks(queries, decoded));
  const { rows } = await database.reader.query(
    `SELECT block_number AS number, avg(pg_column_size(t.*))::float8 AS bytes FROM ${chain}.transactions AS t
     GROUP BY 1 ORDER BY 1`,
  );
  const [plain] = rows;
  const baseline = { name: 'a plain one', value: Number(plain?.bytes) };
  const bytes = rows.map(({ number, bytes: value }): Figure => {
    const name = `bytes of a transaction's row: ${FORMS[Number(number) - 1]?.name}`;
    return { name, value: Number(value), unit: 'bytes', ...(number !== plain?.number && { baseline }) };
  });
  return [
    ...bytes,
    {
      name: 'calls of the node for a block, its traces included',
      value: node.requests.flat().length / chainJson.length,
      unit: 'calls',
      most: 3,
    },
  ];
}

function blockOf({ transaction = {}, receipt = {} }: Form, number: number): NodeBlockJson {
  const json = makeBlock(number, TRANSACTIONS);
  const transactions = json.transactions.map((one) => ({ ...one, ticketId: null, ...transaction }));
  return {
    ...json,
    block: { ...json.block, transactions },
    transactions,
    receipts: json.receipts.map((one) => ({ ...one, ...receipt })),
  };
}
