import type { LoadType, LoadValue } from '../../shared/chain-database/load-rows.ts';

/** What every file of PostgreSQL's binary COPY begins with, and the length that means NULL, or the end of the rows. */
const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
const NONE = -1;
/** Milliseconds from the epoch of Unix to that of PostgreSQL, the beginning of the year 2000. */
const POSTGRES_EPOCH_MS = 946_684_800_000;
const MICROSECONDS = 1_000;
/** A digit of a numeric is four decimal ones. */
const DIGIT_LENGTH = 4;
const MAX_DIGITS = 256;
const NEGATIVE = 0x4000;
const JSONB_VERSION = 1;
const INTEGER_BYTES = 4;
/** Before the rows: without flags, and without an extension. */
const HEADER = Buffer.concat([SIGNATURE, Buffer.alloc(2 * INTEGER_BYTES)]);
const WORD = 2 ** 32;
/** Half as many numbers as so many bits tell apart; a safe number has fewer than 64. */
const HALVES = { 16: 2 ** 15, 32: 2 ** 31, 64: 2 ** 63 } as const;
const ZERO = 48;
const FIRST_CAPACITY = 65_536;
/** What a column takes at most besides the bytes of a text: its length, and a numeric of all digits. */
const COLUMN_ROOM = 2 * MAX_DIGITS + 16;

/** Rows of one table as a file of PostgreSQL's binary COPY. */
export class BinaryCopy {
  readonly #columns: readonly (readonly [name: string, type: LoadType])[];
  /** Digits of a numeric, from the last. */
  readonly #digits = new Uint16Array(MAX_DIGITS);
  readonly #rowRoom: number;
  #buffer = Buffer.allocUnsafe(FIRST_CAPACITY);
  #view = viewOf(this.#buffer);
  #length = HEADER.length;
  #rows = 0;

  /** @param columns by name, in the order in which they are written */
  constructor(columns: Readonly<Record<string, LoadType>>) {
    this.#columns = Object.entries(columns);
    this.#rowRoom = (this.#columns.length + 1) * COLUMN_ROOM;
    this.#buffer.set(HEADER);
  }

  /** Rows that were added. */
  get rows(): number {
    return this.#rows;
  }

  /** Bytes of these rows. */
  get bytes(): number {
    return this.#length - HEADER.length;
  }

  /** @throws TypeError for a value that is not of its column's type */
  add(row: object): void {
    const values = row as Readonly<Record<string, LoadValue>>;
    this.#reserve(0);
    this.#int16(this.#columns.length);
    for (const [name, type] of this.#columns) {
      const value = values[name] ?? null;
      if (value === null) this.#int32(NONE);
      else this.#value(type, value);
    }
    this.#rows += 1;
  }

  /** The whole file with all rows so far. It is overwritten once rows are added again. */
  file(): Buffer {
    const end = this.#length;
    this.#int16(NONE);
    this.#length = end;
    return this.#buffer.subarray(0, end + 2);
  }

  /** Takes all rows out, and keeps the room for others. */
  clear(): void {
    this.#length = HEADER.length;
    this.#rows = 0;
  }

  #value(type: LoadType, value: LoadValue) {
    switch (type) {
      case 'bytea':
        return this.#bytea(String(value));
      case 'bigint':
        this.#int32(8);
        return this.#int64(wholeOf(value, 64));
      case 'integer':
        this.#int32(INTEGER_BYTES);
        return this.#int32(Number(wholeOf(value, 32)));
      case 'smallint':
        this.#int32(2);
        return this.#int16(Number(wholeOf(value, 16)));
      case 'boolean':
        this.#int32(1);
        return this.#byte(value === true ? 1 : 0);
      case 'numeric':
        return this.#numeric(exactOf(value));
      case 'timestamptz':
        this.#int32(8);
        return this.#int64((timeOf(String(value)) - POSTGRES_EPOCH_MS) * MICROSECONDS);
      case 'jsonb':
        return this.#text(String(value), JSONB_VERSION);
      case 'text':
        return this.#text(String(value));
      default:
        throw new TypeError(`no column is of type ${type satisfies never}`);
    }
  }

  /** Its characters were compared where the block was read (`json-shape.ts`); here they are counted. */
  #bytea(hex: string): void {
    const bytes = (hex.length - 2) / 2;
    this.#int32(bytes);
    this.#reserve(bytes);
    const written = this.#buffer.write(hex.slice(2), this.#length, bytes, 'hex');
    if (written !== bytes || !hex.startsWith('0x')) throw new TypeError('a value is no hex');
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
  #numeric(value: number | bigint): void {
    const size = value < 0 ? -value : value;
    const count = size === 0 || size === 0n ? 0 : this.#split(String(size));
    let last = 0;
    while (last < count && this.#digits[last] === 0) last += 1;
    const digits = count - last;
    this.#int32(8 + 2 * digits);
    this.#int16(digits);
    this.#int16(Math.max(count - 1, 0));
    this.#int16(value < 0 ? NEGATIVE : 0);
    this.#int16(0);
    for (let digit = count - 1; digit >= last; digit -= 1) this.#int16(this.#digits[digit] ?? 0);
  }

  /** @returns how many digits there are */
  #split(text: string): number {
    if (text.length > MAX_DIGITS * DIGIT_LENGTH) throw new TypeError('a value has too many digits');
    let count = 0;
    for (let end = text.length; end > 0; end -= DIGIT_LENGTH) {
      let digit = 0;
      for (let place = Math.max(0, end - DIGIT_LENGTH); place < end; place += 1)
        digit = 10 * digit + text.charCodeAt(place) - ZERO;
      this.#digits[count] = digit;
      count += 1;
    }
    return count;
  }

  #byte(value: number): void {
    this.#buffer[this.#length] = value;
    this.#length += 1;
  }

  #int16(value: number): void {
    this.#view.setInt16(this.#length, value);
    this.#length += 2;
  }

  #int32(value: number): void {
    this.#view.setInt32(this.#length, value);
    this.#length += INTEGER_BYTES;
  }

  #int64(value: number | bigint): void {
    if (typeof value === 'bigint') this.#view.setBigInt64(this.#length, value);
    else {
      this.#view.setInt32(this.#length, Math.floor(value / WORD));
      this.#view.setUint32(this.#length + INTEGER_BYTES, value >>> 0);
    }
    this.#length += 8;
  }

  /** Makes room for bytes of a text, and for all else that a row may have behind them. */
  #reserve(bytes: number): void {
    const needed = this.#length + bytes + this.#rowRoom;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, needed));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
    this.#view = viewOf(larger);
  }
}

function viewOf(buffer: Buffer): DataView {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

/** A whole number as it is; what is no safe one, as a bigint. Throws for what is no whole number. */
function exactOf(value: LoadValue): number | bigint {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))
    ? value
    : BigInt(value ?? '');
}

/** A whole number of so many bits, with its sign. */
function wholeOf(value: LoadValue, bits: keyof typeof HALVES): number | bigint {
  const whole = exactOf(value);
  const fits =
    typeof whole === 'bigint' ? BigInt.asIntN(bits, whole) === whole : Math.abs(whole + 0.5) < HALVES[bits];
  if (!fits) throw new TypeError(`a value is no whole number of ${bits} bits`);
  return whole;
}

/** @returns milliseconds since the epoch of Unix */
function timeOf(iso: string): number {
  const time = Date.parse(iso);
  if (Number.isNaN(time)) throw new TypeError('a value is no time');
  return time;
}
