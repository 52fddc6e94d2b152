import { keccak_256 } from '@noble/hashes/sha3';
import type { Hex, RawBlock, RawLog } from '../../chain-data/decode/raw-block.ts';
import { hexDigits } from '../../shared/chain-database/hex.ts';
import { admitBlock } from '../blocks/admit-block.ts';
import { BlockError, type IsRelaxed } from '../blocks/block-error.ts';
import { blockOf } from './block-rows.ts';
import { CRYO_BLOCKS, CRYO_LOGS, CRYO_TRACES, CRYO_TRANSACTIONS, cryoBlock } from './cryo.ts';
import { ColumnError, FILE_TABLES, type FileRow, type FileTable, readRow } from './layout.ts';
import { FileRefusedError, isOwn, type Manifest, type PartFile, type PartFiles } from './manifest.ts';
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
  const source = await (isOwn(manifest) ? openOwn : openCryo)(files, manifest);
  const bloomOf = createBloomer();
  let parent: Hex = manifest.first_parent;
  for (let number = from_block; number <= to_block; number += 1) {
    const block = await source.read(number).catch((error: unknown) => {
      throw error instanceof ColumnError ? refuse(`block ${number}: ${error.message}`) : error;
    });
    requireHeader(block, isRelaxed, refuse);
    const blooms = block.transactions.map(({ receipt }) => bloomOf(receipt.logs));
    const verified = verify && isOwn(manifest) ? () => verify({ block, blooms }) : undefined;
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

/** Opens the file of a table. */
async function openFile<Row extends { readonly block_number: number }>(
  files: PartFiles,
  { files: listed }: Manifest,
  table: FileTable,
  form: RowForm<Row>,
): Promise<TableCursor<Row>> {
  const file = listed.find((one) => one.table === table) as PartFile;
  return openTable(file, await files.open(file), form);
}

/** Reads the blocks of a part one after the other, and then makes sure that nothing is left. */
async function openOwn(files: PartFiles, manifest: Manifest) {
  const open = <Table extends FileTable>(table: Table) =>
    openFile<FileRow<Table> & { readonly block_number: number }>(files, manifest, table, {
      columns: Object.keys(FILE_TABLES[table]),
      read: (row) => readRow(table, row) as FileRow<Table> & { readonly block_number: number },
    });
  const blocks = await open('blocks');
  const transactions = await open('transactions');
  const logs = await open('logs');
  const traces = await open('traces');
  const withdrawals = await open('withdrawals');
  return {
    read: async (number: number) =>
      blockOf(await onlyRow(blocks, number), {
        transactions: await transactions.take(number),
        logs: await logs.take(number),
        traces: await traces.take(number),
        withdrawals: await withdrawals.take(number),
      }),
    end: () => endAll([blocks, transactions, logs, traces, withdrawals]),
  };
}

async function openCryo(files: PartFiles, manifest: Manifest) {
  const blocks = await openFile(files, manifest, 'blocks', CRYO_BLOCKS);
  const transactions = await openFile(files, manifest, 'transactions', CRYO_TRANSACTIONS);
  const logs = await openFile(files, manifest, 'logs', CRYO_LOGS);
  const hasTraces = manifest.files.some(({ table }) => table === 'traces');
  const traces = hasTraces ? await openFile(files, manifest, 'traces', CRYO_TRACES) : undefined;
  return {
    read: async (number: number) =>
      cryoBlock(
        await onlyRow(blocks, number),
        { transactions: await transactions.take(number), logs: await logs.take(number) },
        await traces?.take(number),
      ),
    end: () => endAll([blocks, transactions, logs, ...(traces === undefined ? [] : [traces])]),
  };
}

async function onlyRow(blocks: TableCursor<FileRow<'blocks'>>, number: number): Promise<FileRow<'blocks'>> {
  const [row, doubled] = await blocks.take(number);
  if (row === undefined) throw new ColumnError('it is not there');
  if (doubled !== undefined) throw new ColumnError('it is there twice');
  return row;
}

async function endAll(tables: readonly Pick<TableCursor<unknown>, 'end'>[]): Promise<void> {
  for (const table of tables) await table.end();
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
