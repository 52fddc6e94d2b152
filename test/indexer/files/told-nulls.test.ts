/** What the source of a block does not say of it is null in its rows, and never a zero (docs/block-files.md). */
import fc from 'fast-check';
import { decodeBlock } from '../../../lambdas/chain-data/decode/decode-block.ts';
import { columnParts, TABLE_COLUMNS } from '../../../lambdas/chain-data/decode/load-columns.ts';
import type { Hex, RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { relaxedBy } from '../../../lambdas/indexer/blocks/block-error.ts';
import { fileRowsOf } from '../../../lambdas/indexer/files/block-rows.ts';
import { denseBlocks } from '../../operator/fill/dense-chain.ts';
import { repetitions } from '../../support/at-length.ts';
import { cryoPart } from './cryo-part.ts';
import { blocksOf, likeOfNode, partOf } from './memory-files.ts';

const MAY_LACK = relaxedBy([{ check: 'missingMembers' }]);
/** What no file of cryo has. */
const NOT_OF_CRYO: ReadonlySet<string> = new Set([
  ...['blocks.l1_block_number', 'blocks.send_count', 'blocks.send_root'],
  ...['request_id', 'contract_address', 'gas_used_for_l1', 'effective_gas_price', 'l1_block_number'].map(
    (name) => `transactions.${name}`,
  ),
  ...['l1_fee', 'blob_gas_used', 'blob_gas_price'].map((name) => `transactions.${name}`),
]);

/** Columns that may be null of what sources say, but for further members, which are an object in files. */
const NULLABLES = (['blocks', 'transactions'] as const).flatMap((table) =>
  Object.entries(TABLE_COLUMNS[table]).flatMap(([name, spec]) => {
    const { held, isNullable, proof } = columnParts(spec);
    return isNullable && proof !== undefined && held !== 'json' ? [{ table, name }] : [];
  }),
);

/** The nullable values of a block and its transactions, by column, as a file of ours says them. */
function said(block: RawBlock): [string, unknown][] {
  const rows = fileRowsOf(block);
  return NULLABLES.flatMap(({ table, name }) =>
    rows[table].map((row, index): [string, unknown] => [
      `${table}.${name} ${index}`,
      (row as Readonly<Record<string, unknown>>)[name],
    ]),
  );
}

function stored(block: RawBlock): [string, unknown][] {
  const { block: row, transactions } = decodeBlock(block, { wrappedNative: new Set() });
  const rows = { blocks: [row], transactions };
  return NULLABLES.flatMap(({ table, name }) =>
    rows[table].map((one, index): [string, unknown] => [
      `${table}.${name} ${index}`,
      (one as unknown as Readonly<Record<string, unknown>>)[name],
    ]),
  );
}

const HASH: Hex = `0x${'ab'.repeat(32)}`;
const ADDRESS: Hex = `0x${'cd'.repeat(20)}`;
/** A value for each member that a source may lack. */
const OF_BLOCKS = {
  ...{ gasLimit: 7n, baseFeePerGas: 7n, size: 7, l1BlockNumber: 7, sendCount: 7, sendRoot: HASH },
};
const OF_TRANSACTIONS = {
  ...{ to: ADDRESS, nonce: 7n, gasPrice: 7n, maxFeePerGas: 7n, maxPriorityFeePerGas: 7n, requestId: HASH },
};
const OF_RECEIPTS = {
  ...{
    status: 1 as const,
    contractAddress: ADDRESS,
    gasUsedForL1: 7n,
    effectiveGasPrice: 7n,
    l1BlockNumber: 7,
  },
  ...{ l1Fee: 7n, blobGasUsed: 7n, blobGasPrice: 7n },
};
const MEMBERS = Object.keys({ ...OF_BLOCKS, ...OF_TRANSACTIONS, ...OF_RECEIPTS });

/** A block in which these members are null, and no other. */
function blockWithout(lacking: readonly string[]): RawBlock {
  const kept = <Values extends object>(values: Values) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, lacking.includes(name) ? null : value]),
    ) as Values;
  const [dense] = denseBlocks(1) as [RawBlock];
  let used = 0n;
  const transactions = dense.transactions.map((one) => {
    used += one.receipt.gasUsed;
    const receipt = { ...one.receipt, ...kept(OF_RECEIPTS), cumulativeGasUsed: used };
    return { ...one, ...kept(OF_TRANSACTIONS), receipt };
  });
  return likeOfNode({ ...dense, ...kept(OF_BLOCKS), transactions, gasUsed: used });
}

type Part = Awaited<ReturnType<typeof partOf>>;

test.each([
  {
    source: 'own files',
    write: (block: RawBlock): Promise<Part> => partOf([block]),
    lacks: new Set<string>(),
  },
  {
    source: 'files of cryo',
    write: async (block: RawBlock): Promise<Part> => cryoPart([block]),
    lacks: NOT_OF_CRYO,
  },
])('what $source do not say is null, and what they say is not', async ({ write, lacks }) => {
  const seen = { null: new Set<string>(), value: new Set<string>() };
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.constantFrom(...MEMBERS)), async (lacking) => {
      const block = blockWithout(lacking);
      const { files, manifest } = await write(block);
      const [found] = await blocksOf(files, manifest, MAY_LACK);
      const expected = said(block).map(([name, value]): [string, unknown] => [
        name,
        lacks.has(columnOf(name)) ? null : value,
      ]);
      expect(stored(found as RawBlock)).toEqual(expected);
      for (const [name, value] of expected) seen[value === null ? 'null' : 'value'].add(columnOf(name));
    }),
    { numRuns: repetitions(40), examples: [[MEMBERS], [[]]] },
  );
  const all = NULLABLES.map(({ table, name }) => `${table}.${name}`);
  expect([...seen.null].sort()).toEqual(all.toSorted());
  expect([...seen.value].sort()).toEqual(all.filter((name) => !lacks.has(name)).sort());
});

function columnOf(name: string): string {
  return name.split(' ')[0] ?? '';
}

test('a call of which a file of cryo does not say gas or output is none without them: its block has no traces', async () => {
  const [dense] = denseBlocks(1);
  const gasUsed = dense?.transactions.reduce((sum, { receipt }) => sum + receipt.gasUsed, 0n) ?? 0n;
  const block = likeOfNode({ ...(dense as RawBlock), gasUsed });
  const tracesWithout = async (member: string) => {
    if (block.traces.kind === 'gap') throw new Error('the block has no traces');
    const calls = block.traces.calls.map((top) => ({ ...top, [member]: null }));
    const { files, manifest } = cryoPart([{ ...block, traces: { kind: 'traced', calls } }]);
    return (await blocksOf(files, manifest)).map(({ traces }) => traces.kind);
  };
  expect(await tracesWithout('no member')).toEqual(['traced']);
  for (const member of ['gas', 'gasUsed', 'input', 'output'])
    expect(await tracesWithout(member)).toEqual(['gap']);
});
