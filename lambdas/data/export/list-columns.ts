// Made from api/data-api.yaml by `npm run generate`: change that, and run this again.
import type { Column } from './column.ts';

const COVERAGE_RANGE: readonly Column[] = [{"name":"from_block","kind":"integer"},{"name":"to_block","kind":"integer"},{"name":"state"},{"name":"reason"}];
const PROOF_LEVEL: readonly Column[] = [{"name":"from_block","kind":"integer"},{"name":"to_block","kind":"integer"},{"name":"blocks","kind":"integer"},{"name":"hash_agreed","kind":"integer"},{"name":"hash_single","kind":"integer"},{"name":"hash_contradicted","kind":"integer"},{"name":"header_computed","kind":"integer"},{"name":"header_agreed","kind":"integer"},{"name":"header_told","kind":"integer"},{"name":"transactions_computed","kind":"integer"},{"name":"transactions_agreed","kind":"integer"},{"name":"transactions_told","kind":"integer"},{"name":"senders_computed","kind":"integer"},{"name":"senders_agreed","kind":"integer"},{"name":"senders_told","kind":"integer"},{"name":"receipts_computed","kind":"integer"},{"name":"receipts_agreed","kind":"integer"},{"name":"receipts_told","kind":"integer"},{"name":"withdrawals_computed","kind":"integer"},{"name":"withdrawals_agreed","kind":"integer"},{"name":"withdrawals_told","kind":"integer"}];
const BLOCK: readonly Column[] = [{"name":"number","kind":"integer"},{"name":"hash"},{"name":"parent_hash"},{"name":"timestamp","kind":"time"},{"name":"miner"},{"name":"gas_limit","kind":"integer","isWide":true},{"name":"gas_used","kind":"integer"},{"name":"base_fee_per_gas"},{"name":"state_root"},{"name":"transactions_root"},{"name":"receipts_root"},{"name":"tx_count","kind":"integer"},{"name":"size","kind":"integer"},{"name":"l1_block_number","kind":"integer"},{"name":"extra","kind":"json"},{"name":"finalized","kind":"boolean","onlyWith":["finality","latest"]}];
const TRANSACTION: readonly Column[] = [{"name":"hash"},{"name":"block_number","kind":"integer"},{"name":"block_hash"},{"name":"transaction_index","kind":"integer"},{"name":"timestamp","kind":"time"},{"name":"type","kind":"integer"},{"name":"from"},{"name":"to"},{"name":"contract_address"},{"name":"nonce","kind":"integer"},{"name":"value"},{"name":"gas","kind":"integer","isWide":true},{"name":"gas_price"},{"name":"effective_gas_price"},{"name":"max_fee_per_gas"},{"name":"max_priority_fee_per_gas"},{"name":"gas_used","kind":"integer"},{"name":"gas_used_for_l1","kind":"integer"},{"name":"l1_block_number","kind":"integer"},{"name":"cumulative_gas_used","kind":"integer"},{"name":"status","kind":"integer"},{"name":"fee"},{"name":"total_fee"},{"name":"method_id"},{"name":"input_size","kind":"integer"},{"name":"log_count","kind":"integer"},{"name":"request_id"},{"name":"finalized","kind":"boolean","onlyWith":["finality","latest"]}];
const LOG: readonly Column[] = [{"name":"block_number","kind":"integer"},{"name":"timestamp","kind":"time"},{"name":"transaction_hash"},{"name":"transaction_index","kind":"integer"},{"name":"log_index","kind":"integer"},{"name":"address"},{"name":"topics","kind":"json"},{"name":"data"},{"name":"data_size","kind":"integer"},{"name":"data_truncated","kind":"boolean"},{"name":"finalized","kind":"boolean","onlyWith":["finality","latest"]}];
const TRACE: readonly Column[] = [{"name":"block_number","kind":"integer"},{"name":"timestamp","kind":"time"},{"name":"transaction_hash"},{"name":"transaction_index","kind":"integer"},{"name":"trace_index","kind":"integer"},{"name":"trace_address","kind":"json"},{"name":"depth","kind":"integer"},{"name":"type"},{"name":"from"},{"name":"to"},{"name":"value"},{"name":"gas","kind":"integer"},{"name":"gas_used","kind":"integer"},{"name":"method_id"},{"name":"input"},{"name":"input_size","kind":"integer"},{"name":"input_truncated","kind":"boolean"},{"name":"output"},{"name":"output_size","kind":"integer"},{"name":"output_truncated","kind":"boolean"},{"name":"error"},{"name":"revert_reason"},{"name":"subcalls","kind":"integer"},{"name":"reverted_by_parent","kind":"boolean"},{"name":"finalized","kind":"boolean","onlyWith":["finality","latest"]}];
const TRANSFER: readonly Column[] = [{"name":"block_number","kind":"integer"},{"name":"timestamp","kind":"time"},{"name":"transaction_hash"},{"name":"transaction_index","kind":"integer"},{"name":"log_index","kind":"integer"},{"name":"batch_index","kind":"integer"},{"name":"standard"},{"name":"token"},{"name":"token_id"},{"name":"from"},{"name":"to"},{"name":"amount"},{"name":"kind"},{"name":"initiator"},{"name":"ui_amount"},{"name":"ui_multiplier"},{"name":"token_symbol","onlyWith":["include","token"]},{"name":"token_decimals","kind":"integer","onlyWith":["include","token"]},{"name":"finalized","kind":"boolean","onlyWith":["finality","latest"]}];
const TRADE: readonly Column[] = [{"name":"block_number","kind":"integer"},{"name":"timestamp","kind":"time"},{"name":"transaction_hash"},{"name":"transaction_index","kind":"integer"},{"name":"log_index","kind":"integer"},{"name":"protocol"},{"name":"pool_id"},{"name":"token_in"},{"name":"token_out"},{"name":"amount_in"},{"name":"amount_out"},{"name":"amount_usd"},{"name":"usd_method"},{"name":"kind"},{"name":"sender"},{"name":"recipient"},{"name":"trader"},{"name":"trader_kind"},{"name":"fee_pips","kind":"integer"},{"name":"sqrt_price_x96"},{"name":"tick","kind":"integer"},{"name":"liquidity"},{"name":"token_in_symbol","onlyWith":["include","token"]},{"name":"token_in_decimals","kind":"integer","onlyWith":["include","token"]},{"name":"token_out_symbol","onlyWith":["include","token"]},{"name":"token_out_decimals","kind":"integer","onlyWith":["include","token"]},{"name":"finalized","kind":"boolean","onlyWith":["finality","latest"]}];
const NATIVE_TRANSFER: readonly Column[] = [{"name":"block_number","kind":"integer"},{"name":"timestamp","kind":"time"},{"name":"transaction_hash"},{"name":"transaction_index","kind":"integer"},{"name":"kind"},{"name":"from"},{"name":"to"},{"name":"value"},{"name":"direction"},{"name":"finalized","kind":"boolean","onlyWith":["finality","latest"]}];
const WITHDRAWAL: readonly Column[] = [{"name":"block_number","kind":"integer"},{"name":"timestamp","kind":"time"},{"name":"withdrawal_index"},{"name":"validator_index"},{"name":"to"},{"name":"value"},{"name":"finalized","kind":"boolean","onlyWith":["finality","latest"]}];
const INTERNAL_TRANSFER: readonly Column[] = [{"name":"block_number","kind":"integer"},{"name":"timestamp","kind":"time"},{"name":"transaction_hash"},{"name":"transaction_index","kind":"integer"},{"name":"trace_index","kind":"integer"},{"name":"trace_address","kind":"json"},{"name":"type"},{"name":"from"},{"name":"to"},{"name":"value"},{"name":"direction"},{"name":"finalized","kind":"boolean","onlyWith":["finality","latest"]}];
const ACTIVITY: readonly Column[] = [{"name":"block_number","kind":"integer"},{"name":"timestamp","kind":"time"},{"name":"transaction_hash"},{"name":"transaction_index","kind":"integer"},{"name":"kind"},{"name":"log_index","kind":"integer"},{"name":"batch_index","kind":"integer"},{"name":"trace_index","kind":"integer"},{"name":"direction"},{"name":"from"},{"name":"to"},{"name":"initiator"},{"name":"standard"},{"name":"token"},{"name":"token_id"},{"name":"amount"},{"name":"status","kind":"integer"},{"name":"method_id"},{"name":"pool_id"},{"name":"token_in"},{"name":"amount_in"},{"name":"token_out"},{"name":"amount_out"},{"name":"amount_usd"},{"name":"possible_spam","kind":"boolean"},{"name":"spam_reason"},{"name":"finalized","kind":"boolean","onlyWith":["finality","latest"]}];
const APPROVAL: readonly Column[] = [{"name":"block_number","kind":"integer"},{"name":"timestamp","kind":"time"},{"name":"transaction_hash"},{"name":"transaction_index","kind":"integer"},{"name":"log_index","kind":"integer"},{"name":"kind"},{"name":"token"},{"name":"spender"},{"name":"token_id"},{"name":"amount"},{"name":"approved","kind":"boolean"},{"name":"expiration","kind":"integer"},{"name":"known_by"},{"name":"allowance"},{"name":"allowance_block","kind":"integer"},{"name":"finalized","kind":"boolean","onlyWith":["finality","latest"]}];
const ADDRESS_TRANSFER: readonly Column[] = [{"name":"block_number","kind":"integer"},{"name":"timestamp","kind":"time"},{"name":"transaction_hash"},{"name":"transaction_index","kind":"integer"},{"name":"log_index","kind":"integer"},{"name":"batch_index","kind":"integer"},{"name":"standard"},{"name":"token"},{"name":"token_id"},{"name":"from"},{"name":"to"},{"name":"amount"},{"name":"kind"},{"name":"initiator"},{"name":"ui_amount"},{"name":"ui_multiplier"},{"name":"direction"},{"name":"token_symbol","onlyWith":["include","token"]},{"name":"token_decimals","kind":"integer","onlyWith":["include","token"]},{"name":"finalized","kind":"boolean","onlyWith":["finality","latest"]}];
const BALANCE: readonly Column[] = [{"name":"token"},{"name":"balance"},{"name":"symbol"},{"name":"decimals","kind":"integer"},{"name":"as_of_block","kind":"integer","onlyWith":["native","true"]},{"name":"token_symbol","onlyWith":["include","token"]},{"name":"token_decimals","kind":"integer","onlyWith":["include","token"]}];
const BALANCE_VALUE: readonly Column[] = [{"name":"token"},{"name":"symbol"},{"name":"decimals","kind":"integer"},{"name":"balance"},{"name":"price_usd"},{"name":"value_usd"},{"name":"sellable_usd"},{"name":"unpriced_reason"},{"name":"price_confidence"},{"name":"price_block_number","kind":"integer"},{"name":"possible_spam","kind":"boolean"},{"name":"spam_reason"},{"name":"block_number","kind":"integer"},{"name":"as_of_block","kind":"integer","onlyWith":["native","true"]}];
const BALANCE_POINT: readonly Column[] = [{"name":"block_number","kind":"integer"},{"name":"timestamp","kind":"time"},{"name":"balance"},{"name":"method"},{"name":"confidence"}];
const NFT_HOLDING: readonly Column[] = [{"name":"token"},{"name":"token_id"},{"name":"standard"},{"name":"amount"},{"name":"name"},{"name":"symbol"},{"name":"token_uri"},{"name":"token_uri_omitted","kind":"boolean"},{"name":"token_uri_size","kind":"integer"},{"name":"acquired_block","kind":"integer"},{"name":"acquired_at","kind":"time"}];
const STOCK_HOLDING: readonly Column[] = [{"name":"token"},{"name":"symbol"},{"name":"name"},{"name":"issuer"},{"name":"decimals","kind":"integer"},{"name":"balance"},{"name":"ui_balance"},{"name":"ui_multiplier"},{"name":"price_usd"},{"name":"value_usd"},{"name":"sellable_usd"},{"name":"unpriced_reason"},{"name":"price_confidence"},{"name":"price_block_number","kind":"integer"},{"name":"possible_spam","kind":"boolean"},{"name":"spam_reason"},{"name":"block_number","kind":"integer"}];
const TOKEN: readonly Column[] = [{"name":"address"},{"name":"standard"},{"name":"name"},{"name":"symbol"},{"name":"decimals","kind":"integer"},{"name":"total_supply"},{"name":"holder_count","kind":"integer"},{"name":"transfer_count","kind":"integer"},{"name":"first_seen_block","kind":"integer"},{"name":"balance_model"},{"name":"metadata_status"},{"name":"is_stock","kind":"boolean"},{"name":"new_decimals","kind":"integer"},{"name":"former_names","kind":"json"}];
const HOLDER: readonly Column[] = [{"name":"holder"},{"name":"balance"},{"name":"share_bps","kind":"integer"},{"name":"method"},{"name":"confidence"},{"name":"block_number","kind":"integer"},{"name":"ui_amount"},{"name":"ui_multiplier"}];
const CANDLE: readonly Column[] = [{"name":"start","kind":"time"},{"name":"open"},{"name":"high"},{"name":"low"},{"name":"close"},{"name":"volume_base"},{"name":"volume_quote"},{"name":"volume_usd"},{"name":"trades","kind":"integer"},{"name":"first_block","kind":"integer"},{"name":"last_block","kind":"integer"},{"name":"complete","kind":"boolean"}];
const NFT_ITEM: readonly Column[] = [{"name":"token"},{"name":"token_id"},{"name":"token_uri"},{"name":"token_uri_omitted","kind":"boolean"},{"name":"token_uri_size","kind":"integer"},{"name":"first_seen_block","kind":"integer"},{"name":"updated_block","kind":"integer"}];
const NFT_OWNER: readonly Column[] = [{"name":"owner"},{"name":"token_id"},{"name":"standard"},{"name":"amount"},{"name":"acquired_block","kind":"integer"},{"name":"acquired_at","kind":"time"}];
const POOL: readonly Column[] = [{"name":"pool_id"},{"name":"protocol"},{"name":"factory"},{"name":"listed_factory","kind":"boolean"},{"name":"token0"},{"name":"token1"},{"name":"fee_pips","kind":"integer"},{"name":"dynamic_fee","kind":"boolean"},{"name":"tick_spacing","kind":"integer"},{"name":"hooks"},{"name":"hook_changes_amounts","kind":"boolean"},{"name":"created_block","kind":"integer"},{"name":"created_at","kind":"time"},{"name":"reserve0"},{"name":"reserve1"},{"name":"sqrt_price_x96"},{"name":"tick","kind":"integer"},{"name":"liquidity"},{"name":"liquidity_usd"},{"name":"updated_block","kind":"integer"},{"name":"token0_symbol","onlyWith":["include","token"]},{"name":"token0_decimals","kind":"integer","onlyWith":["include","token"]},{"name":"token1_symbol","onlyWith":["include","token"]},{"name":"token1_decimals","kind":"integer","onlyWith":["include","token"]}];
const LIQUIDITY_EVENT: readonly Column[] = [{"name":"block_number","kind":"integer"},{"name":"timestamp","kind":"time"},{"name":"transaction_hash"},{"name":"transaction_index","kind":"integer"},{"name":"log_index","kind":"integer"},{"name":"protocol"},{"name":"pool_id"},{"name":"kind"},{"name":"owner"},{"name":"tick_lower","kind":"integer"},{"name":"tick_upper","kind":"integer"},{"name":"liquidity_delta"},{"name":"amount0"},{"name":"amount1"},{"name":"sqrt_price_x96"},{"name":"finalized","kind":"boolean","onlyWith":["finality","latest"]}];
const STOCK_DAY: readonly Column[] = [{"name":"day","kind":"day"},{"name":"token"},{"name":"address"},{"name":"symbol"},{"name":"name"},{"name":"transfers","kind":"integer"},{"name":"transfers_raw_amount"},{"name":"transfers_ui_amount"},{"name":"unique_senders","kind":"integer"},{"name":"unique_receivers","kind":"integer"},{"name":"mint_raw_amount"},{"name":"burn_raw_amount"},{"name":"net_supply_change"},{"name":"holder_count","kind":"integer"},{"name":"top10_holder_share_bps","kind":"integer"},{"name":"dex_swap_count","kind":"integer"},{"name":"dex_raw_volume"},{"name":"dex_vwap_usd"},{"name":"ui_multiplier"},{"name":"oracle_price_usd"},{"name":"premium_bps","kind":"integer"},{"name":"first_block","kind":"integer"},{"name":"last_block","kind":"integer"},{"name":"refreshed_at","kind":"time"}];
const MULTIPLIER: readonly Column[] = [{"name":"token"},{"name":"block_number","kind":"integer"},{"name":"log_index","kind":"integer"},{"name":"transaction_hash"},{"name":"timestamp","kind":"time"},{"name":"old_multiplier"},{"name":"new_multiplier"},{"name":"set_at","kind":"time"},{"name":"effective_at","kind":"time"},{"name":"status"},{"name":"finalized","kind":"boolean","onlyWith":["finality","latest"]}];

/** Columns of each list that has pages, in the order of the description. */
export const LIST_COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  listCoverage: COVERAGE_RANGE,
  listProofLevels: PROOF_LEVEL,
  listBlocks: BLOCK,
  listBlockTransactions: TRANSACTION,
  listBlockLogs: LOG,
  listBlockTraces: TRACE,
  listTransactions: TRANSACTION,
  listTransactionLogs: LOG,
  listTransactionTransfers: TRANSFER,
  listTransactionTrades: TRADE,
  listTransactionTraces: TRACE,
  listLogs: LOG,
  listTransfers: TRANSFER,
  listAddressTransactions: TRANSACTION,
  listAddressNativeTransfers: NATIVE_TRANSFER,
  listAddressWithdrawals: WITHDRAWAL,
  listAddressInternalTransfers: INTERNAL_TRANSFER,
  listAddressActivity: ACTIVITY,
  listAddressApprovals: APPROVAL,
  listAddressTransfers: ADDRESS_TRANSFER,
  listAddressBalances: BALANCE,
  listAddressBalanceValues: BALANCE_VALUE,
  listBalanceHistory: BALANCE_POINT,
  listAddressNfts: NFT_HOLDING,
  listAddressTrades: TRADE,
  listAddressTraces: TRACE,
  listAddressStocks: STOCK_HOLDING,
  listTokens: TOKEN,
  listTokenHolders: HOLDER,
  listTokenTransfers: TRANSFER,
  listTokenTrades: TRADE,
  listTokenCandles: CANDLE,
  listNftItems: NFT_ITEM,
  listNftItemOwners: NFT_OWNER,
  listNftItemTransfers: TRANSFER,
  listNftOwners: NFT_OWNER,
  listNftTransfers: TRANSFER,
  listPools: POOL,
  listPoolTrades: TRADE,
  listPoolLiquidityEvents: LIQUIDITY_EVENT,
  listPoolCandles: CANDLE,
  listTrades: TRADE,
  listStocks: STOCK_DAY,
  listCorporateActions: MULTIPLIER,
  listStockDaily: STOCK_DAY,
  listStockMultipliers: MULTIPLIER,
  listStockHolders: HOLDER,
  listStockTransfers: TRANSFER,
  listStockTrades: TRADE,
  listStockCandles: CANDLE,
};
