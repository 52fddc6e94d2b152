import { hexDigits } from '../../shared/chain-database/hex.ts';
import type { ParameterValue, SqlParameters } from '../../shared/chain-database/sql-parameters.ts';

const REFERENCE = /:(p\d+)/g;

/** Where a transaction is. */
export interface TransactionPlace {
  readonly block: number;
  readonly index: number;
}

/** What an address has of the native coin, as a node says. */
export interface NativeBalance {
  /** Decimal digits, in the smallest unit. */
  readonly amount: string;
  readonly block: number;
}

/** No block and no transaction has this number. */
const NOWHERE = -1;

/**
 * Parameters of one statement. Whatever a client sends reaches the database through these alone: each method returns
 * the SQL that stands for the value.
 */
export class Binder {
  readonly #values: Record<string, ParameterValue> = {};
  /** SQL of the places of transactions, by their hashes. */
  readonly #places = new Map<string, Readonly<Record<keyof TransactionPlace, string>>>();

  /** SQL of what an address has of the native coin. */
  #native: Readonly<Record<keyof NativeBalance, string>> | undefined;

  /** The transactions whose places have to be found before the statement is run, in lower case. */
  get hashes(): readonly string[] {
    return [...this.#places.keys()];
  }

  /**
   * The values that a statement refers to: the RDS Data API takes no others.
   * @param found places by hash, as far as known
   * @param native what an address has of the native coin, if a node says
   */
  parametersOf(
    sql: string,
    found: ReadonlyMap<string, TransactionPlace> = new Map(),
    native?: NativeBalance,
  ): SqlParameters {
    const values = { ...this.#values };
    if (this.#native !== undefined && native !== undefined) {
      values[this.#native.amount.slice(1)] = native.amount;
      values[this.#native.block.slice(1)] = native.block;
    }
    for (const [hash, { block, index }] of this.#places) {
      values[block.slice(1)] = found.get(hash)?.block ?? NOWHERE;
      values[index.slice(1)] = found.get(hash)?.index ?? NOWHERE;
    }
    const names = new Set(Array.from(sql.matchAll(REFERENCE), ([, name]) => name));
    return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
  }

  /** SQL of the numbers of a transaction's block, and of itself in it, which are found before the statement is run. */
  place(hash: string): Readonly<Record<keyof TransactionPlace, string>> {
    const key = hash.toLowerCase();
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const place = { block: this.#bind(NOWHERE), index: this.#bind(NOWHERE) };
    this.#places.set(key, place);
    return place;
  }

  /** SQL of what an address has of the native coin, which is asked before the statement is run; null where no node says. */
  native(): Readonly<Record<keyof NativeBalance, string>> {
    this.#native ??= { amount: this.#bind(''), block: this.#bind(NOWHERE) };
    const { amount, block } = this.#native;
    return { amount: `nullif(${amount}, '')::numeric`, block: `nullif(${block}, ${NOWHERE})::bigint` };
  }

  /** A height or another whole number up to 2^53: a `bigint`. */
  integer(value: number): string {
    return this.#bind(value);
  }

  text(value: string): string {
    return this.#bind(value);
  }

  /** Hex digits with a leading 0x: a `bytea`. */
  bytes(value: string): string {
    return `decode(${this.#bind(hexDigits(value))}, 'hex')`;
  }

  /** Decimal digits: a `numeric`. */
  decimal(value: string): string {
    return `(${this.#bind(value)})::numeric`;
  }

  /** ISO 8601: a `timestamptz`. */
  time(value: string): string {
    return `(${this.#bind(value)})::timestamptz`;
  }

  /** `YYYY-MM-DD`: a `date`. */
  day(value: string): string {
    return `(${this.#bind(value)})::date`;
  }

  #bind(value: ParameterValue): string {
    const name = `p${Object.keys(this.#values).length}`;
    this.#values[name] = value;
    return `:${name}`;
  }
}
