import { keccak_256 } from '@noble/hashes/sha3';
import type { Hex, RawBlock, RawLog } from '../../chain-data/decode/raw-block.ts';
import { hexDigits } from '../../shared/chain-database/hex.ts';
import type { ParquetRow } from '../../shared/parquet/parquet-groups.ts';
import { admitBlock } from '../blocks/admit-block.ts';
import { BlockError, type IsRelaxed } from '../blocks/block-error.ts';
import { type BlockFileRows, blockOf } from './block-rows.ts';
import { CRYO_FORMS, type CryoRows, cryoBlock } from './cryo.ts';
import { ColumnError, FILE_TABLES, type FileRow, type FileTable, readRow, TABLE_NAMES } from './layout.ts';
import { FileRefusedError, isOwn, type Manifest, type PartFiles } from './manifest.ts';
import { openTable, type RowForm, type TableCursor } from './table-cursor.ts';
import type { VerifyFiled } from './verify-filed.ts';

const BLOOM_BYTES = 256;
/** Bits that each address and topic sets, and the bytes of its hash that choose one. */
const CHOICES = [0, 2, 4] as const;
const MAX_BIT = 2_047;
/** Addresses and topics whose bits are remembered: most logs have the same few. */
const MAX_REMEMBERED = 50_000;

export interface PartForm {
  /** EIP-155 chain id that the blocks must be of. */
  readonly chainId: number;
  readonly isRelaxed: IsRelaxed;
  /** Verifies blocks by the form of the chain; not those of cryo. @default none is verified */
  readonly verify?: VerifyFiled | undefined;
}

/**
 * The blocks of a part, in their order and none left out: each the child of the one before, with as many rows as it
 * counts, logs that make up its bloom, calls that make up trees, and what `verify` says of it. A row group of each table is held
 * at a time.
 * @throws {FileRefusedError} at the first that is not so
 */
export async function* readPart(
  files: PartFiles,
  manifest: Manifest,
  { chainId, isRelaxed, verify }: PartForm,
): AsyncGenerator<RawBlock, void> {
  const { from_block, to_block, chain_id } = manifest;
  const name = manifest.files.find(({ table }) => table === 'blocks')?.name ?? '';
  const refuse = (reason: string) => new FileRefusedError(name, reason);
  if (chain_id !== chainId) throw refuse(`it is of the chain with id ${chain_id}, not ${chainId}`);
  const source = await openSource(files, manifest);
  const bloomOf = createBloomer();
  let parent: Hex = manifest.first_parent;
  for (let number = from_block; number <= to_block; number += 1) {
    const block = await source.read(number).catch((error: unknown) => {
      throw error instanceof ColumnError ? refuse(`block ${number}: ${error.message}`) : error;
    });
    requireHeader(block, isRelaxed, refuse);
    const blooms = block.transactions.map(({ receipt }) => bloomOf(receipt.logs));
    // No hash comes out of a time whose milliseconds are gone.
    const isVerified = isOwn(manifest) && !isRelaxed('millisecondTimes', number);
    const verified = verify && isVerified ? () => verify({ block, blooms }) : undefined;
    const { proof } = await admitBlock({ block, blooms, parent }, isRelaxed, verified).catch(
      (error: unknown) => {
        throw error instanceof BlockError ? refuse(error.message) : error;
      },
    );
    parent = block.hash;
    yield proof === undefined ? block : { ...block, proof };
  }
  await source.end();
  if (parent !== manifest.last_hash) throw refuse('its last block is not that of its manifest');
}

type PlacedRow = FileRow<FileTable> & { readonly block_number: number };
/** How the rows of each table that is read are made. */
type LayoutForms = Readonly<Partial<Record<FileTable, RowForm<Pick<PlacedRow, 'block_number'>>>>>;

const OWN_FORMS: LayoutForms = Object.fromEntries(
  TABLE_NAMES.map((table) => {
    const read = (row: ParquetRow) => readRow(table, row) as PlacedRow;
    return [table, { columns: Object.keys(FILE_TABLES[table]), read }];
  }),
);

/** Reads the blocks of a part one after the other, and then makes sure that nothing is left. */
async function openSource(files: PartFiles, manifest: Manifest) {
  const isCryo = !isOwn(manifest);
  const forms: LayoutForms = isCryo ? CRYO_FORMS : OWN_FORMS;
  const cursors = new Map<FileTable, TableCursor<unknown>>();
  for (const file of manifest.files) {
    const form = forms[file.table];
    if (form !== undefined) cursors.set(file.table, await openTable(file, await files.open(file), form));
  }
  return {
    async read(number: number): Promise<RawBlock> {
      const taken: Partial<Record<FileTable, readonly unknown[]>> = {};
      for (const [table, cursor] of cursors) taken[table] = await cursor.take(number);
      const { blocks, ...rows } = taken as BlockFileRows;
      const [row, doubled] = blocks;
      if (row === undefined) throw new ColumnError('it is not there');
      if (doubled !== undefined) throw new ColumnError('it is there twice');
      return isCryo ? cryoBlock(row, taken as CryoRows) : blockOf(row, rows);
    },
    async end() {
      for (const cursor of cursors.values()) await cursor.end();
    },
  };
}

/** What a header may lack only where the chain's settings say so. */
function requireHeader(
  { number, gasLimit, logsBloom }: RawBlock,
  isRelaxed: IsRelaxed,
  refuse: (reason: string) => FileRefusedError,
): void {
  if (isRelaxed('missingMembers', number)) return;
  if (gasLimit === null)
    throw refuse(`block ${number} has no gas limit; if that may be, relax the check missingMembers`);
  if (logsBloom === null) throw refuse(`block ${number} has no bloom to compare its logs with`);
}

/** The bloom of logs, as their receipt has it. */
export function createBloomer(): (logs: readonly RawLog[]) => Hex {
  const remembered = new Map<Hex, readonly number[]>();
  const bitsOf = (item: Hex): readonly number[] => {
    const known = remembered.get(item);
    if (known !== undefined) return known;
    const hash = keccak_256(Buffer.from(hexDigits(item), 'hex'));
    const bits = CHOICES.map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & MAX_BIT);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(item, bits);
    return bits;
  };
  return (logs) => {
    const bloom = Buffer.alloc(BLOOM_BYTES);
    for (const { address, topics } of logs) {
      for (const item of [address, ...topics]) {
        for (const bit of bitsOf(item)) {
          const at = BLOOM_BYTES - 1 - (bit >> 3);
          bloom[at] = (bloom[at] ?? 0) | (1 << (bit & 7));
        }
      }
    }
    return `0x${bloom.toString('hex')}`;
  };
}
