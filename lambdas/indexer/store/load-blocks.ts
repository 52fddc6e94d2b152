import type { Queries } from '../../chain-data/chain-database.ts';
import { type LoadType, type LoadValue, loadRows } from '../../chain-data/load-rows.ts';
import { LOAD_COLUMNS, type LoadedTables } from '../decode/load-columns.ts';
import { poolStates } from '../decode/pool-states.ts';
import { type DexRows, resolvePools } from '../decode/resolve-pools.ts';
import type { BlockRows } from '../decode/rows.ts';
import type { BlockRange } from './block-range.ts';
import { lockCoverage } from './coverage.ts';
import { markSuperseded, seedMultipliers } from './multipliers.ts';
import { rebuildNftOwners } from './nft-ownership.ts';
import { findPools, mergePoolStates } from './pools.ts';
import { mergeNftItems, mergeTokens } from './tokens.ts';

/** The rows of each table that is loaded as it is. */
type TableRows = { readonly [Table in keyof LoadedTables]: readonly LoadedTables[Table][] };

/** Stores all rows of blocks that follow each other, within a transaction that notes their coverage last. */
export async function loadBlocks(
  queries: Queries,
  schema: string,
  blocks: readonly BlockRows[],
): Promise<void> {
  const tables = await tableRows(queries, schema, blocks);
  for (const table of Object.keys(LOAD_COLUMNS) as (keyof LoadedTables)[])
    await loadTable(queries, schema, table, tables[table]);
  await mergePoolStates(queries, schema, poolStates(tables));
  const range = rangeOf(blocks);
  if (tables.nft_transfers.length > 0) {
    await mergeNftItems(
      queries,
      schema,
      range,
      blocks.flatMap(({ token_uris }) => token_uris),
    );
    await rebuildNftOwners(queries, schema, range);
  }
  // Rows of popular tokens are wanted by everybody who stores blocks: they are held as briefly as possible.
  await mergeTokens(
    queries,
    schema,
    blocks.flatMap(({ tokens }) => tokens),
  );
  if (tables.stock_multipliers.length > 0) {
    // What is announced right below or above may be on its way as well.
    await lockCoverage(queries, schema);
    await markSuperseded(queries, schema, range);
    await seedMultipliers(queries, schema);
  }
}

/** Stores the traces of blocks that are stored already. */
export async function loadTraces(
  queries: Queries,
  schema: string,
  blocks: readonly BlockRows[],
): Promise<void> {
  const pieces = blocks.flatMap(({ data_pieces }) => data_pieces);
  await loadTable(queries, schema, 'data_pieces', pieces);
  await loadTable(
    queries,
    schema,
    'traces',
    blocks.flatMap(({ traces }) => traces),
  );
}

/** The range of blocks that follow each other; at least one. */
export function rangeOf(blocks: readonly BlockRows[]): BlockRange {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (first === undefined || last === undefined) throw new Error('no blocks to store');
  return { from: first.block.number, to: last.block.number };
}

async function tableRows(queries: Queries, schema: string, blocks: readonly BlockRows[]): Promise<TableRows> {
  return {
    blocks: blocks.map(({ block }) => block),
    transactions: blocks.flatMap(({ transactions }) => transactions),
    transaction_hashes: blocks.flatMap(({ transaction_hashes }) => transaction_hashes),
    logs: blocks.flatMap(({ logs }) => logs),
    data_pieces: blocks.flatMap(({ data_pieces }) => data_pieces),
    erc20_transfers: blocks.flatMap(({ erc20_transfers }) => erc20_transfers),
    nft_transfers: blocks.flatMap(({ nft_transfers }) => nft_transfers),
    dex_pools: blocks.flatMap(({ dex_pools }) => dex_pools),
    ...(await resolveEvents(queries, schema, blocks)),
    stock_multipliers: blocks.flatMap(({ stock_multipliers }) => stock_multipliers),
    traces: blocks.flatMap(({ traces }) => traces),
  };
}

/** The events of pools that are stored or made in these blocks. */
export async function resolveEvents(
  queries: Queries,
  schema: string,
  blocks: readonly BlockRows[],
): Promise<DexRows> {
  const swap_events = blocks.flatMap((rows) => rows.swap_events);
  const liquidity_events = blocks.flatMap((rows) => rows.liquidity_events);
  const named = new Set([...swap_events, ...liquidity_events].map(({ pool_id }) => pool_id));
  const pools = await findPools(queries, schema, [...named]);
  for (const pool of blocks.flatMap(({ dex_pools }) => dex_pools))
    if (!pools.has(pool.pool_id)) pools.set(pool.pool_id, pool);
  return resolvePools({ swap_events, liquidity_events }, (id) => pools.get(id));
}

export async function loadTable<Table extends keyof LoadedTables>(
  queries: Queries,
  schema: string,
  table: Table,
  tableRows: readonly LoadedTables[Table][],
): Promise<void> {
  const columns: Readonly<Record<string, LoadType>> = {
    ...LOAD_COLUMNS[table],
    ...(table === 'dex_pools' && { updated_block: 'bigint' }),
  };
  const names = Object.keys(LOAD_COLUMNS[table]);
  const rows = tableRows.map((row) => {
    const values = row as unknown as Readonly<Record<string, LoadValue>>;
    const loaded = names.map((name) => values[name] ?? null);
    return table === 'dex_pools' ? [...loaded, values.created_block ?? null] : loaded;
  });
  await loadRows(queries, { table: `${schema}.${table}`, columns, rows });
}
