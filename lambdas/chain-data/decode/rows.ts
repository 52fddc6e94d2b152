import type { LoadedTables } from './load-columns.ts';
import type { BlockProof, Hex, TraceGapReason } from './raw-block.ts';

/** Rows by table; `load-columns.ts` has their columns. */
export type TransactionRow = LoadedTables['transactions'];
export type WithdrawalRow = LoadedTables['withdrawals'];
export type LogRow = LoadedTables['logs'];
export type DataPieceRow = LoadedTables['data_pieces'];
export type Erc20TransferRow = LoadedTables['erc20_transfers'];
export type NftTransferRow = LoadedTables['nft_transfers'];
export type PoolRow = LoadedTables['dex_pools'];
export type SwapRow = LoadedTables['dex_swaps'];
export type LiquidityRow = LoadedTables['dex_liquidity_events'];
export type MultiplierRow = LoadedTables['stock_multipliers'];
export type TraceRow = LoadedTables['traces'];
/** Where a log is; every row that comes out of a log has it. */
export type LogSite = Pick<SwapRow, 'block_number' | 'log_index' | 'tx_index' | 'tx_hash' | 'block_time'>;

/** A URI that an ERC-1155 token announced; to be merged into table `nft_items`. */
export type TokenUri = LoadedTables['nft_uris'];

/** A swap as its log has it, before it is known which tokens the pool holds. */
export interface SwapEvent extends Omit<SwapRow, 'token_in' | 'token_out' | 'amount_in' | 'amount_out'> {
  /** The contract that logged it. */
  readonly emitter: Hex;
}

/** A liquidity event before it is known whether its emitter is a pool. */
export interface LiquidityEvent extends LiquidityRow {
  /** The contract that logged it. */
  readonly emitter: Hex;
}

/** Why the block has no traces. */
export interface TraceGap {
  readonly block_number: number;
  readonly reason: TraceGapReason;
  readonly last_error: string;
}

/** A log with the topic of a known event but not its shape. It stays a log and becomes nothing else. */
interface UndecodableLog {
  readonly block_number: number;
  readonly log_index: number;
  readonly address: Hex;
  readonly topic0: Hex;
  readonly reason: string;
}

/** What the logs of a block say, beside the rows of the logs themselves. */
export interface LogRows {
  readonly erc20_transfers: Erc20TransferRow[];
  readonly nft_transfers: NftTransferRow[];
  readonly nft_uris: TokenUri[];
  readonly dex_pools: PoolRow[];
  readonly swap_events: SwapEvent[];
  readonly liquidity_events: LiquidityEvent[];
  readonly stock_multipliers: MultiplierRow[];
  readonly undecodable_logs: UndecodableLog[];
}

/** All rows of one block. */
export interface BlockRows extends LogRows {
  readonly block: LoadedTables['blocks'];
  readonly transactions: TransactionRow[];
  readonly withdrawals: WithdrawalRow[];
  readonly logs: LogRow[];
  readonly data_pieces: DataPieceRow[];
  readonly traces: TraceRow[];
  /** Whether the source of the block tells less of it than a node does. */
  readonly is_partial?: boolean;
  /** @default all parts are as one node says */
  readonly proof?: BlockProof;
  /** Null where the traces are complete. */
  readonly trace_gap: TraceGap | null;
}
