import type { ChainDatabase } from '../../lambdas/shared/chain-database/chain-database.ts';
import type { ChainSchema } from '../../lambdas/shared/chain-database/chain-schema.ts';

/** What is derived, and the columns in which equal derivations may differ. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  token_prices: [],
  dex_pool_states: [],
  dex_pool_ticks: [],
  // Beside the value, it is the indexer's.
  dex_pools: ['reserve0', 'reserve1', 'sqrt_price_x96', 'tick', 'liquidity', 'updated_block'],
  dex_swaps: ['tx_hash'],
  candles: [],
  stock_daily: ['refreshed_at'],
  stock_oracle_prices: [],
  stock_holdings: [],
  stock_ledgers: [],
  coverage: ['updated_at'],
};

/** Every row of every table that is derived, as text, in an order of its own. */
export async function dumpDerived(
  database: ChainDatabase,
  schema: ChainSchema,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const dump: Record<string, readonly string[]> = {};
  for (const [table, ignored] of Object.entries(TABLES)) {
    const rows: string[] = [];
    for (;;) {
      const page = await database.query(
        `SELECT (to_jsonb(t) - :ignored::text::text[])::text AS row FROM ${schema}.${table} AS t
         ORDER BY 1 LIMIT 500 OFFSET :offset`,
        { ignored: `{${ignored.join(',')}}`, offset: rows.length },
      );
      rows.push(...page.rows.map(({ row }) => String(row)));
      if (page.rows.length < 500) break;
    }
    dump[table] = rows;
  }
  return dump;
}
