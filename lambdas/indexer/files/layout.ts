import {
  type ColumnSpec,
  type ColumnValue,
  columnParts,
  type Held,
  type ProofClass,
  TABLE_COLUMNS,
} from '../../chain-data/decode/load-columns.ts';
import type { Hex, JsonValue } from '../../chain-data/decode/raw-block.ts';
import type { ParquetRow } from '../../shared/parquet/parquet-groups.ts';
import { STORED_TYPES, type StoredColumn, type StoredValue } from '../../shared/parquet/parquet-writer.ts';

/** What files call a column, in the words of nodes, where tables have another name for it. */
const NODE_WORDS = {
  blocks: { number: 'block_number', time: 'timestamp' },
  transactions: { tx_index: 'transaction_index' },
  logs: { tx_index: 'transaction_index' },
  /** In files, places of calls are joined as `0_2`. */
  traces: { tx_index: 'transaction_index', subcalls: 'subtraces' },
  withdrawals: { to_address: 'address' },
} as const;

/** What files have and tables do not. */
const FURTHER_COLUMNS = {
  blocks: {
    logs_bloom: 'data?',
    transaction_count: 'integer',
    log_count: 'integer',
    trace_count: 'integer',
    withdrawal_count: 'integer',
    untraced_reason: 'text?',
    untraced_message: 'text?',
  },
  transactions: { receipt_extra_omitted: 'json', signature: 'data?' },
  logs: {},
  traces: {},
  withdrawals: {},
} as const satisfies Readonly<Record<string, Readonly<Record<string, ColumnSpec>>>>;

export type FileTable = keyof typeof NODE_WORDS;
export const TABLE_NAMES = Object.keys(NODE_WORDS) as readonly FileTable[];

type Told<Table extends FileTable> = (typeof TABLE_COLUMNS)[Table];
type WordOf<Table extends FileTable, Column> = Extract<
  Column extends keyof (typeof NODE_WORDS)[Table] ? (typeof NODE_WORDS)[Table][Column] : Column,
  string
>;
type FileValue<Spec> = Spec extends `json${string}`
  ? JsonValue
  : Spec extends `time${string}`
    ? number
    : ColumnValue<Spec>;
type FileColumns<Table extends FileTable> = {
  readonly [Column in keyof Told<Table> as Told<Table>[Column] extends `${string} ${ProofClass}`
    ? WordOf<Table, Column>
    : never]: FileValue<Told<Table>[Column]>;
} & {
  readonly [Column in keyof (typeof FURTHER_COLUMNS)[Table]]: FileValue<
    (typeof FURTHER_COLUMNS)[Table][Column]
  >;
};

/** A row of a table. */
export type FileRow<Table extends FileTable> = { readonly [Name in FileTable]: FileColumns<Name> }[Table];

/** A value that a column cannot hold. The message names the column and no value. */
export class ColumnError extends Error {
  override readonly name = 'ColumnError';
}

const DIGITS = /^\d{1,78}$/;
const TWO_TO_256 = 2n ** 256n;

/** How files hold what a column holds. */
interface Kind {
  readonly type: StoredColumn['type'];
  readonly write: (value: JsonValue | bigint) => StoredValue;
  /** @throws {ColumnError} */
  readonly read: (column: string, value: unknown) => unknown;
}

const bytes = (length?: number): Kind => ({
  type: STORED_TYPES.bytes,
  write: (value) => Buffer.from(String(value).slice(2), 'hex'),
  read: (column, value) => hexOf(column, value, length),
});
const integer: Kind = {
  type: STORED_TYPES.integer,
  write: (value) => BigInt(value as number),
  read: integerOf,
};
const KINDS: Readonly<Record<Held, Kind>> = {
  hash: bytes(32),
  address: bytes(20),
  data: bytes(),
  // Decimal digits: no type that readers agree on holds a number of 256 bits.
  quantity: { type: STORED_TYPES.text, write: String, read: quantityOf },
  text: { type: STORED_TYPES.text, write: String, read: textOf },
  json: { type: STORED_TYPES.text, write: JSON.stringify, read: jsonOf },
  ...{ bigint: integer, integer, smallint: integer, time: integer, boolean: integer },
};

interface FileColumn {
  readonly kind: Kind;
  readonly isNullable: boolean;
}

/** The tables of the layout, each a file for a range of blocks: every column that the index has of what a node tells. */
export const FILE_TABLES = Object.fromEntries(
  TABLE_NAMES.map((table) => [table, fileColumns(table)]),
) as Readonly<Record<FileTable, Readonly<Record<string, FileColumn>>>>;

function fileColumns(table: FileTable): Readonly<Record<string, FileColumn>> {
  const words: Readonly<Record<string, string>> = NODE_WORDS[table];
  const told = Object.entries<ColumnSpec>(TABLE_COLUMNS[table]).filter(
    ([, spec]) => columnParts(spec).proof !== undefined,
  );
  const columns = [...told, ...Object.entries<ColumnSpec>(FURTHER_COLUMNS[table])].map(([name, spec]) => {
    const { held, isNullable } = columnParts(spec);
    return [words[name] ?? name, { kind: KINDS[held], isNullable: isNullable && held !== 'json' }];
  });
  return Object.fromEntries(columns);
}

/** The columns of a table as they are written. */
export function storedColumns(table: FileTable): readonly StoredColumn[] {
  return Object.entries(FILE_TABLES[table]).map(([name, { kind, isNullable }]) => ({
    name,
    type: kind.type,
    isRequired: !isNullable,
  }));
}

/** A value as it is written. */
export function storedValue({ kind, isNullable }: FileColumn, value: JsonValue | bigint): StoredValue {
  return value === null && isNullable ? null : kind.write(value);
}

/**
 * A row as it was read, each value checked for what its column holds.
 * @throws {ColumnError}
 */
export function readRow<Table extends FileTable>(table: Table, row: ParquetRow): FileRow<Table> {
  const read: Record<string, unknown> = {};
  for (const [name, column] of Object.entries(FILE_TABLES[table]))
    read[name] = readValue(`${table}.${name}`, column, row[name]);
  return read as FileRow<Table>;
}

type ForeignNames<Table extends FileTable> = { readonly [Column in keyof FileRow<Table>]?: string };

/**
 * The columns that files of others have of a table, checked as ours are.
 * @throws {ColumnError}
 */
export function readForeign<Table extends FileTable, const Names extends ForeignNames<Table>>(
  table: Table,
  names: Names,
  row: ParquetRow,
): Pick<FileRow<Table>, keyof Names & keyof FileRow<Table>> {
  const columns = FILE_TABLES[table];
  const read: Record<string, unknown> = {};
  for (const [name, theirs] of Object.entries(names) as [string, string][])
    read[name] = readValue(`${table}.${theirs}`, columns[name] as FileColumn, row[theirs]);
  return read as Pick<FileRow<Table>, keyof Names & keyof FileRow<Table>>;
}

function readValue(column: string, { kind, isNullable }: FileColumn, value: unknown): unknown {
  if (value !== null && value !== undefined) return kind.read(column, value);
  if (isNullable) return null;
  throw new ColumnError(`${column} is null`);
}

/** Bytes as hex. `length`: how many there must be. @throws {ColumnError} */
export function hexOf(column: string, value: unknown, length?: number): Hex {
  if (!(value instanceof Uint8Array) || (length !== undefined && value.length !== length))
    throw new ColumnError(`${column} is not ${length === undefined ? 'bytes' : `${length} bytes`}`);
  return `0x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`;
}

/** @throws {ColumnError} */
export function integerOf(column: string, value: unknown): number {
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number;
  throw new ColumnError(`${column} is not a whole number from 0 to 2^53 - 1`);
}

/** A whole number, by its digits or as a file of others has it. */
function quantityOf(column: string, value: unknown): bigint {
  const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value);
  if (isWhole || (typeof value === 'string' && DIGITS.test(value))) {
    const number = BigInt(value as bigint);
    if (number >= 0n && number < TWO_TO_256) return number;
  }
  throw new ColumnError(`${column} is not a whole number of at most 256 bits`);
}

function textOf(column: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new ColumnError(`${column} is not a text`);
}

function jsonOf(column: string, value: unknown): JsonValue {
  try {
    return JSON.parse(textOf(column, value));
  } catch {
    throw new ColumnError(`${column} is not JSON`);
  }
}
