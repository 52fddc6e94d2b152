/** What files of our own say is verified as what a node says: a value that is altered where a hash commits to it is not stored. */
import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import {
  assembleBlock,
  readNodeBlock,
  type UntracedBlock,
} from '../../../lambdas/indexer/blocks/assemble-block.ts';
import { ALL_STRICT, type IsRelaxed } from '../../../lambdas/indexer/blocks/block-error.ts';
import { type BlockFileRows, blockOf, fileRowsOf } from '../../../lambdas/indexer/files/block-rows.ts';
import type { FileRow, FileTable } from '../../../lambdas/indexer/files/layout.ts';
import { createBloomer, readPart } from '../../../lambdas/indexer/files/read-part.ts';
import { filedBlockVerifier } from '../../../lambdas/indexer/files/verify-filed.ts';
import { withFiles } from '../../../lambdas/indexer/files/with-files.ts';
import { PROOF_FORMS, type ProofForm } from '../../../lambdas/shared/runtime/settings.ts';
import { typesOf } from '../../../lambdas/shared/verify/transactions.ts';
import {
  type Json,
  type MadeBlock,
  madeBlock,
  type SentJson,
  sealed,
} from '../../shared/verify/made-block.ts';
import { CHAIN_ID, type MemoryFiles, partOf, restated } from './memory-files.ts';

/** Type of transactions that Nitro imported, in imported blocks alone. */
const IMPORTED = 0x78;
const bloomOf = createBloomer();

/** A block with a transaction of each of these types, with the blooms of its logs, as it is read from a node. */
function readBlock(
  types: readonly number[],
  place: Omit<MadeBlock, 'types' | 'chainId'> = {},
  alter: (made: SentJson) => void = () => undefined,
) {
  const made = madeBlock({ types, chainId: CHAIN_ID, ...place });
  alter(made);
  const logsOf = (receipt: Json) => receipt.logs as Parameters<typeof bloomOf>[0];
  for (const receipt of made.receipts) receipt.logsBloom = bloomOf(logsOf(receipt));
  made.block.logsBloom = bloomOf(made.receipts.flatMap(logsOf));
  return read(sealed(made));
}

function read({ block, receipts }: SentJson): RawBlock {
  const node = readNodeBlock(Number(block.number), block, ALL_STRICT);
  const traces = { kind: 'gap', reason: 'not_started', message: '' } as const;
  return { ...assembleBlock(node, receipts, ALL_STRICT).block, traces };
}

const ETHEREUM = {
  ...{ withdrawalsRoot: '0x', blobGasUsed: '0x0', excessBlobGas: '0x0' },
  ...{ parentBeaconBlockRoot: `0x${'be'.repeat(32)}`, requestsHash: `0x${'4e'.repeat(32)}` },
  withdrawals: [{ index: '0x1', validatorIndex: '0x2', address: `0x${'77'.repeat(20)}`, amount: '0x9' }],
};
const blockOfForm = (form: ProofForm) =>
  readBlock(
    typesOf(form).filter((type) => type !== IMPORTED),
    { members: form === 'ethereum' ? ETHEREUM : {} },
  );

type Rows = { -readonly [Table in FileTable]: FileRow<Table>[] };
type AnyRow = Record<string, unknown>;

/** What becomes of a block whose file has these rows. */
async function fateOf(form: ProofForm, rows: BlockFileRows): Promise<string> {
  try {
    const [row] = rows.blocks;
    if (row === undefined) throw new Error('no block');
    const block: UntracedBlock = blockOf(row, rows);
    const blooms = block.transactions.map(({ receipt }) => bloomOf(receipt.logs));
    const proof = await filedBlockVerifier({ form, from: 0, chainId: CHAIN_ID })({ block, blooms });
    return proof === undefined ? 'compared' : Object.values(proof).join(' ');
  } catch (error) {
    const { name } = error as Error;
    if (name !== 'BlockError' && name !== 'ColumnError') throw error;
    return 'refused';
  }
}

/** Other values of the same kind; none for one that is absent. */
function others(value: unknown): unknown[] {
  if (typeof value === 'number') return [value + 1];
  if (typeof value === 'bigint') return [value + 1n];
  if (typeof value === 'boolean') return [!value];
  if (typeof value === 'string') return [value === '0x' ? '0x01' : flippedAtEnd(value)];
  if (Array.isArray(value))
    return value.flatMap((one, place) => others(one).map((other) => value.with(place, other)));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    others(one).map((other) => ({ ...value, [name]: other })),
  );
}

const flippedAtEnd = (text: string) =>
  text.slice(0, -1) + (Number.parseInt(text.at(-1) as string, 16) ^ 1).toString(16);

/** Each value of each row altered alone: the column, and what becomes of the block. */
async function alteredAlone(form: ProofForm, rows: BlockFileRows): Promise<[string, string][]> {
  const fates: [string, string][] = [];
  for (const [table, all] of Object.entries(rows) as [FileTable, readonly AnyRow[]][])
    for (const [place, row] of all.entries())
      for (const [column, value] of Object.entries(row)) {
        // Rows are taken by the number of their block, whose own row counts them.
        if (column === 'block_number' && table !== 'blocks') continue;
        for (const other of others(value)) {
          const altered: Rows = { ...rows, [table]: all.with(place, { ...row, [column]: other }) } as never;
          const name = column.endsWith('extra') ? `${column} ${nameOfOther(value, other)}` : column;
          fates.push([`${table}.${name}`, await fateOf(form, altered)]);
        }
      }
  return fates;
}

const nameOfOther = (one: unknown, other: unknown) =>
  Object.keys(one as object).find((name) => (one as AnyRow)[name] !== (other as AnyRow)[name]);

/** Columns that a form leaves to the word of the file, of some types at least. */
const TOLD: Readonly<Record<ProofForm, readonly string[]>> = {
  ethereum: ['blocks.size', 'blocks.untraced_message', 'transactions.gas_price'],
  op: [
    ...['blocks.size', 'blocks.untraced_message', 'transactions.gas_price'],
    ...['transactions.effective_gas_price', 'transactions.nonce'],
  ],
  orbit: [
    ...['blocks.size', 'blocks.untraced_message', 'transactions.gas_price'],
    ...['effective_gas_price', 'gas', 'input', 'nonce', 'to_address'].map((name) => `transactions.${name}`),
  ],
};

/** Members that not all types and headers have. */
const STRAYS = {
  blocks: { l1_block_number: 9, send_count: 9, send_root: `0x${'09'.repeat(32)}` },
  transactions: {
    request_id: `0x${'09'.repeat(32)}`,
    ...{ max_fee_per_gas: 99n, max_priority_fee_per_gas: 99n },
  },
};

describe.each(PROOF_FORMS)('a block of the form %s', (form) => {
  test('is computed from what its file has', async () => {
    expect(await fateOf(form, fileRowsOf(blockOfForm(form)))).toBe(Array(5).fill('computed').join(' '));
  });

  test('is not stored with any value altered alone, but for those that no hash commits to', async () => {
    const fates = await alteredAlone(form, fileRowsOf(blockOfForm(form)));
    expect(fates.length).toBeGreaterThan(150);
    const stored = fates.flatMap(([column, fate]) => (fate.startsWith('computed') ? column : []));
    expect([...new Set(stored)].sort()).toEqual([...TOLD[form]].sort());
    const compared = fates.flatMap(([column, fate]) => (fate === 'compared' ? column : []));
    expect(compared.filter((column) => column !== 'transactions.type')).toEqual([]);
  });

  test('with a value where its form has none is compared', async () => {
    const rows = fileRowsOf(blockOfForm(form));
    const fates: [string, number, string][] = [];
    for (const [table, members] of Object.entries(STRAYS) as ['blocks' | 'transactions', AnyRow][])
      for (const [column, value] of Object.entries(members))
        for (const [place, row] of (rows[table] as readonly AnyRow[]).entries()) {
          if (row[column] !== null) continue;
          const altered = {
            ...rows,
            [table]: (rows[table] as readonly AnyRow[]).with(place, { ...row, [column]: value }),
          };
          fates.push([column, Number(row.type ?? 0), await fateOf(form, altered as never)]);
        }
    expect(fates.length).toBeGreaterThan(10);
    expect(fates.filter(([, , fate]) => fate !== 'compared')).toEqual([]);
  });

  test('is refused without a signature, and compared where a member is said to be too large', async () => {
    const rows = fileRowsOf(readBlock([2, 0]));
    const unsigned = rows.transactions.map((row) => ({ ...row, signature: null }));
    expect(await fateOf(form, { ...rows, transactions: unsigned })).toBe('refused');
    const cut = rows.transactions.map((row) => ({ ...row, value: 7n, extra_omitted: ['accessList'] }));
    expect(await fateOf(form, { ...rows, transactions: cut })).toBe('compared');
  });
});

test('the most that a transaction of Nitro pays is its price, also where a node names both', async () => {
  const rows = fileRowsOf(readBlock([0x68]));
  const priced = rows.transactions.map((row) => ({ ...row, max_fee_per_gas: row.gas_price }));
  expect(await fateOf('orbit', { ...rows, transactions: priced })).toContain('computed');
});

describe('a part', () => {
  const first = readBlock([2, 0, 1], { number: 3 });
  /** Of these, the second is compared with the node. */
  const chain = [first, readBlock([2], { number: 4, parentHash: first.hash })];
  const proof = { form: 'ethereum', from: 0, chainId: CHAIN_ID } as const;
  const asked: [number, number][] = [];
  beforeEach(() => {
    asked.length = 0;
  });
  const readerOf = (
    files: MemoryFiles,
    manifest: Awaited<ReturnType<typeof partOf>>['manifest'],
    random = () => 0.999,
    told = chain,
  ) =>
    withFiles({
      ...{ files, manifest, proof, chainId: CHAIN_ID, isRelaxed: ALL_STRICT, random },
      reader: {
        head: async () => first,
        header: async () => undefined,
        async *pages(from: number, to: number) {
          asked.push([from, to]);
          yield told.filter(({ number }) => number >= from && number <= to);
        },
      },
    });
  const readAll = async (reader: ReturnType<typeof readerOf>) => {
    const all: RawBlock[] = [];
    for await (const page of reader.pages(3, 4, { deadline: Number.MAX_SAFE_INTEGER })) all.push(...page);
    return all;
  };

  test('has blocks whose levels are those of a node’s', async () => {
    const { files, manifest } = await partOf(chain);
    const [block] = await readAll(readerOf(files, manifest));
    expect(block?.proof).toEqual({
      ...{ header: 'computed', transactions: 'computed', senders: 'computed' },
      ...{ receipts: 'computed', withdrawals: 'computed' },
    });
  });

  test('with another value and a manifest that agrees is refused by the file’s name', async () => {
    const { files, manifest } = await partOf(chain, undefined, undefined, (table, row) => [
      table === 'transactions' && row.block_number === 3 ? { ...row, value: 7n } : row,
    ]);
    await expect(readAll(readerOf(files, restated(manifest, files)))).rejects.toThrow(
      /^file blocks\/000000000003-000000000004\.parquet is refused: .*transactions\[0\]\.hash does not match/,
    );
  });

  test('of a chain whose times are not whole seconds proves nothing', async () => {
    const { files, manifest } = await partOf(chain, undefined, undefined, (table, row) => [
      table === 'blocks' ? { ...row, timestamp: 1 } : row,
    ]);
    const proofs: unknown[] = [];
    const isRelaxed: IsRelaxed = (check) => check === 'millisecondTimes';
    const form = { chainId: CHAIN_ID, isRelaxed, verify: filedBlockVerifier(proof) };
    for await (const block of readPart(files, manifest, form)) proofs.push(block.proof);
    expect(proofs).toEqual([undefined, undefined]);
  });

  test('none of whose blocks can be shown asks the node for all of them at once', async () => {
    const strays = chain.map((block) => ({
      ...block,
      transactions: block.transactions.map((one) => ({ ...one, requestId: first.hash })),
    }));
    const { files, manifest } = await partOf(strays);
    expect(await readAll(readerOf(files, manifest, undefined, strays))).toHaveLength(2);
    expect(asked).toEqual([[3, 4]]);
  });

  test('with a member that is not of a type is refused where the node has none', async () => {
    const { files, manifest } = await partOf(chain, undefined, undefined, (table, row) => [
      table === 'transactions' && row.block_number === 3 ? { ...row, request_id: first.hash } : row,
    ]);
    await expect(readAll(readerOf(files, manifest))).rejects.toThrow(
      'the node has another block 3 (transaction 0, requestId)',
    );
  });

  test('whose last block is sealed anew with another log is refused: no other block has its hash', async () => {
    const forged = readBlock([2], { number: 4, parentHash: first.hash }, ({ receipts }) => {
      const logs = receipts[0]?.logs as Json[];
      Object.assign(logs[0] as Json, { data: `0x${'99'.repeat(32)}` });
    });
    const { files, manifest } = await partOf([first, forged]);
    expect(manifest.last_hash).not.toBe(chain[1]?.hash);
    const draws = [0];
    const reader = readerOf(files, manifest, () => draws.shift() ?? 0.999);
    await expect(readAll(reader)).rejects.toThrow('the node has another block 4 (hash)');
  });

  test('that cannot show a block is compared with the node', async () => {
    const { files, manifest } = await partOf(chain, undefined, undefined, (table, row) => [
      table === 'transactions' && row.block_number === 3
        ? { ...row, value: 7n, extra_omitted: ['accessList'] }
        : row,
    ]);
    await expect(readAll(readerOf(files, manifest))).rejects.toThrow('the node has another block 3');
  });
});
