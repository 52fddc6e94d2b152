import type { QueryResult } from './chain-database.ts';
import type { ChainQueries } from './chain-queries.ts';
import { byteLength, hexDigits } from './hex.ts';
import { joinSql, type Sql, sql, sqlName } from './sql.ts';
import type { SqlParameters } from './sql-parameters.ts';

/** Rows of one statement at most: beyond it a larger statement is not faster. */
const MAX_ROWS_PER_STATEMENT = 5_000;
/** Bytes of one statement's values at most; the RDS Data API takes 4 MiB with the JSON around them. */
const MAX_BYTES_PER_STATEMENT = 2 * 1024 * 1024;

const HEX = /^0x[0-9a-f]*$/i;
const NUMBER = /^-?\d+(\.\d+)?$/;

/** Types of the columns that can be loaded; values of `bytea` are `0x`-prefixed hex. */
export type LoadType =
  | 'bigint'
  | 'boolean'
  | 'bytea'
  | 'integer'
  | 'jsonb'
  | 'numeric'
  | 'smallint'
  | 'text'
  | 'timestamptz';

/** Types whose values may hold what an array literal gives a meaning to. */
const QUOTED: ReadonlySet<LoadType> = new Set(['jsonb', 'text', 'timestamptz']);

export type LoadValue = string | number | bigint | boolean | null;

/** Rows that a statement works on. */
interface GivenRows {
  /** Types of the columns by name. */
  readonly columns: Readonly<Record<string, LoadType>>;
  /** One value for each column, in the order of `columns`. No text may hold U+0000, which PostgreSQL refuses. */
  readonly rows: readonly (readonly LoadValue[])[];
  /** Further parameters of the statement. @default none */
  readonly parameters?: SqlParameters;
}

interface RowLoad extends GivenRows {
  readonly table: Sql;
  /** @default rows whose key is there already are left out */
  readonly onConflict?: Sql;
}

/**
 * Runs a statement on many rows, with few requests: one text parameter for each column, which PostgreSQL unfolds. What must
 * happen as a whole needs a transaction.
 * @param statementOf makes the statement of the SQL that selects the rows, in their order and by the names of their columns
 * @throws {DatabaseError} or one of its kinds
 */
export async function runOnRows(
  chain: ChainQueries,
  { columns, rows, parameters }: GivenRows,
  statementOf: (rows: Sql) => Sql,
): Promise<QueryResult[]> {
  const typed = Object.entries(columns);
  const statement = statementOf(unfolded(typed));
  const results: QueryResult[] = [];
  for (const literals of batches(rows, typed)) {
    const arrays = literals.map((elements, index) => [`c${index}`, `{${elements.join(',')}}`]);
    results.push(await chain.query(statement, { ...parameters, ...Object.fromEntries(arrays) }));
  }
  return results;
}

/**
 * Inserts many rows as {@link runOnRows} does.
 * @returns how many rows were inserted or changed
 */
export async function loadRows(
  chain: ChainQueries,
  { table, onConflict = sql`DO NOTHING`, ...given }: RowLoad,
): Promise<number> {
  const names = joinSql(Object.keys(given.columns).map(sqlName), ', ');
  const results = await runOnRows(
    chain,
    given,
    (rows) => sql`INSERT INTO ${table} (${names}) ${rows} ON CONFLICT ${onConflict}`,
  );
  return results.reduce((sum, { updated }) => sum + updated, 0);
}

/**
 * Values of the first column of rows to which a table has no equal row.
 * @throws {DatabaseError} or one of its kinds
 */
export async function findUnlikeRows(
  chain: ChainQueries,
  { table, ...load }: Omit<RowLoad, 'onConflict'>,
): Promise<ReadonlySet<string>> {
  const names = Object.keys(load.columns).map(sqlName);
  const key = names[0] as Sql;
  const of = (row: Sql) =>
    joinSql(
      names.map((name) => sql`${row}.${name}`),
      ', ',
    );
  const results = await runOnRows(
    chain,
    load,
    (rows) => sql`SELECT DISTINCT given.${key} AS key FROM (${rows}) AS given
    WHERE NOT EXISTS (SELECT FROM ${table} AS stored WHERE stored.${key} = given.${key}
      AND ROW(${of(sql`stored`)}) IS NOT DISTINCT FROM ROW(${of(sql`given`)}))`,
  );
  return new Set(results.flatMap(({ rows }) => rows.map((row) => String(row.key))));
}

/** The rows of the parameters, in the order of the columns and by their names. */
function unfolded(columns: readonly [string, LoadType][]): Sql {
  const values = columns.map(([name, type], index) => {
    const value = type === 'bytea' ? sql`decode(c${index}, 'hex')` : sql`c${index}`;
    return sql`${value} AS ${sqlName(name)}`;
  });
  // An array of bytea takes longer to read than one of text.
  const arrays = columns.map(
    ([, type], index) => sql`:c${index}::text::${sqlName(type === 'bytea' ? 'text' : type)}[]`,
  );
  const aliases = columns.map((_, index) => sql`c${index}`);
  return sql`SELECT ${joinSql(values, ', ')}
    FROM unnest(${joinSql(arrays, ', ')}) AS loaded (${joinSql(aliases, ', ')})`;
}

/** The rows as elements of array literals, by column; one item for each statement. */
function* batches(
  rows: GivenRows['rows'],
  columns: readonly [string, LoadType][],
): Generator<readonly string[][], void> {
  let batch: string[][] = columns.map(() => []);
  let count = 0;
  let bytes = 0;
  for (const row of rows) {
    const elements = columns.map(([, type], index) => element(type, row[index] ?? null));
    const size = elements.reduce((sum, text) => sum + sizeOf(text) + 1, 0);
    if (count === MAX_ROWS_PER_STATEMENT || (count > 0 && bytes + size > MAX_BYTES_PER_STATEMENT)) {
      yield batch;
      batch = columns.map(() => []);
      count = 0;
      bytes = 0;
    }
    for (const [index, text] of elements.entries()) batch[index]?.push(text);
    count += 1;
    bytes += size;
  }
  if (count > 0) yield batch;
}

/** Bytes of an element in a request: only quoted ones hold what JSON escapes or UTF-8 spells in several bytes. */
function sizeOf(text: string): number {
  return text.startsWith('"') ? Buffer.byteLength(JSON.stringify(text)) : text.length;
}

/**
 * One element of an array literal. What is no text needs no quotes, which JSON would have to escape, and so must not
 * hold anything that an array literal gives a meaning to.
 */
function element(type: LoadType, value: LoadValue): string {
  if (value === null) return 'NULL';
  const text = String(value);
  if (QUOTED.has(type)) return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
  if (type === 'boolean' ? typeof value === 'boolean' : (type === 'bytea' ? HEX : NUMBER).test(text)) {
    if (type !== 'bytea') return text;
    return byteLength(text) === 0 ? '""' : hexDigits(text);
  }
  throw new TypeError(`a value to load is not of type ${type}`);
}
