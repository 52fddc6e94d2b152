import { hexDigits } from '../../shared/chain-database/hex.ts';
import type { ParameterValue, SqlParameters } from '../../shared/chain-database/sql-parameters.ts';

const REFERENCE = /:(p\d+)/g;

/**
 * Parameters of one statement. Whatever a client sends reaches the database through these alone: each method returns
 * the SQL that stands for the value.
 */
export class Binder {
  readonly #values: Record<string, ParameterValue> = {};

  /** The values that a statement refers to: the RDS Data API takes no others. */
  parametersOf(sql: string): SqlParameters {
    const names = new Set(Array.from(sql.matchAll(REFERENCE), ([, name]) => name));
    return Object.fromEntries(Object.entries(this.#values).filter(([name]) => names.has(name)));
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
