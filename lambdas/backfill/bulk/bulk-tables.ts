import { LOAD_COLUMNS } from '../../chain-data/decode/load-columns.ts';
import type { BlockRows } from '../../chain-data/decode/rows.ts';
import { OWN_TABLES, ownRows } from '../../chain-data/store/load-blocks.ts';
import type { LoadType } from '../../shared/chain-database/load-rows.ts';

/** A table that files of the bulk path are imported into, one file each. */
interface BulkTable {
  /** The table of the chain whose partition it becomes, or the staged rows that others are derived from. */
  readonly name: string;
  readonly columns: Readonly<Record<string, LoadType>>;
  readonly rows: (block: BlockRows) => readonly object[];
}

const { token_in, token_out, amount_in, amount_out, ...SWAP_EVENT } = LOAD_COLUMNS.dex_swaps;

/**
 * All that a block is written as. The names of tables and the columns are those that the other path loads; a table that is
 * staged, made beside the partition and dropped with it, begins with `staged_`.
 */
export const BULK_TABLES: readonly BulkTable[] = [
  ...OWN_TABLES.filter((name) => name !== 'stock_multipliers').map(plain),
  { name: 'staged_pools', columns: LOAD_COLUMNS.dex_pools, rows: ({ dex_pools }) => dex_pools },
  {
    name: 'staged_swaps',
    columns: { ...SWAP_EVENT, emitter: 'bytea' },
    rows: ({ swap_events }) => swap_events,
  },
  {
    name: 'staged_liquidity',
    columns: { ...LOAD_COLUMNS.dex_liquidity_events, emitter: 'bytea' },
    rows: ({ liquidity_events }) => liquidity_events,
  },
  { ...plain('stock_multipliers'), name: 'staged_multipliers' },
  {
    name: 'staged_gaps',
    columns: { block_number: 'bigint', reason: 'text', last_error: 'text' },
    rows: ({ trace_gap }) => (trace_gap === null ? [] : [trace_gap]),
  },
];

function plain(name: (typeof OWN_TABLES)[number]): BulkTable {
  return { name, columns: LOAD_COLUMNS[name], rows: (block) => ownRows(name, block) };
}
