import type { DexProtocol } from '../../shared/runtime/settings.ts';
import type { Hex, TraceGapReason } from './raw-block.ts';

/** A row of table `blocks`. Members of all rows are named after their columns; times are ISO 8601. */
export interface BlockRow {
  readonly number: number;
  readonly hash: Hex;
  readonly parent_hash: Hex;
  readonly time: string;
  readonly miner: Hex;
  readonly gas_limit: bigint;
  readonly gas_used: bigint;
  readonly base_fee_per_gas: bigint | null;
  readonly state_root: Hex;
  readonly transactions_root: Hex;
  readonly receipts_root: Hex;
  readonly extra_data: Hex;
  readonly tx_count: number;
  readonly log_count: number;
  readonly size: number;
  readonly l1_block_number: number | null;
  readonly send_count: number | null;
  readonly send_root: Hex | null;
  /** JSON. */
  readonly extra: string;
  /** JSON; null where nothing was left out. */
  readonly extra_omitted: string | null;
}

/** A row of table `transactions`. */
export interface TransactionRow {
  readonly block_number: number;
  readonly tx_index: number;
  readonly hash: Hex;
  readonly block_hash: Hex;
  readonly block_time: string;
  readonly type: number;
  readonly from_address: Hex;
  readonly to_address: Hex | null;
  readonly contract_address: Hex | null;
  readonly nonce: bigint | null;
  readonly value: bigint;
  readonly gas: bigint;
  readonly gas_price: bigint | null;
  readonly max_fee_per_gas: bigint | null;
  readonly max_priority_fee_per_gas: bigint | null;
  readonly effective_gas_price: bigint | null;
  readonly gas_used: bigint;
  readonly gas_used_for_l1: bigint | null;
  readonly cumulative_gas_used: bigint;
  readonly l1_block_number: number | null;
  readonly status: 0 | 1 | null;
  readonly log_count: number;
  /** First four bytes of the input of a call; null where it is absent. */
  readonly method_id: Hex | null;
  /** The first bytes; `data_pieces` has the rest. */
  readonly input: Hex;
  /** Bytes of the whole input. */
  readonly input_size: number;
  readonly request_id: Hex | null;
  /** JSON. */
  readonly extra: string;
  readonly l1_fee: bigint | null;
  readonly operator_fee: bigint | null;
  readonly blob_gas_used: bigint | null;
  readonly blob_gas_price: bigint | null;
  /** JSON; null where the receipt says nothing further. */
  readonly receipt_extra: string | null;
  /** JSON; null where nothing was left out. */
  readonly extra_omitted: string | null;
}

/** A row of table `withdrawals`. */
export interface WithdrawalRow {
  readonly block_number: number;
  readonly place: number;
  readonly block_time: string;
  readonly withdrawal_index: bigint;
  readonly validator_index: bigint;
  readonly to_address: Hex;
  readonly amount_gwei: bigint;
}

/** Where a log is; every row that comes out of a log has it. */
export interface LogSite {
  readonly block_number: number;
  readonly log_index: number;
  readonly tx_index: number;
  readonly tx_hash: Hex;
  readonly block_time: string;
}

/** A row of table `logs`. */
export interface LogRow extends LogSite {
  readonly address: Hex;
  readonly topic0: Hex | null;
  readonly topic1: Hex | null;
  readonly topic2: Hex | null;
  readonly topic3: Hex | null;
  /** The first bytes; `data_pieces` has the rest. */
  readonly data: Hex;
  /** Bytes of the whole data. */
  readonly data_size: number;
}

/** A row of table `data_pieces`: what follows the first bytes of long data. */
export interface DataPieceRow {
  readonly block_number: number;
  readonly kind: 'tx_input' | 'log_data' | 'trace_input' | 'trace_output';
  /** The transaction's index; of a log, its log index. */
  readonly item_index: number;
  /** The trace's index in its transaction, else 0. */
  readonly part_index: number;
  /** From 1. */
  readonly piece: number;
  readonly data: Hex;
}

/** A row of table `erc20_transfers`. */
export interface Erc20TransferRow extends LogSite {
  readonly token: Hex;
  readonly from_address: Hex;
  readonly to_address: Hex;
  readonly amount: bigint;
  readonly kind: 'transfer' | 'mint' | 'burn' | 'wrap' | 'unwrap';
}

/** A row of table `nft_transfers`. */
export interface NftTransferRow extends LogSite {
  /** Place in a batch transfer, else 0. */
  readonly batch_index: number;
  readonly standard: 721 | 1155;
  readonly token: Hex;
  readonly token_id: bigint;
  readonly from_address: Hex;
  readonly to_address: Hex;
  readonly operator: Hex | null;
  readonly amount: bigint;
  readonly kind: 'transfer' | 'mint' | 'burn';
}

/** A token that moved in the block; to be merged into table `tokens`, where the highest standard stays. */
export interface SeenToken {
  readonly address: Hex;
  readonly standard: 20 | 721 | 1155;
  readonly first_seen_block: number;
  /** Rows of transfers in this block. */
  readonly transfer_count: number;
}

/** A URI that an ERC-1155 token announced; to be merged into table `nft_items`. */
export interface TokenUri extends LogSite {
  readonly token: Hex;
  readonly token_id: bigint;
  readonly token_uri: string;
}

/** A pool that was made in the block: what table `dex_pools` knows of it from then on. */
export interface PoolRow {
  /** Address of the pool; with V4 the 32 bytes of its id. */
  readonly pool_id: Hex;
  readonly protocol: DexProtocol;
  /** The contract that said so; with V4 the pool manager. */
  readonly factory: Hex;
  readonly token0: Hex;
  readonly token1: Hex;
  /** Millionths; null where the hooks decide. */
  readonly fee_pips: number | null;
  readonly dynamic_fee: boolean;
  readonly tick_spacing: number | null;
  readonly hooks: Hex | null;
  readonly created_block: number;
  readonly updated_block: number;
  readonly created_log_index: number;
  readonly created_time: string;
}

/** A row of table `dex_swaps`, before the USD value. */
export interface SwapRow extends LogSite {
  readonly protocol: DexProtocol;
  readonly pool_id: Hex;
  readonly sender: Hex;
  readonly recipient: Hex | null;
  readonly trader: Hex;
  readonly trader_kind: 'tx_from' | 'userop_sender';
  readonly token_in: Hex;
  readonly token_out: Hex;
  readonly amount_in: bigint;
  readonly amount_out: bigint;
  /** What the pool's balance changed by: positive went into it. */
  readonly amount0: bigint;
  readonly amount1: bigint;
  readonly fee_pips: number | null;
  readonly sqrt_price_x96: bigint | null;
  readonly tick: number | null;
  readonly liquidity: bigint | null;
}

/** A swap as its log has it, before it is known which tokens the pool holds. */
export interface SwapEvent extends Omit<SwapRow, 'token_in' | 'token_out' | 'amount_in' | 'amount_out'> {
  /** The contract that logged it. */
  readonly emitter: Hex;
}

/** A row of table `dex_liquidity_events`. Amounts are as logged; of `sync` they are the reserves. */
export interface LiquidityRow extends LogSite {
  readonly protocol: DexProtocol;
  readonly pool_id: Hex;
  readonly kind: 'initialize' | 'sync' | 'mint' | 'burn' | 'collect' | 'modify' | 'donate';
  readonly owner: Hex | null;
  readonly tick_lower: number | null;
  readonly tick_upper: number | null;
  /** Negative where liquidity is taken out. */
  readonly liquidity_delta: bigint | null;
  readonly amount0: bigint | null;
  readonly amount1: bigint | null;
  readonly sqrt_price_x96: bigint | null;
}

/** A liquidity event before it is known whether its emitter is a pool. */
export interface LiquidityEvent extends LiquidityRow {
  /** The contract that logged it. */
  readonly emitter: Hex;
}

/** A row of table `stock_multipliers`, without `superseded`. */
export interface MultiplierRow {
  readonly token: Hex;
  readonly block_number: number;
  readonly log_index: number;
  readonly tx_hash: Hex;
  readonly block_time: string;
  /** 18 decimals. */
  readonly old_multiplier: bigint;
  readonly new_multiplier: bigint;
  readonly set_at: string;
  readonly effective_at: string;
}

/** A row of table `traces`. */
export interface TraceRow {
  readonly block_number: number;
  readonly tx_index: number;
  /** Place in the transaction, depth first from 0. */
  readonly trace_index: number;
  readonly tx_hash: Hex;
  readonly block_time: string;
  /** The places of the call and of its parents among their siblings, from the top, with commas between; empty at the top. */
  readonly trace_address: string;
  readonly type: string;
  readonly from_address: Hex;
  readonly to_address: Hex | null;
  readonly value: bigint;
  readonly gas: bigint;
  readonly gas_used: bigint;
  readonly method_id: Hex | null;
  readonly input: Hex;
  readonly input_size: number;
  readonly output: Hex;
  readonly output_size: number;
  /** Its own error, or else that of the nearest parent that failed. */
  readonly error: string | null;
  readonly revert_reason: string | null;
  readonly subcalls: number;
  readonly reverted_by_parent: boolean;
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
  readonly token_uris: TokenUri[];
  readonly dex_pools: PoolRow[];
  readonly swap_events: SwapEvent[];
  readonly liquidity_events: LiquidityEvent[];
  readonly stock_multipliers: MultiplierRow[];
  readonly undecodable_logs: UndecodableLog[];
}

/** All rows of one block. */
export interface BlockRows extends LogRows {
  readonly block: BlockRow;
  readonly transactions: TransactionRow[];
  readonly withdrawals: WithdrawalRow[];
  readonly logs: LogRow[];
  readonly data_pieces: DataPieceRow[];
  readonly tokens: SeenToken[];
  readonly traces: TraceRow[];
  /** Whether the source of the block tells less of it than a node does. */
  readonly is_partial?: boolean;
  /** Null where the traces are complete. */
  readonly trace_gap: TraceGap | null;
}
