import type { ChainQueries } from './chain-queries.ts';
import type { DatabaseRow } from './decode-row.ts';
import { type Sql, sql } from './sql.ts';
import type { SqlParameters } from './sql-parameters.ts';

/** Rows of some columns that one answer of the RDS Data API has room for. */
const ROWS_PER_PAGE = 1_000;

interface PagedRead {
  /** Further parameters of the statement. @default none */
  readonly parameters?: SqlParameters;
  /** Values before all rows, of the columns that the statement orders by. */
  readonly start: Readonly<Record<string, string | number>>;
  /** @default as many as one answer has room for */
  readonly pageRows?: number;
}

/**
 * Reads the rows of a statement in pages.
 * @param statement ends with its order, and selects what comes after the parameters that have the names of the columns of `start`
 */
export async function* readPages(
  chain: ChainQueries,
  statement: Sql,
  { parameters, start, pageRows = ROWS_PER_PAGE }: PagedRead,
): AsyncGenerator<readonly DatabaseRow[], void> {
  for (let after = start; ; ) {
    const named = { ...parameters, ...after };
    const { rows } = await chain.query(sql`${statement} LIMIT ${pageRows}`, named);
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageRows) return;
    after = Object.fromEntries(
      Object.entries(start).map(([name, value]) => [
        name,
        typeof value === 'number' ? Number(last[name]) : String(last[name]),
      ]),
    );
  }
}
