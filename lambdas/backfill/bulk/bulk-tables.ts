import { LOAD_COLUMNS, URI_COLUMNS } from '../../chain-data/decode/load-columns.ts';
import type { BlockRows } from '../../chain-data/decode/rows.ts';
import type { LoadType, LoadValue } from '../../shared/chain-database/load-rows.ts';

/** A table that files of the bulk path are imported into, one file each. */
export interface BulkTable {
  /** The table of the chain whose partition it becomes, or the staged rows that others are derived from. */
  readonly name: string;
  readonly columns: Readonly<Record<string, LoadType>>;
  readonly rows: (block: BlockRows) => readonly object[];
}

const { token_in, token_out, amount_in, amount_out, ...SWAP_EVENT } = LOAD_COLUMNS.dex_swaps;
const EMITTER = { emitter: 'bytea' } as const;

/**
 * All that a block is written as. The names of tables and the columns are those that the other path loads; a table that is
 * staged, made beside the partition and dropped with it, begins with `staged_`.
 */
export const BULK_TABLES: readonly BulkTable[] = [
  plain('blocks', ({ block }) => [block]),
  plain('transactions', ({ transactions }) => transactions),
  plain('withdrawals', ({ withdrawals }) => withdrawals),
  plain('logs', ({ logs }) => logs),
  plain('data_pieces', ({ data_pieces }) => data_pieces),
  plain('erc20_transfers', ({ erc20_transfers }) => erc20_transfers),
  plain('nft_transfers', ({ nft_transfers }) => nft_transfers),
  { name: 'nft_uris', columns: URI_COLUMNS, rows: ({ token_uris }) => token_uris },
  plain('traces', ({ traces }) => traces),
  staged('staged_pools', LOAD_COLUMNS.dex_pools, ({ dex_pools }) => dex_pools),
  staged('staged_swaps', { ...SWAP_EVENT, ...EMITTER }, ({ swap_events }) => swap_events),
  staged(
    'staged_liquidity',
    { ...LOAD_COLUMNS.dex_liquidity_events, ...EMITTER },
    ({ liquidity_events }) => liquidity_events,
  ),
  staged('staged_multipliers', LOAD_COLUMNS.stock_multipliers, (block) => block.stock_multipliers),
  staged('staged_gaps', { block_number: 'bigint', reason: 'text', last_error: 'text' }, ({ trace_gap }) =>
    trace_gap === null ? [] : [trace_gap],
  ),
];

function plain(name: keyof typeof LOAD_COLUMNS, rows: BulkTable['rows']): BulkTable {
  return { name, columns: LOAD_COLUMNS[name], rows };
}

function staged(name: string, columns: BulkTable['columns'], rows: BulkTable['rows']): BulkTable {
  return { name, columns, rows };
}

/** A row as values of columns. */
export function valuesOf(row: object): Readonly<Record<string, LoadValue>> {
  return row as Readonly<Record<string, LoadValue>>;
}
