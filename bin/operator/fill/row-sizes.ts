/** Size of a row in the chain database. */
interface RowSize {
  /** Bytes in the table, without long data. */
  readonly bytes: number;
  readonly indexBytes: number;
}

/**
 * The tables that grow with a chain. Measured with PostgreSQL 17 over 760,000 rows of blocks with random hashes and
 * skewed addresses; `test/operator/fill` measures again. An NFT transfer has its item and its owner with it.
 */
export const ROW_SIZES = {
  blocks: { bytes: 369, indexBytes: 205 },
  transactions: { bytes: 236, indexBytes: 150 },
  withdrawals: { bytes: 98, indexBytes: 116 },
  logs: { bytes: 211, indexBytes: 97 },
  erc20_transfers: { bytes: 175, indexBytes: 144 },
  nft_transfers: { bytes: 402, indexBytes: 914 },
  dex_swaps: { bytes: 375, indexBytes: 420 },
  dex_liquidity_events: { bytes: 375, indexBytes: 420 },
  traces: { bytes: 181, indexBytes: 110 },
} as const satisfies Readonly<Record<string, RowSize>>;

/** A table that grows with a chain. */
export type PlannedTable = keyof typeof ROW_SIZES;

export const PLANNED_TABLES = Object.keys(ROW_SIZES) as readonly PlannedTable[];
