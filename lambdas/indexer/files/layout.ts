import { columnParts, type ProofClass, TABLE_COLUMNS } from '../../chain-data/decode/load-columns.ts';
import type { Hex, JsonValue } from '../../chain-data/decode/raw-block.ts';
import type { ParquetRow } from '../../shared/parquet/parquet-groups.ts';
import { STORED_TYPES, type StoredColumn, type StoredValue } from '../../shared/parquet/parquet-writer.ts';

/** What a column holds. With `?` it may be null. */
interface Kinds {
  readonly hash: Hex;
  readonly address: Hex;
  /** Bytes of any number. */
  readonly data: Hex;
  /** A whole number of at most 256 bits, as decimal digits: no type that readers agree on holds it. */
  readonly quantity: bigint;
  /** A whole number that is exact as a number of JavaScript. */
  readonly integer: number;
  readonly text: string;
  /** A value of JSON, as text. */
  readonly json: JsonValue;
}

type Kind = keyof Kinds;
/** How files hold what a column of a table holds. */
const FILE_KINDS = {
  ...{ hash: 'hash', address: 'address', data: 'data', quantity: 'quantity', text: 'text', json: 'json' },
  ...{ bigint: 'integer', integer: 'integer', smallint: 'integer', time: 'integer', boolean: 'integer' },
} as const satisfies Readonly<Record<ReturnType<typeof columnParts>['held'], Kind>>;
type ColumnKind = Kind | `${Kind}?`;
type ValueOf<K> = K extends `${infer Name extends Kind}?`
  ? Kinds[Name] | null
  : K extends Kind
    ? Kinds[K]
    : never;

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
  transactions: { receipt_extra_omitted: 'json' },
  logs: {},
  traces: {},
  withdrawals: {},
} as const satisfies Readonly<Record<string, Readonly<Record<string, ColumnKind>>>>;

export type FileTable = keyof typeof NODE_WORDS;
export const TABLE_NAMES = Object.keys(NODE_WORDS) as readonly FileTable[];

type Told<Table extends FileTable> = (typeof TABLE_COLUMNS)[Table];
type WordOf<Table extends FileTable, Column> = Extract<
  Column extends keyof (typeof NODE_WORDS)[Table] ? (typeof NODE_WORDS)[Table][Column] : Column,
  string
>;
type KindOf<Spec> = Spec extends `json${string}`
  ? 'json'
  : Spec extends `${'bigint' | 'integer' | 'smallint' | 'time'}${infer Rest}`
    ? Rest extends `?${string}`
      ? 'integer?'
      : 'integer'
    : Spec extends `${infer Name extends ColumnKind} ${ProofClass}`
      ? Name
      : never;
type FileColumns<Table extends FileTable> = {
  readonly [Column in keyof Told<Table> as Told<Table>[Column] extends `${string} ${ProofClass}`
    ? WordOf<Table, Column>
    : never]: KindOf<Told<Table>[Column]>;
} & (typeof FURTHER_COLUMNS)[Table];

/** The tables of the layout, each a file for a range of blocks: every column that the index has of what a node tells. */
export const FILE_TABLES = Object.fromEntries(TABLE_NAMES.map((table) => [table, fileColumns(table)])) as {
  readonly [Table in FileTable]: FileColumns<Table>;
};

function fileColumns(table: FileTable): Readonly<Record<string, ColumnKind>> {
  const words: Readonly<Record<string, string>> = NODE_WORDS[table];
  const told = Object.entries(TABLE_COLUMNS[table]).flatMap(([name, spec]) => {
    const { held, isNullable, proof } = columnParts(spec);
    if (proof === undefined) return [];
    const kind = FILE_KINDS[held];
    return [[words[name] ?? name, isNullable && kind !== 'json' ? `${kind}?` : kind]];
  });
  return { ...Object.fromEntries(told), ...FURTHER_COLUMNS[table] };
}

/** A row of a table. */
export type FileRow<Table extends FileTable> = {
  readonly [Name in FileTable]: {
    readonly [Column in keyof FileColumns<Name>]: ValueOf<FileColumns<Name>[Column]>;
  };
}[Table];

/** A value that a column cannot hold. The message names the column and no value. */
export class ColumnError extends Error {
  override readonly name = 'ColumnError';
}

/** Bytes of the kinds that have a fixed number. */
const LENGTHS: { readonly [Name in Kind]?: number } = { hash: 32, address: 20 };
const DIGITS = /^\d{1,78}$/;
const TWO_TO_256 = 2n ** 256n;

/** The columns of a table as they are written. */
export function storedColumns(table: FileTable): readonly StoredColumn[] {
  return Object.entries(FILE_TABLES[table]).map(([name, kind]) => ({
    name,
    type: storedTypeOf(kindOf(kind)),
    isRequired: !kind.endsWith('?'),
  }));
}

function storedTypeOf(kind: Kind) {
  if (kind === 'integer') return STORED_TYPES.integer;
  return kind === 'hash' || kind === 'address' || kind === 'data' ? STORED_TYPES.bytes : STORED_TYPES.text;
}

/** A value as it is written. */
export function storedValue(kind: ColumnKind, value: JsonValue | bigint): StoredValue {
  if (value === null && kind.endsWith('?')) return null;
  switch (kindOf(kind)) {
    case 'hash':
    case 'address':
    case 'data':
      return Buffer.from(String(value).slice(2), 'hex');
    case 'integer':
      return BigInt(value as number);
    case 'json':
      return JSON.stringify(value);
    default:
      return String(value);
  }
}

/**
 * A row as it was read, each value checked for what its column holds.
 * @throws {ColumnError}
 */
export function readRow<Table extends FileTable>(table: Table, row: ParquetRow): FileRow<Table> {
  const read: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(FILE_TABLES[table]) as [string, ColumnKind][])
    read[name] = readValue(`${table}.${name}`, kind, row[name], readDigits);
  return read as FileRow<Table>;
}

/** Columns of our files by what other files call them. */
type ForeignNames<Table extends FileTable> = { readonly [Column in keyof FileRow<Table>]?: string };

/**
 * The columns that files of others have of a table, checked as ours are.
 * @param readQuantity reads their whole numbers
 * @throws {ColumnError}
 */
export function readForeign<Table extends FileTable, const Names extends ForeignNames<Table>>(
  table: Table,
  names: Names,
  row: ParquetRow,
  readQuantity: (column: string, value: unknown) => bigint,
): Pick<FileRow<Table>, keyof Names & keyof FileRow<Table>> {
  const kinds: Readonly<Record<string, ColumnKind>> = FILE_TABLES[table];
  const read: Record<string, unknown> = {};
  for (const [name, theirs] of Object.entries(names) as [string, string][])
    read[name] = readValue(`${table}.${theirs}`, kinds[name] as ColumnKind, row[theirs], readQuantity);
  return read as Pick<FileRow<Table>, keyof Names & keyof FileRow<Table>>;
}

function readValue(
  column: string,
  kind: ColumnKind,
  value: unknown,
  readQuantity: (column: string, value: unknown) => bigint,
): unknown {
  if (value === null || value === undefined) {
    if (kind.endsWith('?')) return null;
    throw new ColumnError(`${column} is null`);
  }
  const name = kindOf(kind);
  switch (name) {
    case 'hash':
    case 'address':
    case 'data':
      return hexOf(column, value, LENGTHS[name]);
    case 'integer':
      return integerOf(column, value);
    case 'quantity':
      return readQuantity(column, value);
    case 'text':
      return textOf(column, value);
    case 'json':
      return jsonOf(column, value);
  }
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

/** @throws {ColumnError} */
function readDigits(column: string, value: unknown): bigint {
  if (typeof value === 'string' && DIGITS.test(value)) {
    const number = BigInt(value);
    if (number < TWO_TO_256) return number;
  }
  throw new ColumnError(`${column} is not the digits of a number of 256 bits`);
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

function kindOf(kind: ColumnKind): Kind {
  return (kind.endsWith('?') ? kind.slice(0, -1) : kind) as Kind;
}
