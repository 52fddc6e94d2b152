import type { Queries } from '../../lambdas/shared/chain-database/chain-database.ts';

/** Rows of a statement, each as one text: its values in their order, and a dash for what is absent. */
export async function linesOf(database: Queries, sql: string): Promise<string[]> {
  const { rows } = await database.query(sql);
  return rows.map((row) =>
    Object.values(row)
      .map((value) => value ?? '-')
      .join(' '),
  );
}
