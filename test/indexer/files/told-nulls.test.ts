/** What the source of a block does not say of it is null in its rows, and never a zero (docs/block-files.md). */
import fc from 'fast-check';
import { decodeBlock } from '../../../lambdas/chain-data/decode/decode-block.ts';
import { columnParts, TABLE_COLUMNS } from '../../../lambdas/chain-data/decode/load-columns.ts';
import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { relaxedBy } from '../../../lambdas/indexer/blocks/relaxed-checks.ts';
import { fileRowsOf } from '../../../lambdas/indexer/files/block-rows.ts';
import { denseBlocks } from '../../operator/fill/dense-chain.ts';
import { anyBlock } from './any-block.ts';
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

/** Columns that were null in some of the runs, and those that were not. */
function watched() {
  const seen = { null: new Set<string>(), value: new Set<string>() };
  return {
    see: (values: readonly [string, unknown][]) => {
      for (const [name, value] of values)
        seen[value === null ? 'null' : 'value'].add(name.split(' ')[0] ?? '');
    },
    seen,
  };
}
const ALL = NULLABLES.map(({ table, name }) => `${table}.${name}`).sort();

test('of own files', async () => {
  const { see, seen } = watched();
  await fc.assert(
    fc.asyncProperty(anyBlock(), async (block) => {
      const { files, manifest } = await partOf([block]);
      const [found] = await blocksOf(files, manifest, MAY_LACK);
      expect(stored(found as RawBlock)).toEqual(said(block));
      see(said(block));
    }),
    { numRuns: 60 },
  );
  expect([...seen.null].sort()).toEqual(ALL);
  expect([...seen.value].sort()).toEqual(ALL);
});

/** Members that files of cryo may leave null, each with its chance. */
const anyBlanks = () =>
  fc.record({
    ...{ gasLimit: fc.boolean(), baseFeePerGas: fc.boolean(), size: fc.boolean(), to: fc.boolean() },
    ...{ nonce: fc.boolean(), gasPrice: fc.boolean(), maxFeePerGas: fc.boolean(), status: fc.boolean() },
    maxPriorityFeePerGas: fc.boolean(),
  });

test('of files of cryo', async () => {
  const [dense] = denseBlocks(1);
  const { see, seen } = watched();
  await fc.assert(
    fc.asyncProperty(anyBlanks(), async (blanks) => {
      const kept = <Value extends object>(value: Value): Value => {
        const entries = Object.entries(value).map(([name, one]) => [
          name,
          blanks[name as keyof typeof blanks] === true ? null : (one ?? 7n),
        ]);
        return Object.fromEntries(entries) as Value;
      };
      const blank = (block: RawBlock): RawBlock => ({
        ...block,
        ...kept({ gasLimit: block.gasLimit, baseFeePerGas: block.baseFeePerGas, size: block.size }),
        gasUsed: block.transactions.reduce((sum, { receipt }) => sum + receipt.gasUsed, 0n),
        transactions: block.transactions.map((one) => ({
          ...one,
          ...kept({ nonce: one.nonce, gasPrice: one.gasPrice, maxFeePerGas: one.maxFeePerGas }),
          ...kept({ maxPriorityFeePerGas: one.maxPriorityFeePerGas, to: one.to ?? one.from }),
          receipt: { ...one.receipt, ...kept({ status: one.receipt.status ?? 1 }) },
        })),
      });
      const block = likeOfNode(blank(dense as RawBlock));
      const { files, manifest } = cryoPart([block]);
      const [found] = await blocksOf(files, manifest, MAY_LACK);
      const expected = said(block).map(([name, value]): [string, unknown] =>
        NOT_OF_CRYO.has(name.split(' ')[0] ?? '') ? [name, null] : [name, value],
      );
      expect(stored(found as RawBlock)).toEqual(expected);
      see(expected);
    }),
    { numRuns: 60 },
  );
  expect([...seen.null].sort()).toEqual(ALL);
  expect([...seen.value].sort()).toEqual(ALL.filter((name) => !NOT_OF_CRYO.has(name)));
});

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
