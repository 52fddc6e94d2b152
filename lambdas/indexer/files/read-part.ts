import type { Hex, RawBlock } from '../../chain-data/decode/raw-block.ts';
import { BlockError } from '../blocks/block-error.ts';
import { checkBloom } from '../blocks/check-bloom.ts';
import type { IsRelaxed } from '../blocks/relaxed-checks.ts';
import { blockOf } from './block-rows.ts';
import { ColumnError, FILE_TABLES, type FileRow, type FileTable, readRow } from './layout.ts';
import { createBloomer } from './logs-bloom.ts';
import { FileRefusedError, fileName, type Manifest, type PartFile } from './manifest.ts';
import type { PartFiles } from './part-files.ts';
import { openTable, type TableCursor } from './table-cursor.ts';

/** The rows of a part, table by table. */
export type PartTables = { readonly [Table in FileTable]: TableCursor<FileRow<Table>> };

export interface PartForm {
  /** EIP-155 chain id that the blocks must be of. */
  readonly chainId: number;
  readonly isRelaxed: IsRelaxed;
}

/**
 * The blocks of a part, in their order and none left out: each the child of the one before, with as many rows as it
 * counts, logs that make up its bloom, and calls that make up trees. A row group of each table is held at a time.
 * @throws {FileRefusedError} at the first that is not so
 */
export async function* readPart(
  files: PartFiles,
  manifest: Manifest,
  { chainId, isRelaxed }: PartForm,
): AsyncGenerator<RawBlock, void> {
  const { from_block, to_block, chain_id } = manifest;
  const name = fileName('blocks', { from: from_block, to: to_block });
  const refuse = (reason: string) => new FileRefusedError(name, reason);
  if (chain_id !== chainId) throw refuse(`it is of the chain with id ${chain_id}, not ${chainId}`);
  const tables = await openTables(files, manifest);
  const bloomOf = createBloomer();
  let parent: Hex = manifest.first_parent;
  for (let number = from_block; number <= to_block; number += 1) {
    const block = await readBlock(tables, number, refuse);
    if (block.parentHash !== parent) throw refuse(`block ${number} does not follow the one before`);
    checkLogs(block, bloomOf, isRelaxed, refuse);
    parent = block.hash;
    yield block;
  }
  for (const table of Object.values(tables)) await table.end();
  if (parent !== manifest.last_hash) throw refuse('its last block is not that of its manifest');
}

async function openTables(files: PartFiles, manifest: Manifest): Promise<PartTables> {
  const open = async <Table extends FileTable>(table: Table) => {
    const file = manifest.files.find((one) => one.table === table) as PartFile;
    const columns = Object.keys(FILE_TABLES[table]);
    return openTable<FileRow<Table> & { readonly block_number: number }>(file, await files.open(file), {
      columns,
      read: (row) => readRow(table, row) as FileRow<Table> & { readonly block_number: number },
    });
  };
  return {
    blocks: await open('blocks'),
    transactions: await open('transactions'),
    logs: await open('logs'),
    traces: await open('traces'),
    withdrawals: await open('withdrawals'),
  };
}

async function readBlock(
  tables: PartTables,
  number: number,
  refuse: (reason: string) => FileRefusedError,
): Promise<RawBlock> {
  const [row, doubled] = await tables.blocks.take(number);
  if (row === undefined) throw refuse(`it lacks block ${number}`);
  if (doubled !== undefined) throw refuse(`it has block ${number} twice`);
  const rows = {
    transactions: await tables.transactions.take(number),
    logs: await tables.logs.take(number),
    traces: await tables.traces.take(number),
    withdrawals: await tables.withdrawals.take(number),
  };
  try {
    return blockOf(row, rows);
  } catch (error) {
    throw error instanceof ColumnError ? refuse(`block ${number}: ${error.message}`) : error;
  }
}

/** The logs against the header, whose bloom is computed anew. */
function checkLogs(
  block: RawBlock,
  bloomOf: ReturnType<typeof createBloomer>,
  isRelaxed: IsRelaxed,
  refuse: (reason: string) => FileRefusedError,
): void {
  if (block.logsBloom === null && !isRelaxed('missingMembers', block.number))
    throw refuse(`block ${block.number} has no bloom to compare its logs with`);
  const receipts = block.transactions.map((transaction) => ({
    transaction,
    receipt: { logs: transaction.receipt.logs, logsBloom: bloomOf(transaction.receipt.logs) },
  }));
  try {
    checkBloom(block, receipts, isRelaxed);
  } catch (error) {
    throw error instanceof BlockError ? refuse(error.message) : error;
  }
}
