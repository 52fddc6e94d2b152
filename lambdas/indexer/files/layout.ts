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
type ColumnKind = Kind | `${Kind}?`;
type ValueOf<K> = K extends `${infer Name extends Kind}?`
  ? Kinds[Name] | null
  : K extends Kind
    ? Kinds[K]
    : never;

/** The tables of the layout, each a file for a range of blocks: every column that the index has of what a node tells. */
export const FILE_TABLES = {
  blocks: {
    block_number: 'integer',
    hash: 'hash',
    parent_hash: 'hash',
    timestamp: 'integer',
    miner: 'address',
    gas_limit: 'quantity',
    gas_used: 'quantity',
    base_fee_per_gas: 'quantity?',
    state_root: 'hash',
    transactions_root: 'hash',
    receipts_root: 'hash',
    logs_bloom: 'data?',
    extra_data: 'data',
    size: 'integer',
    l1_block_number: 'integer?',
    send_count: 'integer?',
    send_root: 'hash?',
    extra: 'json',
    extra_omitted: 'json',
    transaction_count: 'integer',
    log_count: 'integer',
    trace_count: 'integer',
    withdrawal_count: 'integer',
    untraced_reason: 'text?',
    untraced_message: 'text?',
  },
  transactions: {
    block_number: 'integer',
    transaction_index: 'integer',
    hash: 'hash',
    type: 'integer',
    from_address: 'address',
    to_address: 'address?',
    nonce: 'quantity?',
    value: 'quantity',
    gas: 'quantity',
    gas_price: 'quantity?',
    max_fee_per_gas: 'quantity?',
    max_priority_fee_per_gas: 'quantity?',
    input: 'data',
    request_id: 'hash?',
    extra: 'json',
    extra_omitted: 'json',
    status: 'integer?',
    contract_address: 'address?',
    gas_used: 'quantity',
    gas_used_for_l1: 'quantity?',
    cumulative_gas_used: 'quantity',
    effective_gas_price: 'quantity?',
    l1_block_number: 'integer?',
    l1_fee: 'quantity?',
    blob_gas_used: 'quantity?',
    blob_gas_price: 'quantity?',
    receipt_extra: 'json',
    receipt_extra_omitted: 'json',
  },
  logs: {
    block_number: 'integer',
    transaction_index: 'integer',
    log_index: 'integer',
    address: 'address',
    topic0: 'hash?',
    topic1: 'hash?',
    topic2: 'hash?',
    topic3: 'hash?',
    data: 'data',
  },
  traces: {
    block_number: 'integer',
    transaction_index: 'integer',
    /** Places of the call and of its parents among their siblings, as `0_2`; empty at the top. */
    trace_address: 'text',
    subtraces: 'integer',
    type: 'text',
    from_address: 'address',
    to_address: 'address?',
    value: 'quantity',
    gas: 'quantity',
    gas_used: 'quantity',
    input: 'data',
    output: 'data',
    error: 'text?',
    revert_reason: 'text?',
  },
  withdrawals: {
    block_number: 'integer',
    withdrawal_index: 'quantity',
    validator_index: 'quantity',
    address: 'address',
    amount_gwei: 'quantity',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, ColumnKind>>>>;

export type FileTable = keyof typeof FILE_TABLES;
export const TABLE_NAMES = Object.keys(FILE_TABLES) as readonly FileTable[];

/** A row of a table. */
export type FileRow<Table extends FileTable> = {
  readonly [Column in keyof (typeof FILE_TABLES)[Table]]: ValueOf<(typeof FILE_TABLES)[Table][Column]>;
};

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
    read[name] = readValue(`${table}.${name}`, kind, row[name]);
  return read as FileRow<Table>;
}

function readValue(column: string, kind: ColumnKind, value: unknown): unknown {
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
      return readDigits(column, value);
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
