import type { ChainDatabase } from '../../../lambdas/shared/chain-database/chain-database.ts';

export interface TouchedRows {
  readonly database: ChainDatabase;
  /** Rows of a schema that the transactions so far have read, by table. */
  readonly read: () => number;
}

/** A database that counts the rows which its transactions read in a schema, whatever statement or trigger does. */
export function countTouchedRows(database: ChainDatabase, schema: string): TouchedRows {
  let total = 0;
  return {
    read: () => total,
    database: {
      query: database.query,
      transaction: (work) =>
        database.transaction(async (queries) => {
          const result = await work(queries);
          const { rows } = await queries.query(
            `SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::bigint AS touched
             FROM pg_stat_xact_user_tables WHERE schemaname = :schema`,
            { schema },
          );
          total += Number(rows[0]?.touched);
          return result;
        }),
    },
  };
}
