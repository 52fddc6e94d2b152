import type { BlockRows } from '../../../lambdas/chain-data/decode/rows.ts';
import { PLANNED_TABLES, type PlannedTable } from './row-sizes.ts';

/** Properties of a chain's blocks: means over a sample. */
export interface ChainSample {
  /** Blocks that were read. */
  readonly blocks: number;
  /** Rows a block. */
  readonly rows: Readonly<Record<PlannedTable, number>>;
  /** Bytes of inputs, outputs and logs' data a block. */
  readonly dataBytes: number;
  /** Calls that the node was sent a block. */
  readonly nodeCalls: number;
  /** Time that one reader took a block, in milliseconds. */
  readonly readMs: number;
  /** Whether the blocks came with the calls within their transactions. */
  readonly traced: boolean;
  /** Standard error of the mean of rows a block, as a share of it. */
  readonly standardError: number;
}

/** Rows that a block will be stored as, by table, and the bytes of its long data. */
export interface BlockSize {
  readonly rows: Readonly<Record<PlannedTable, number>>;
  readonly dataBytes: number;
}

/** How large a block will be in the database. Events of what may be a pool count as if it were one. */
export function sizeOfBlock(decoded: BlockRows): BlockSize {
  const { transactions, withdrawals, logs, erc20_transfers, nft_transfers, traces } = decoded;
  const data = [
    ...transactions.map(({ input_size }) => input_size),
    ...logs.map(({ data_size }) => data_size),
    ...traces.map(({ input_size, output_size }) => input_size + output_size),
  ];
  return {
    rows: {
      blocks: 1,
      transactions: transactions.length,
      withdrawals: withdrawals.length,
      logs: logs.length,
      erc20_transfers: erc20_transfers.length,
      nft_transfers: nft_transfers.length,
      dex_swaps: decoded.swap_events.length,
      dex_liquidity_events: decoded.liquidity_events.length,
      traces: traces.length,
    },
    dataBytes: sum(data),
  };
}

/** Rows of a block in all tables. */
export function allRows(rows: Readonly<Record<PlannedTable, number>>): number {
  return sum(PLANNED_TABLES.map((table) => rows[table]));
}

/** Means of blocks from all over a range; at least one. */
export function meanSize(sizes: readonly BlockSize[]): BlockSize & Pick<ChainSample, 'standardError'> {
  const mean = (of: (size: BlockSize) => number) => sum(sizes.map(of)) / sizes.length;
  const rows = Object.fromEntries(
    PLANNED_TABLES.map((table) => [table, mean((size) => size.rows[table])]),
  ) as Record<PlannedTable, number>;
  const average = mean((size) => allRows(size.rows));
  const variance = mean((size) => (allRows(size.rows) - average) ** 2);
  return {
    rows,
    dataBytes: mean(({ dataBytes }) => dataBytes),
    standardError: Math.sqrt(variance / sizes.length) / average,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
