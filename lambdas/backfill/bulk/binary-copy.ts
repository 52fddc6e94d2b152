import type { ColumnType } from '../../chain-data/decode/load-columns.ts';
import type { LoadValue } from '../../shared/chain-database/load-rows.ts';

/** What every file of PostgreSQL's binary COPY begins with, and the length that means NULL, or the end of the rows. */
const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
const NONE = -1;
const FLAGS = 0;
/** Milliseconds from the epoch of Unix to that of PostgreSQL, the beginning of the year 2000. */
const POSTGRES_EPOCH_MS = 946_684_800_000;
const MICROSECONDS = 1_000n;
/** A digit of a numeric is four decimal ones. */
const DIGIT_LENGTH = 4;
const NEGATIVE = 0x4000;
const JSONB_VERSION = 1;
const INTEGER_OID = 23;
const INTEGER_BYTES = 4;
const FIRST_CAPACITY = 65_536;
const INTEGERS = /^\{(?:-?\d+(?:,-?\d+)*)?\}$/;

/** Columns by name, in the order in which they are written. */
type CopyColumns = Readonly<Record<string, ColumnType>>;

/**
 * Rows of one table as a file of PostgreSQL's binary COPY. `about` stands in the extension of its header, which readers pass
 * over: a file says by itself what it holds.
 */
export class BinaryCopy {
  readonly #columns: readonly (readonly [string, ColumnType])[];
  #buffer = Buffer.allocUnsafe(FIRST_CAPACITY);
  #length = 0;
  #rows = 0;

  constructor(columns: CopyColumns) {
    this.#columns = Object.entries(columns);
  }

  /** Rows that were added. */
  get rows(): number {
    return this.#rows;
  }

  /** Bytes of these rows. */
  get bytes(): number {
    return this.#length;
  }

  /** @throws TypeError for a value that is not of its column's type */
  add(row: Readonly<Record<string, LoadValue>>): void {
    this.#int16(this.#columns.length);
    for (const [name, type] of this.#columns) {
      const value = row[name] ?? null;
      if (value === null) this.#int32(NONE);
      else this.#value(type, value);
    }
    this.#rows += 1;
  }

  /** The whole file with all rows so far. */
  file(about: string): Buffer {
    const extension = Buffer.from(about);
    const head = Buffer.alloc(2 * INTEGER_BYTES);
    head.writeInt32BE(FLAGS, 0);
    head.writeInt32BE(extension.length, INTEGER_BYTES);
    const end = Buffer.alloc(2);
    end.writeInt16BE(NONE);
    return Buffer.concat([SIGNATURE, head, extension, this.#buffer.subarray(0, this.#length), end]);
  }

  #value(type: ColumnType, value: LoadValue): void {
    switch (type) {
      case 'bytea':
        this.#bytea(String(value));
        break;
      case 'bigint':
        this.#int32(8);
        this.#int64(BigInt(value as number));
        break;
      case 'integer':
        this.#int32(INTEGER_BYTES);
        this.#int32(Number(value));
        break;
      case 'smallint':
        this.#int32(2);
        this.#int16(Number(value));
        break;
      case 'boolean':
        this.#int32(1);
        this.#byte(value === true ? 1 : 0);
        break;
      case 'numeric':
        this.#numeric(BigInt(value as number | bigint));
        break;
      case 'timestamptz':
        this.#int32(8);
        this.#int64(BigInt(timeOf(String(value)) - POSTGRES_EPOCH_MS) * MICROSECONDS);
        break;
      case 'jsonb':
        this.#text(String(value), JSONB_VERSION);
        break;
      case 'text':
        this.#text(String(value));
        break;
      case 'integer[]':
        this.#integers(String(value));
        break;
      default:
        throw new TypeError(`no column is of type ${type satisfies never}`);
    }
  }

  #bytea(hex: string): void {
    const bytes = (hex.length - 2) / 2;
    this.#int32(bytes);
    this.#reserve(bytes);
    const written = this.#buffer.write(hex.slice(2), this.#length, bytes, 'hex');
    if (!hex.startsWith('0x') || written !== bytes) throw new TypeError('a value is no hex');
    this.#length += bytes;
  }

  #text(text: string, version?: number): void {
    const bytes = Buffer.byteLength(text);
    this.#int32(bytes + (version === undefined ? 0 : 1));
    if (version !== undefined) this.#byte(version);
    this.#reserve(bytes);
    this.#length += this.#buffer.write(text, this.#length);
  }

  /** Its decimal digits by four, from the first that is not zero to the last. */
  #numeric(value: bigint): void {
    const negative = value < 0n;
    const text = (negative ? -value : value).toString();
    const whole = Math.ceil(text.length / DIGIT_LENGTH);
    const padded = text.padStart(whole * DIGIT_LENGTH, '0');
    let digits = value === 0n ? 0 : whole;
    while (digits > 0 && padded.startsWith('0000', (digits - 1) * DIGIT_LENGTH)) digits -= 1;
    this.#int32(8 + 2 * digits);
    this.#int16(digits);
    this.#int16(value === 0n ? 0 : whole - 1);
    this.#int16(negative ? NEGATIVE : 0);
    this.#int16(0);
    for (let digit = 0; digit < digits; digit += 1)
      this.#int16(Number(padded.slice(digit * DIGIT_LENGTH, (digit + 1) * DIGIT_LENGTH)));
  }

  /** A literal of an array without nulls. */
  #integers(literal: string): void {
    if (!INTEGERS.test(literal)) throw new TypeError('a value is no array of integers');
    const numbers = literal === '{}' ? [] : literal.slice(1, -1).split(',').map(Number);
    const dimensions = numbers.length === 0 ? 0 : 1;
    this.#int32(3 * INTEGER_BYTES + dimensions * 2 * INTEGER_BYTES + numbers.length * 2 * INTEGER_BYTES);
    for (const part of [dimensions, 0, INTEGER_OID]) this.#int32(part);
    if (dimensions === 0) return;
    for (const part of [numbers.length, 1]) this.#int32(part);
    for (const number of numbers) {
      this.#int32(INTEGER_BYTES);
      this.#int32(number);
    }
  }

  #byte(value: number): void {
    this.#reserve(1);
    this.#length = this.#buffer.writeUInt8(value, this.#length);
  }

  #int16(value: number): void {
    this.#reserve(2);
    this.#length = this.#buffer.writeInt16BE(value, this.#length);
  }

  #int32(value: number): void {
    this.#reserve(INTEGER_BYTES);
    this.#length = this.#buffer.writeInt32BE(value, this.#length);
  }

  #int64(value: bigint): void {
    this.#reserve(8);
    this.#length = this.#buffer.writeBigInt64BE(value, this.#length);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, this.#length + bytes));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

/** @returns milliseconds since the epoch of Unix */
function timeOf(iso: string): number {
  const time = Date.parse(iso);
  if (Number.isNaN(time)) throw new TypeError('a value is no time');
  return time;
}

/** What a file says of itself; undefined for what is no file of binary COPY, or says nothing. */
export function aboutOf(file: Buffer): string | undefined {
  const start = SIGNATURE.length + 2 * INTEGER_BYTES;
  if (file.length < start || !file.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return undefined;
  const length = file.readInt32BE(SIGNATURE.length + INTEGER_BYTES);
  return length > 0 && start + length <= file.length
    ? file.toString('utf8', start, start + length)
    : undefined;
}
