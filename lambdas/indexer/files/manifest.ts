import { createHash } from 'node:crypto';
import type { Hex } from '../../chain-data/decode/raw-block.ts';
import type { BlockRange } from '../../chain-data/store/block-range.ts';
import type { ReadableFile } from '../../shared/parquet/parquet-groups.ts';
import { type FileTable, TABLE_NAMES } from './layout.ts';

/** The layout of this release. */
export const OWN_LAYOUT = 'gateway-blocks-2';
/** That, and the one of cryo 0.3.2. */
const LAYOUTS = [OWN_LAYOUT, 'cryo-0.3'] as const;
type Layout = (typeof LAYOUTS)[number];

/** The tables that a part has; one of cryo may have traces too. */
const TABLES_OF: Readonly<Record<Layout, readonly FileTable[]>> = {
  [OWN_LAYOUT]: TABLE_NAMES,
  'cryo-0.3': ['blocks', 'transactions', 'logs'],
};

/** Largest file of a part, in bytes: one request stores it. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** Most blocks of a part. */
export const MAX_PART_BLOCKS = 10_000;
/** Longest manifest, in bytes. */
const MAX_MANIFEST_BYTES = 64 * 1024;
/** Digits of a block number in a name: names are in the order of the blocks. */
const NUMBER_DIGITS = 12;
const HASH = /^0x[0-9a-f]{64}$/;
/** The digits of a SHA-256 hash. */
export const SHA256 = /^[0-9a-f]{64}$/;
const MAX_NAME_LENGTH = 200;
/** Of a layout that is not known, how much an error names. */
const MAX_LAYOUT_LENGTH = 60;

/** A file of a part. */
export interface PartFile {
  readonly table: FileTable;
  /** Path below the folder, such as `logs/000000000000-000000000999.parquet`. */
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
}

/** What a part is: the files of all tables for a range of blocks. */
export interface Manifest {
  readonly layout: Layout;
  /** EIP-155. */
  readonly chain_id: number;
  readonly from_block: number;
  readonly to_block: number;
  /** Hash of the block before the first. */
  readonly first_parent: Hex;
  readonly last_hash: Hex;
  readonly files: readonly PartFile[];
}

/** Whether files are of this release: those of cryo have no signatures to verify them by. */
export function isOwn({ layout }: Manifest): boolean {
  return layout === OWN_LAYOUT;
}

/** A file that is not stored, and why. */
export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError';

  constructor(file: string, reason: string) {
    super(`file ${file} is refused: ${reason}`);
  }
}

/** What the files of a range are called: `000000000000-000000000999`. */
export function rangeName({ from, to }: BlockRange): string {
  const digits = (block: number) => String(block).padStart(NUMBER_DIGITS, '0');
  return `${digits(from)}-${digits(to)}`;
}

export function fileName(table: FileTable, range: BlockRange): string {
  return `${table}/${rangeName(range)}.parquet`;
}

export function manifestName(range: BlockRange): string {
  return `manifests/${rangeName(range)}.json`;
}

/**
 * Reads a manifest.
 * @param name of its file, for errors
 * @throws {FileRefusedError}
 */
export function parseManifest(name: string, text: string): Manifest {
  const refuse = (reason: string) => new FileRefusedError(name, reason);
  if (text.length > MAX_MANIFEST_BYTES) throw refuse('it is too long');
  let value: Partial<Record<keyof Manifest, unknown>>;
  try {
    value = Object(JSON.parse(text));
  } catch {
    throw refuse('it is not JSON');
  }
  const { layout, chain_id, from_block, to_block, first_parent, last_hash, files } = value;
  if (!LAYOUTS.includes(layout as Layout))
    throw refuse(
      `its layout ${JSON.stringify(layout)?.slice(0, MAX_LAYOUT_LENGTH)} is not known: export it anew`,
    );
  if (!isCount(chain_id) || !isCount(from_block) || !isCount(to_block) || from_block > to_block)
    throw refuse('it names no chain or no range');
  if (to_block - from_block >= MAX_PART_BLOCKS) throw refuse(`it has more than ${MAX_PART_BLOCKS} blocks`);
  if (!isHash(first_parent) || !isHash(last_hash)) throw refuse('it names no hashes');
  if (!Array.isArray(files) || !files.every(isPartFile)) throw refuse('it lists no files');
  const tables = files.map(({ table }) => table);
  if (new Set(tables).size !== tables.length) throw refuse('it names a table twice');
  const large = files.find(({ bytes }) => bytes > MAX_FILE_BYTES);
  if (large !== undefined) throw new FileRefusedError(large.name, `it has more than ${MAX_FILE_BYTES} bytes`);
  const lacked = TABLES_OF[layout as Layout].find((table) => !tables.includes(table));
  if (lacked !== undefined) throw refuse(`it lists no file of ${lacked}`);
  const range = { from: from_block, to: to_block };
  const other = files.find(({ table, name }) => name !== fileName(table, range));
  if (layout === OWN_LAYOUT && other !== undefined)
    throw new FileRefusedError(other.name, `its name is not that of blocks ${from_block} to ${to_block}`);
  return { layout: layout as Layout, chain_id, from_block, to_block, first_parent, last_hash, files };
}

function isPartFile(value: unknown): value is PartFile {
  const { table, name, rows, bytes, sha256 } = Object(value) as Partial<Record<keyof PartFile, unknown>>;
  return (
    TABLE_NAMES.includes(table as FileTable) &&
    typeof name === 'string' &&
    name.length <= MAX_NAME_LENGTH &&
    isCount(rows) &&
    isCount(bytes) &&
    typeof sha256 === 'string' &&
    SHA256.test(sha256)
  );
}

/** Whether a value is a whole number from 0 on. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isHash(value: unknown): value is Hex {
  return typeof value === 'string' && HASH.test(value);
}

/** Bytes that are read at a time to hash a file. */
const HASHED_BYTES = 8 * 1024 * 1024;

/** Where the files of parts are. */
export interface PartFiles {
  /**
   * Opens a file; its length may be another than its part says.
   * @throws {FileRefusedError} if it is not there
   */
  open(file: PartFile): Promise<ReadableFile>;
}

/**
 * Opens a file after making sure that its bytes are those that its part names.
 * @throws {FileRefusedError} for a file that is cut, or is another one
 */
export async function openHashed(files: PartFiles, file: PartFile): Promise<ReadableFile> {
  const opened = await files.open(file);
  if (opened.byteLength !== file.bytes)
    throw new FileRefusedError(
      file.name,
      `it has ${opened.byteLength} bytes, and its manifest says ${file.bytes}`,
    );
  const hash = createHash('sha256');
  for (let at = 0; at < file.bytes; at += HASHED_BYTES)
    hash.update(new Uint8Array(await opened.slice(at, Math.min(at + HASHED_BYTES, file.bytes))));
  if (hash.digest('hex') !== file.sha256)
    throw new FileRefusedError(file.name, 'its SHA-256 is not that of its manifest');
  return opened;
}
