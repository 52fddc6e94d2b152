import { hexDigits, ZERO_ADDRESS } from './hex.ts';

declare const isSql: unique symbol;

/**
 * Text of a statement on a chain, or a part of one. Only this file makes it, so a statement has nothing but text of the code:
 * values are parameters (`:name`). `{{schema}}` stands for the schema of the chain, as in the migrations.
 */
export type Sql = string & { readonly [isSql]: true };

/** Placeholder of a chain's schema. */
const SCHEMA = '{{schema}}';
const NAME = /^[a-z_][a-z0-9_.]*$/;

/** Tags the text of a statement or of a part: other parts and numbers of the code can stand in it. */
export function sql(texts: TemplateStringsArray, ...parts: readonly (Sql | number)[]): Sql {
  return String.raw({ raw: texts }, ...parts) as Sql;
}

/** Parts with a separator between them. */
export function joinSql(parts: Iterable<Sql>, between: string): Sql {
  return [...parts].join(between) as Sql;
}

/**
 * The name of a table, column or type of this code.
 * @throws Error for a name that would have to be quoted
 */
export function sqlName(name: string): Sql {
  if (!NAME.test(name)) throw new Error(`"${name}" is not a plain name`);
  return name as Sql;
}

/** A text as a literal. */
export function sqlText(text: string): Sql {
  return `'${text.replaceAll("'", "''")}'` as Sql;
}

/** Bytes as a literal of a PostgreSQL `bytea`. */
export function sqlBytes(hex: string): Sql {
  return `${sqlText(`\\x${hexDigits(hex)}`)}::bytea` as Sql;
}

/**
 * Whether a column of a table with many rows is a hash or an address. Indexes have 8 bytes of its digest; the row has it whole,
 * and is compared in words that the planner takes to be true of nearly all rows, as they are.
 */
export function sqlIndexed(column: Sql, value: Sql): Sql {
  return sql`{{schema}}.index_key(${column}) = {{schema}}.index_key(${value}) AND nullif(${column} = ${value}, false) IS NOT NULL`;
}

/** Bytes as a number without a sign; no bytes are 0. */
export function sqlUint(bytes: Sql): Sql {
  return sql`('0x0' || encode(${bytes}, 'hex'))::numeric`;
}

/** The zero address. In a transfer it is no holder: tokens are minted from it and burnt to it. */
export const ZERO_ADDRESS_SQL = sqlBytes(ZERO_ADDRESS);

/** The statement for a chain: `schema` is what `chainSchema` made of its name. */
export function onSchema(statement: Sql, schema: string): string {
  return statement.replaceAll(SCHEMA, schema);
}
