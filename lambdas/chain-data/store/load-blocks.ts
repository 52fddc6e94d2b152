import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { loadRows } from '../../shared/chain-database/load-rows.ts';
import { sql, sqlName } from '../../shared/chain-database/sql.ts';
import { LOAD_COLUMNS, type LoadedTables, valuesOf } from '../decode/load-columns.ts';
import type { Hex } from '../decode/raw-block.ts';
import { type KnownPool, resolvePools } from '../decode/resolve-pools.ts';
import type { BlockRows, PoolRow } from '../decode/rows.ts';
import type { BlockRange } from './block-range.ts';
import { OvertakenError } from './cursor.ts';
import { requireSettled, settleClaims } from './pool-claims.ts';
import { findPools } from './pools.ts';
import { addUp } from './sums.ts';

/** The rows of each table that is loaded as it is. */
type TableRows = { readonly [Table in keyof LoadedTables]: readonly LoadedTables[Table][] };
type OwnTable = (typeof OWN_TABLES)[number];

/** Tables whose rows follow from a block alone, for both loaders: COPY of whole partitions, and `insertRows` for all else. */
export const OWN_TABLES = [
  'blocks',
  'transactions',
  'withdrawals',
  'logs',
  'data_pieces',
  'erc20_transfers',
  'nft_transfers',
  'nft_uris',
  'stock_multipliers',
  'traces',
] as const satisfies readonly (keyof LoadedTables)[];

/** The rows of a block in such a table. */
export function ownRows(table: OwnTable, block: BlockRows): readonly object[] {
  return table === 'blocks' ? [block.block] : block[table];
}

/** Stores all rows of blocks that follow each other, within a transaction that notes their coverage last. */
export async function loadBlocks(chain: ChainQueries, blocks: readonly BlockRows[]): Promise<void> {
  const made = await settleClaims(
    chain,
    blocks.flatMap(({ dex_pools }) => dex_pools),
  );
  const events = await resolveEvents(chain, blocks, made);
  const tables: TableRows = { ...tableRows(blocks), dex_pools: made, ...events.rows };
  for (const table of Object.keys(LOAD_COLUMNS) as (keyof LoadedTables)[]) {
    if (table === 'dex_pools') await insertPools(chain, made);
    else await insertRows(chain, table, tables[table]);
  }
  await addUp(chain, rangeOf(blocks), (table) => tables[table].length > 0);
  await requireSettled(chain, events.pools);
}

/** Stores the traces of blocks that are stored already. */
export async function loadTraces(chain: ChainQueries, blocks: readonly BlockRows[]): Promise<void> {
  for (const table of ['data_pieces', 'traces'] as const)
    await insertRows(
      chain,
      table,
      blocks.flatMap((block) => [...block[table]]),
    );
}

/**
 * Stores pools whose claims are settled.
 * @throws {OvertakenError} if others have claimed one meanwhile
 */
export async function insertPools(chain: ChainQueries, made: readonly PoolRow[]): Promise<void> {
  if ((await insertRows(chain, 'dex_pools', made)) < made.length)
    throw new OvertakenError('others have claimed a pool meanwhile');
}

/** The range of blocks that follow each other; at least one. */
export function rangeOf(blocks: readonly BlockRows[]): BlockRange {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (first === undefined || last === undefined) throw new Error('no blocks to store');
  return { from: first.block.number, to: last.block.number };
}

function tableRows(blocks: readonly BlockRows[]) {
  const tables = OWN_TABLES.map((table) => [table, blocks.flatMap((block) => ownRows(table, block))]);
  return Object.fromEntries(tables) as Pick<TableRows, OwnTable>;
}

/** The events of pools that are stored, or made in these blocks, and these pools. */
export async function resolveEvents(
  chain: ChainQueries,
  blocks: readonly BlockRows[],
  made: readonly PoolRow[],
) {
  const swap_events = blocks.flatMap((rows) => rows.swap_events);
  const liquidity_events = blocks.flatMap((rows) => rows.liquidity_events);
  const named = new Set([...swap_events, ...liquidity_events].map(({ pool_id }) => pool_id));
  const pools = new Map<Hex, KnownPool>(await findPools(chain, [...named]));
  for (const pool of made) if (named.has(pool.pool_id)) pools.set(pool.pool_id, pool);
  return { rows: resolvePools({ swap_events, liquidity_events }, (id) => pools.get(id)), pools };
}

/**
 * Inserts rows of a table: the way of all that is not a whole partition.
 * @returns how many rows were not there before
 */
export async function insertRows<Table extends keyof LoadedTables>(
  chain: ChainQueries,
  table: Table,
  tableRows: readonly LoadedTables[Table][],
): Promise<number> {
  const columns = LOAD_COLUMNS[table];
  const rows = valuesOf(columns, tableRows);
  return loadRows(chain, { table: sql`{{schema}}.${sqlName(table)}`, columns, rows });
}
