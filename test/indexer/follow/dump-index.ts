import type { PostgresLogin } from '../../../local/database/postgres.ts';
import { superuserSession } from '../../database/superuser.ts';

/** Tables that the indexer fills, and what of them may differ between equal indexes. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  _trace_gaps: ['recorded_at'],
  blocks: [],
  coverage: ['updated_at'],
  data_pieces: [],
  dex_liquidity_events: [],
  dex_pools: [],
  dex_swaps: [],
  erc20_transfers: [],
  logs: [],
  // Contracts are asked for the URIs of items when there is time.
  nft_items: ['asked_uri', 'asked_uri_size', 'uri_attempts'],
  nft_ledger: [],
  nft_owners: [],
  nft_transfers: [],
  nft_uris: [],
  proof_levels: [],
  stock_multipliers: [],
  tokens: [],
  traces: [],
  transactions: [],
  withdrawals: [],
};

/** Every row of every table of a chain's index, as text, in an order of its own. */
export async function dumpIndex(
  login: PostgresLogin,
  chain: string,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const session = await superuserSession(login);
  const dump: Record<string, readonly string[]> = {};
  for (const [table, ignored] of Object.entries(TABLES)) {
    const { rows } = await session.query<{ row: string }>({
      name: `dump ${chain}.${table}`,
      text: `SELECT (to_jsonb(t) - $1::text[])::text AS row FROM "${chain}".${table} AS t ORDER BY 1`,
      values: [ignored],
    });
    dump[table] = rows.map(({ row }) => row);
  }
  return dump;
}
