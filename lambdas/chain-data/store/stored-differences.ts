import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { findUnlikeRows, type LoadType } from '../../shared/chain-database/load-rows.ts';
import { sql, sqlName } from '../../shared/chain-database/sql.ts';
import { LOAD_COLUMNS, valuesOf } from '../decode/load-columns.ts';
import type { BlockRows } from '../decode/rows.ts';
import { ownRows, rangeOf } from './load-blocks.ts';

/** Tables whose rows a node alone tells, without traces. */
const TOLD_TABLES = ['blocks', 'transactions', 'withdrawals', 'logs'] as const;

/** A table that has a block otherwise than it was read. */
export interface StoredDifference {
  readonly block: number;
  readonly table: (typeof TOLD_TABLES)[number];
}

/**
 * What the index has otherwise than blocks that follow each other and are stored, in their order. Further members, which releases
 * of nodes add, do not count.
 */
export async function storedDifferences(
  chain: ChainQueries,
  blocks: readonly BlockRows[],
): Promise<readonly StoredDifference[]> {
  const { from, to } = rangeOf(blocks);
  const differences: StoredDifference[] = [];
  for (const table of TOLD_TABLES) {
    const name = sqlName(table);
    const all = Object.entries<LoadType>(LOAD_COLUMNS[table]).filter(([, type]) => type !== 'jsonb');
    const columns = Object.fromEntries(all);
    const rowsOf = (block: BlockRows) => ownRows(table, block);
    const unlike = await findUnlikeRows(chain, {
      table: sql`{{schema}}.${name}`,
      columns,
      rows: valuesOf(columns, blocks.flatMap(rowsOf)),
    });
    const key = sqlName(all[0]?.[0] ?? '');
    const { rows: counted } = await chain.query(
      sql`SELECT ${key} AS block, count(*) AS stored FROM {{schema}}.${name} WHERE ${key} BETWEEN :from AND :to GROUP BY 1`,
      { from, to },
    );
    const stored = new Map(counted.map((row) => [Number(row.block), Number(row.stored)]));
    for (const block of blocks) {
      const { number } = block.block;
      if (unlike.has(String(number)) || rowsOf(block).length !== (stored.get(number) ?? 0))
        differences.push({ block: number, table });
    }
  }
  return differences.toSorted((one, other) => one.block - other.block);
}
