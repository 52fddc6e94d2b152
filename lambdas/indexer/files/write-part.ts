import { createHash } from 'node:crypto';
import type { JsonValue, RawBlock } from '../../chain-data/decode/raw-block.ts';
import type { BlockRange } from '../../chain-data/store/block-range.ts';
import { parquetPieces, type StoredValue } from '../../shared/parquet/parquet-writer.ts';
import { type BlockFileRows, fileRowsOf } from './block-rows.ts';
import {
  FILE_TABLES,
  type FileRow,
  type FileTable,
  storedColumns,
  storedValue,
  TABLE_NAMES,
} from './layout.ts';
import { fileName, MAX_FILE_BYTES, MAX_PART_BLOCKS, type Manifest, OWN_LAYOUT } from './manifest.ts';

/** Rows of a row group, and bytes of their values after which it ends sooner. */
const GROUP_ROWS = 20_000;
const GROUP_BYTES = 8 * 1024 * 1024;
/** Rows of all tables after which a part ends: what one run of a backfill stores. */
const MAX_PART_ROWS = 500_000;
/** Bytes of a file after which a part ends: the group that is still to come has room. */
const FULL_FILE_BYTES = MAX_FILE_BYTES / 2;
/** Bytes of a value that is no text and no data. */
const SMALL_VALUE_BYTES = 8;

/** What takes the pieces of a file in their order. */
interface FileSink {
  write(piece: Uint8Array): Promise<void>;
  /** Puts the file in place under its name. */
  close(name: string): Promise<void>;
  /** Gives the file up. */
  abandon(): Promise<void>;
}

/** Opens what takes a table's file. */
export type OpenSink = (table: FileTable) => Promise<FileSink>;

/**
 * Begins a part. At most a row group of each table is held.
 * @param open opens what takes a table's file
 * @param rowsOfBlock what is written of a block
 */
export async function openPart(
  chainId: number,
  open: OpenSink,
  rowsOfBlock: (block: RawBlock) => BlockFileRows = fileRowsOf,
) {
  const tables = await Promise.all(TABLE_NAMES.map(async (table) => openTableFile(table, await open(table))));
  let first: RawBlock | undefined;
  let last: RawBlock | undefined;
  const blocksOf = () => (first === undefined || last === undefined ? 0 : last.number - first.number + 1);
  return {
    get blocks() {
      return blocksOf();
    },
    /** Whether the part is as large as one may be. */
    get isFull() {
      const rows = tables.reduce((sum, table) => sum + table.rows, 0);
      return (
        blocksOf() >= MAX_PART_BLOCKS ||
        rows >= MAX_PART_ROWS ||
        tables.some(({ bytes }) => bytes >= FULL_FILE_BYTES)
      );
    },
    async add(block: RawBlock) {
      if (last !== undefined && (block.number !== last.number + 1 || block.parentHash !== last.hash))
        throw new Error(`block ${block.number} does not follow block ${last.number}`);
      first ??= block;
      last = block;
      const rows = rowsOfBlock(block);
      for (const table of tables) for (const row of rows[table.name]) await table.add(row);
    },
    /** Writes what is left. A part has at least one block. */
    async end(): Promise<Manifest> {
      if (first === undefined || last === undefined) throw new Error('a part has at least one block');
      const range = { from: first.number, to: last.number };
      const files = [];
      for (const table of tables) files.push(await table.end(chainId, range));
      return {
        layout: OWN_LAYOUT,
        chain_id: chainId,
        from_block: range.from,
        to_block: range.to,
        first_parent: first.parentHash,
        last_hash: last.hash,
        files,
      };
    },
    /** Gives the files up. */
    async abandon() {
      for (const table of tables) await table.abandon();
    },
  };
}

function openTableFile(name: FileTable, sink: FileSink) {
  const kinds = Object.entries(FILE_TABLES[name]);
  const file = parquetPieces(storedColumns(name));
  const hash = createHash('sha256');
  let columns: StoredValue[][] = kinds.map(() => []);
  let keptBytes = 0;
  let rows = 0;
  let bytes = 0;
  const take = async () => {
    const piece = file.taken();
    bytes += piece.length;
    hash.update(piece);
    await sink.write(piece);
  };
  const writeGroup = async () => {
    file.group(columns);
    columns = kinds.map(() => []);
    keptBytes = 0;
    await take();
  };
  return {
    name,
    get rows() {
      return rows;
    },
    get bytes() {
      return bytes + keptBytes;
    },
    async add(row: FileRow<FileTable>) {
      for (const [index, [column, kind]] of kinds.entries()) {
        const value = storedValue(
          kind,
          (row as Readonly<Record<string, JsonValue | bigint>>)[column] ?? null,
        );
        columns[index]?.push(value);
        keptBytes += sizeOf(value);
      }
      rows += 1;
      if ((columns[0]?.length ?? 0) >= GROUP_ROWS || keptBytes >= GROUP_BYTES) await writeGroup();
    },
    async end(chainId: number, range: BlockRange) {
      if ((columns[0]?.length ?? 0) > 0) await writeGroup();
      file.finish({
        layout: OWN_LAYOUT,
        chain_id: String(chainId),
        from_block: String(range.from),
        to_block: String(range.to),
      });
      await take();
      const path = fileName(name, range);
      await sink.close(path);
      return { table: name, name: path, rows, bytes, sha256: hash.digest('hex') };
    },
    abandon: () => sink.abandon(),
  };
}

function sizeOf(value: StoredValue): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length;
  return value === null ? 0 : SMALL_VALUE_BYTES;
}
