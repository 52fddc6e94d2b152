/** Begins a code. No name of a method has it. */
const CODE_MARK = '.';
const CODE_RADIX = 36;

/**
 * Methods that a lane may name by a code: the place in this list. Lanes are read for 40 days, also by the releases before
 * and after: a name is added at the end, and none is moved or taken away.
 */
const CODED_METHODS = `
  debug_traceBadBlock debug_traceBlock debug_traceBlockByHash debug_traceBlockByNumber debug_traceCall
  debug_traceCallMany debug_traceChain debug_traceTransaction eth_accounts eth_baseFee eth_blobBaseFee
  eth_blockNumber eth_call eth_callBundle eth_callMany eth_chainId eth_coinbase eth_createAccessList eth_estimateGas
  eth_feeHistory eth_fillTransaction eth_gasPrice eth_getAccount eth_getAccountInfo eth_getBalance
  eth_getBlockByHash eth_getBlockByNumber eth_getBlockReceipts eth_getBlockTransactionCountByHash
  eth_getBlockTransactionCountByNumber eth_getCode eth_getHeaderByHash eth_getHeaderByNumber eth_getLogs
  eth_getProof eth_getRawTransactionByBlockHashAndIndex eth_getRawTransactionByBlockNumberAndIndex
  eth_getRawTransactionByHash eth_getStorageAt eth_getTransactionByBlockHashAndIndex
  eth_getTransactionByBlockNumberAndIndex eth_getTransactionByHash eth_getTransactionCount eth_getTransactionReceipt
  eth_getUncleByBlockHashAndIndex eth_getUncleByBlockNumberAndIndex eth_getUncleCountByBlockHash
  eth_getUncleCountByBlockNumber eth_hashrate eth_maxPriorityFeePerGas eth_mining eth_protocolVersion eth_sendBundle
  eth_sendPrivateTransaction eth_sendRawTransaction eth_sendRawTransactionConditional eth_sendRawTransactionSync
  eth_sendTransaction eth_sign eth_signTransaction eth_simulateV1 eth_syncing net_listening net_peerCount
  net_version web3_clientVersion web3_sha3 data/getAddress data/getBlock data/getBlockByHash data/getBlockByTime
  data/getFreshness data/getNftCollection data/getNftItem data/getPool data/getPrices data/getStock data/getToken
  data/getTokenPrice data/getTokens data/getTransaction data/getTransactions data/listAccountSettlements
  data/listAccountUsage data/listAddressBalanceValues data/listAddressBalances data/listAddressInternalTransfers
  data/listAddressNativeTransfers data/listAddressNfts data/listAddressStocks data/listAddressTraces
  data/listAddressTrades data/listAddressTransactions data/listAddressTransfers data/listBalanceHistory
  data/listBlockLogs data/listBlockTraces data/listBlockTransactions data/listBlocks data/listChains
  data/listCorporateActions data/listCoverage data/listLogs data/listNftItemOwners data/listNftItemTransfers
  data/listNftItems data/listNftOwners data/listNftTransfers data/listPoolCandles data/listPoolLiquidityEvents
  data/listPoolTrades data/listPools data/listPrices data/listStockCandles data/listStockDaily data/listStockHolders
  data/listStockMultipliers data/listStockTrades data/listStockTransfers data/listStocks data/listTokenCandles
  data/listTokenHolders data/listTokenTrades data/listTokenTransfers data/listTokens data/listTrades
  data/listTransactionLogs data/listTransactionTraces data/listTransactionTrades data/listTransactionTransfers
  data/listTransactions data/listTransfers data/listAddressWithdrawals
  data/listProofLevels data/getTransactionProof data/listAddressActivity
  data/listAddressApprovals
`
  .trim()
  .split(/\s+/);

const PLACES: ReadonlyMap<string, number> = new Map(CODED_METHODS.map((method, place) => [method, place]));

/** The code of a method, such as `.c`; the name itself if it has none. */
export function codeOf(method: string): string {
  const place = PLACES.get(method);
  return place === undefined ? method : CODE_MARK + place.toString(CODE_RADIX);
}

/** The name behind a code; a text that is no code is a name. Undefined: a code that this release does not know. */
export function methodOf(text: string): string | undefined {
  if (!text.startsWith(CODE_MARK)) return text;
  return CODED_METHODS[Number.parseInt(text.slice(CODE_MARK.length), CODE_RADIX)];
}
