// Made from api/data-api.yaml by `npm run generate`: change that, and run this again.
import type { OperationEntry } from './operation-entry.ts';

/** Parameters of each operation as they are read, defaults included. */
export interface OperationParameters {
  listChains: Record<string, never>;
  getFreshness: Record<string, never>;
  listCoverage: {
    dataset: "blocks" | "transactions" | "logs" | "erc20_transfers" | "nft_transfers" | "tokens" | "nft_owners" | "balances" | "dex_pools" | "dex_swaps" | "dex_liquidity_events" | "token_prices" | "candles" | "stock_tokens" | "stock_multipliers" | "stock_daily" | "traces" | "withdrawals";
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
  };
  listProofLevels: {
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    max_rows?: number;
    order: "asc" | "desc";
  };
  listBlocks: {
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    from_block?: number;
    to_block?: number;
    from_time?: string;
    to_time?: string;
    clamp: boolean;
    finality: "finalized" | "latest";
  };
  getBlock: {
    number: number;
    finality: "finalized" | "latest";
  };
  getBlockByHash: {
    hash: string;
    finality: "finalized" | "latest";
  };
  getBlockByTime: {
    time: string;
    side: "before" | "after";
    finality: "finalized" | "latest";
  };
  listBlockTransactions: {
    number: number;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    finality: "finalized" | "latest";
  };
  listBlockLogs: {
    number: number;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    finality: "finalized" | "latest";
  };
  listBlockTraces: {
    number: number;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    finality: "finalized" | "latest";
  };
  listTransactions: {
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    from_block?: number;
    to_block?: number;
    from_time?: string;
    to_time?: string;
    clamp: boolean;
    finality: "finalized" | "latest";
  };
  getTransaction: {
    hash: string;
    include_logs: boolean;
    finality: "finalized" | "latest";
  };
  getTransactionProof: {
    hash: string;
    log_index?: number;
    finality: "finalized" | "latest";
  };
  listTransactionLogs: {
    hash: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    finality: "finalized" | "latest";
  };
  listTransactionTransfers: {
    hash: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    finality: "finalized" | "latest";
    include?: "token";
  };
  listTransactionTrades: {
    hash: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    finality: "finalized" | "latest";
    include?: "token";
  };
  listTransactionTraces: {
    hash: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    finality: "finalized" | "latest";
  };
  listLogs: {
    address?: string;
    topic0?: string;
    topic1?: string;
    topic2?: string;
    topic3?: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    from_block?: number;
    to_block?: number;
    from_time?: string;
    to_time?: string;
    clamp: boolean;
    finality: "finalized" | "latest";
  };
  listTransfers: {
    standard: "erc20" | "erc721" | "erc1155" | "all";
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    exclude_zero: boolean;
    from_block?: number;
    to_block?: number;
    from_time?: string;
    to_time?: string;
    clamp: boolean;
    finality: "finalized" | "latest";
    include?: "token";
  };
  getAddress: {
    address: string;
  };
  listAddressTransactions: {
    address: string;
    direction: "any" | "in" | "out";
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    from_block?: number;
    to_block?: number;
    from_time?: string;
    to_time?: string;
    clamp: boolean;
    finality: "finalized" | "latest";
  };
  listAddressNativeTransfers: {
    address: string;
    direction: "any" | "in" | "out";
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    from_block?: number;
    to_block?: number;
    from_time?: string;
    to_time?: string;
    clamp: boolean;
    finality: "finalized" | "latest";
  };
  listAddressWithdrawals: {
    address: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    from_block?: number;
    to_block?: number;
    from_time?: string;
    to_time?: string;
    clamp: boolean;
    finality: "finalized" | "latest";
  };
  listAddressInternalTransfers: {
    address: string;
    direction: "any" | "in" | "out";
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    from_block?: number;
    to_block?: number;
    from_time?: string;
    to_time?: string;
    clamp: boolean;
    finality: "finalized" | "latest";
  };
  listAddressActivity: {
    address: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    exclude_zero: boolean;
    min_amount?: string;
    possible_spam?: boolean;
    from_block?: number;
    to_block?: number;
    from_time?: string;
    to_time?: string;
    clamp: boolean;
    finality: "finalized" | "latest";
  };
  listAddressApprovals: {
    address: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    from_block?: number;
    to_block?: number;
    from_time?: string;
    to_time?: string;
    clamp: boolean;
    finality: "finalized" | "latest";
  };
  listAddressTransfers: {
    address: string;
    standard: "erc20" | "erc721" | "erc1155" | "all";
    direction: "any" | "in" | "out";
    token?: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    exclude_zero: boolean;
    from_block?: number;
    to_block?: number;
    from_time?: string;
    to_time?: string;
    clamp: boolean;
    finality: "finalized" | "latest";
    include?: "token";
  };
  listAddressBalances: {
    address: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    native: boolean;
    include?: "token";
  };
  listAddressBalanceValues: {
    address: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    native: boolean;
  };
  listBalanceHistory: {
    address: string;
    token: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
  };
  listAddressNfts: {
    address: string;
    standard: "erc721" | "erc1155" | "all";
    token?: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
  };
  listAddressTrades: {
    address: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    from_block?: number;
    to_block?: number;
    from_time?: string;
    to_time?: string;
    clamp: boolean;
    finality: "finalized" | "latest";
    include?: "token";
  };
  listAddressTraces: {
    address: string;
    direction: "any" | "in" | "out";
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    from_block?: number;
    to_block?: number;
    from_time?: string;
    to_time?: string;
    clamp: boolean;
    finality: "finalized" | "latest";
  };
  listAddressStocks: {
    address: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
  };
  listTokens: {
    standard: "erc20" | "erc721" | "erc1155" | "all";
    symbol?: string;
    search?: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
  };
  getToken: {
    token: string;
  };
  listTokenHolders: {
    token: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
  };
  listTokenTransfers: {
    token: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    exclude_zero: boolean;
    from_block?: number;
    to_block?: number;
    from_time?: string;
    to_time?: string;
    clamp: boolean;
    finality: "finalized" | "latest";
    include?: "token";
  };
  listTokenTrades: {
    token: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    from_block?: number;
    to_block?: number;
    from_time?: string;
    to_time?: string;
    clamp: boolean;
    finality: "finalized" | "latest";
    include?: "token";
  };
  getTokenPrice: {
    token: string;
    at?: string;
  };
  listTokenCandles: {
    token: string;
    interval: "1m" | "5m" | "15m" | "1h" | "4h" | "1d";
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    from_time?: string;
    to_time?: string;
  };
  listPrices: {
    tokens: string;
  };
  getTokens: {
    addresses: string;
  };
  getTransactions: {
    hashes: string;
    finality: "finalized" | "latest";
  };
  getPrices: {
    tokens: string;
  };
  getNftCollection: {
    token: string;
  };
  listNftItems: {
    token: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
  };
  getNftItem: {
    token: string;
    token_id: string;
  };
  listNftItemOwners: {
    token: string;
    token_id: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
  };
  listNftItemTransfers: {
    token: string;
    token_id: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    exclude_zero: boolean;
    from_block?: number;
    to_block?: number;
    from_time?: string;
    to_time?: string;
    clamp: boolean;
    finality: "finalized" | "latest";
  };
  listNftOwners: {
    token: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
  };
  listNftTransfers: {
    token: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    exclude_zero: boolean;
    from_block?: number;
    to_block?: number;
    from_time?: string;
    to_time?: string;
    clamp: boolean;
    finality: "finalized" | "latest";
  };
  listPools: {
    token?: string;
    protocol?: string;
    token0?: string;
    token1?: string;
    sort: "pool_id" | "liquidity";
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    include?: "token";
  };
  getPool: {
    pool: string;
    include?: "token";
  };
  listPoolTrades: {
    pool: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    from_block?: number;
    to_block?: number;
    from_time?: string;
    to_time?: string;
    clamp: boolean;
    finality: "finalized" | "latest";
    include?: "token";
  };
  listPoolLiquidityEvents: {
    pool: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    from_block?: number;
    to_block?: number;
    from_time?: string;
    to_time?: string;
    clamp: boolean;
    finality: "finalized" | "latest";
  };
  listPoolCandles: {
    pool: string;
    interval: "1m" | "5m" | "15m" | "1h" | "4h" | "1d";
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    from_time?: string;
    to_time?: string;
  };
  listTrades: {
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    from_block?: number;
    to_block?: number;
    from_time?: string;
    to_time?: string;
    clamp: boolean;
    finality: "finalized" | "latest";
    include?: "token";
  };
  listStocks: {
    day?: string;
    all: boolean;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
  };
  listCorporateActions: {
    status?: "pending" | "effective" | "superseded";
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    from_block?: number;
    to_block?: number;
    from_time?: string;
    to_time?: string;
    clamp: boolean;
    finality: "finalized" | "latest";
  };
  getStock: {
    token: string;
  };
  listStockDaily: {
    token: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
  };
  listStockMultipliers: {
    token: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    from_block?: number;
    to_block?: number;
    from_time?: string;
    to_time?: string;
    clamp: boolean;
    finality: "finalized" | "latest";
  };
  listStockHolders: {
    token: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
  };
  listStockTransfers: {
    token: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    exclude_zero: boolean;
    from_block?: number;
    to_block?: number;
    from_time?: string;
    to_time?: string;
    clamp: boolean;
    finality: "finalized" | "latest";
    include?: "token";
  };
  listStockTrades: {
    token: string;
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    from_block?: number;
    to_block?: number;
    from_time?: string;
    to_time?: string;
    clamp: boolean;
    finality: "finalized" | "latest";
    include?: "token";
  };
  listStockCandles: {
    token: string;
    interval: "1m" | "5m" | "15m" | "1h" | "4h" | "1d";
    limit: number;
    cursor?: string;
    format?: "csv" | "ndjson" | "parquet";
    trailer?: "none";
    csv?: "raw";
    max_rows?: number;
    order: "asc" | "desc";
    from_time?: string;
    to_time?: string;
  };
}

export type DataOperationId = keyof OperationParameters;

export const OPERATIONS: { readonly [Id in DataOperationId]: OperationEntry } = {
  listChains: { "path":"/chains","computeUnits":1,"paged":false, parameters: [] },
  getFreshness: { "path":"/{chain}/status/freshness","computeUnits":20,"paged":false, parameters: [] },
  listCoverage: { "path":"/{chain}/status/coverage/{dataset}","computeUnits":5,"paged":true, parameters: [{ name: "dataset", in: "path", required: true, kind: 'enum', values: ["blocks","transactions","logs","erc20_transfers","nft_transfers","tokens","nft_owners","balances","dex_pools","dex_swaps","dex_liquidity_events","token_prices","candles","stock_tokens","stock_multipliers","stock_daily","traces","withdrawals"] }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }] },
  listProofLevels: { "path":"/{chain}/status/proof","computeUnits":5,"paged":true, parameters: [{ name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }] },
  listBlocks: { "path":"/{chain}/blocks","computeUnits":10,"dataset":"blocks","paged":true, parameters: [{ name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "from_block", in: "query", required: false, kind: 'height' }, { name: "to_block", in: "query", required: false, kind: 'height' }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }, { name: "clamp", in: "query", required: false, kind: 'boolean', default: false }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  getBlock: { "path":"/{chain}/blocks/{number}","computeUnits":5,"dataset":"blocks","paged":false, parameters: [{ name: "number", in: "path", required: true, kind: 'height' }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  getBlockByHash: { "path":"/{chain}/blocks-by-hash/{hash}","computeUnits":5,"dataset":"blocks","paged":false, parameters: [{ name: "hash", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{64}$/, foldCase: true }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  getBlockByTime: { "path":"/{chain}/blocks-by-time/{time}","computeUnits":5,"dataset":"blocks","paged":false, parameters: [{ name: "time", in: "path", required: true, kind: 'time' }, { name: "side", in: "query", required: false, kind: 'enum', values: ["before","after"], default: "before" }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  listBlockTransactions: { "path":"/{chain}/blocks/{number}/transactions","computeUnits":10,"dataset":"transactions","paged":true, parameters: [{ name: "number", in: "path", required: true, kind: 'height' }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  listBlockLogs: { "path":"/{chain}/blocks/{number}/logs","computeUnits":10,"dataset":"logs","paged":true, parameters: [{ name: "number", in: "path", required: true, kind: 'height' }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  listBlockTraces: { "path":"/{chain}/blocks/{number}/traces","computeUnits":20,"dataset":"traces","paged":true, parameters: [{ name: "number", in: "path", required: true, kind: 'height' }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 200, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  listTransactions: { "path":"/{chain}/transactions","computeUnits":10,"dataset":"transactions","paged":true, parameters: [{ name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "from_block", in: "query", required: false, kind: 'height' }, { name: "to_block", in: "query", required: false, kind: 'height' }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }, { name: "clamp", in: "query", required: false, kind: 'boolean', default: false }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  getTransaction: { "path":"/{chain}/transactions/{hash}","computeUnits":5,"dataset":"transactions","paged":false, parameters: [{ name: "hash", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{64}$/, foldCase: true }, { name: "include_logs", in: "query", required: false, kind: 'boolean', default: false }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  getTransactionProof: { "path":"/{chain}/transactions/{hash}/proof","computeUnits":20,"paged":false, parameters: [{ name: "hash", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{64}$/, foldCase: true }, { name: "log_index", in: "query", required: false, kind: 'integer', minimum: 0, maximum: 1000000000 }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  listTransactionLogs: { "path":"/{chain}/transactions/{hash}/logs","computeUnits":10,"dataset":"logs","paged":true, parameters: [{ name: "hash", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{64}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  listTransactionTransfers: { "path":"/{chain}/transactions/{hash}/transfers","computeUnits":10,"dataset":"erc20_transfers","paged":true, parameters: [{ name: "hash", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{64}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }, { name: "include", in: "query", required: false, kind: 'enum', values: ["token"] }] },
  listTransactionTrades: { "path":"/{chain}/transactions/{hash}/trades","computeUnits":10,"dataset":"dex_swaps","paged":true, parameters: [{ name: "hash", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{64}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }, { name: "include", in: "query", required: false, kind: 'enum', values: ["token"] }] },
  listTransactionTraces: { "path":"/{chain}/transactions/{hash}/traces","computeUnits":20,"dataset":"traces","paged":true, parameters: [{ name: "hash", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{64}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 200, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  listLogs: { "path":"/{chain}/logs","computeUnits":20,"dataset":"logs","maxWindowBlocks":100000,"paged":true, parameters: [{ name: "address", in: "query", required: false, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "topic0", in: "query", required: false, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{64}$/, foldCase: true }, { name: "topic1", in: "query", required: false, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{64}$/, foldCase: true }, { name: "topic2", in: "query", required: false, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{64}$/, foldCase: true }, { name: "topic3", in: "query", required: false, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{64}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "from_block", in: "query", required: false, kind: 'height' }, { name: "to_block", in: "query", required: false, kind: 'height' }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }, { name: "clamp", in: "query", required: false, kind: 'boolean', default: false }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  listTransfers: { "path":"/{chain}/transfers","computeUnits":10,"dataset":"erc20_transfers","paged":true, parameters: [{ name: "standard", in: "query", required: false, kind: 'enum', values: ["erc20","erc721","erc1155","all"], default: "all" }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "exclude_zero", in: "query", required: false, kind: 'boolean', default: false }, { name: "from_block", in: "query", required: false, kind: 'height' }, { name: "to_block", in: "query", required: false, kind: 'height' }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }, { name: "clamp", in: "query", required: false, kind: 'boolean', default: false }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }, { name: "include", in: "query", required: false, kind: 'enum', values: ["token"] }] },
  getAddress: { "path":"/{chain}/addresses/{address}","computeUnits":20,"dataset":"transactions","paged":false, parameters: [{ name: "address", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }] },
  listAddressTransactions: { "path":"/{chain}/addresses/{address}/transactions","computeUnits":10,"dataset":"transactions","paged":true, parameters: [{ name: "address", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "direction", in: "query", required: false, kind: 'enum', values: ["any","in","out"], default: "any" }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "from_block", in: "query", required: false, kind: 'height' }, { name: "to_block", in: "query", required: false, kind: 'height' }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }, { name: "clamp", in: "query", required: false, kind: 'boolean', default: false }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  listAddressNativeTransfers: { "path":"/{chain}/addresses/{address}/native-transfers","computeUnits":10,"dataset":"transactions","paged":true, parameters: [{ name: "address", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "direction", in: "query", required: false, kind: 'enum', values: ["any","in","out"], default: "any" }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "from_block", in: "query", required: false, kind: 'height' }, { name: "to_block", in: "query", required: false, kind: 'height' }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }, { name: "clamp", in: "query", required: false, kind: 'boolean', default: false }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  listAddressWithdrawals: { "path":"/{chain}/addresses/{address}/withdrawals","computeUnits":10,"dataset":"withdrawals","paged":true, parameters: [{ name: "address", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "from_block", in: "query", required: false, kind: 'height' }, { name: "to_block", in: "query", required: false, kind: 'height' }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }, { name: "clamp", in: "query", required: false, kind: 'boolean', default: false }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  listAddressInternalTransfers: { "path":"/{chain}/addresses/{address}/internal-transfers","computeUnits":20,"dataset":"traces","paged":true, parameters: [{ name: "address", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "direction", in: "query", required: false, kind: 'enum', values: ["any","in","out"], default: "any" }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "from_block", in: "query", required: false, kind: 'height' }, { name: "to_block", in: "query", required: false, kind: 'height' }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }, { name: "clamp", in: "query", required: false, kind: 'boolean', default: false }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  listAddressActivity: { "path":"/{chain}/addresses/{address}/activity","computeUnits":20,"dataset":"transactions","paged":true, parameters: [{ name: "address", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "exclude_zero", in: "query", required: false, kind: 'boolean', default: false }, { name: "min_amount", in: "query", required: false, kind: 'pattern', pattern: /^[0-9]{1,60}([.][0-9]{1,60})?$/, foldCase: false }, { name: "possible_spam", in: "query", required: false, kind: 'boolean' }, { name: "from_block", in: "query", required: false, kind: 'height' }, { name: "to_block", in: "query", required: false, kind: 'height' }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }, { name: "clamp", in: "query", required: false, kind: 'boolean', default: false }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  listAddressApprovals: { "path":"/{chain}/addresses/{address}/approvals","computeUnits":50,"dataset":"logs","paged":true, parameters: [{ name: "address", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "from_block", in: "query", required: false, kind: 'height' }, { name: "to_block", in: "query", required: false, kind: 'height' }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }, { name: "clamp", in: "query", required: false, kind: 'boolean', default: false }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  listAddressTransfers: { "path":"/{chain}/addresses/{address}/transfers","computeUnits":20,"dataset":"erc20_transfers","paged":true, parameters: [{ name: "address", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "standard", in: "query", required: false, kind: 'enum', values: ["erc20","erc721","erc1155","all"], default: "all" }, { name: "direction", in: "query", required: false, kind: 'enum', values: ["any","in","out"], default: "any" }, { name: "token", in: "query", required: false, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "exclude_zero", in: "query", required: false, kind: 'boolean', default: false }, { name: "from_block", in: "query", required: false, kind: 'height' }, { name: "to_block", in: "query", required: false, kind: 'height' }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }, { name: "clamp", in: "query", required: false, kind: 'boolean', default: false }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }, { name: "include", in: "query", required: false, kind: 'enum', values: ["token"] }] },
  listAddressBalances: { "path":"/{chain}/addresses/{address}/balances","computeUnits":10,"dataset":"balances","paged":true, parameters: [{ name: "address", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "native", in: "query", required: false, kind: 'boolean', default: false }, { name: "include", in: "query", required: false, kind: 'enum', values: ["token"] }] },
  listAddressBalanceValues: { "path":"/{chain}/addresses/{address}/balances/usd","computeUnits":10,"dataset":"balances","paged":true, parameters: [{ name: "address", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "native", in: "query", required: false, kind: 'boolean', default: false }] },
  listBalanceHistory: { "path":"/{chain}/addresses/{address}/balances/history","computeUnits":10,"dataset":"balances","paged":true, parameters: [{ name: "address", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "token", in: "query", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }] },
  listAddressNfts: { "path":"/{chain}/addresses/{address}/nfts","computeUnits":10,"dataset":"nft_owners","paged":true, parameters: [{ name: "address", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "standard", in: "query", required: false, kind: 'enum', values: ["erc721","erc1155","all"], default: "all" }, { name: "token", in: "query", required: false, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }] },
  listAddressTrades: { "path":"/{chain}/addresses/{address}/trades","computeUnits":10,"dataset":"dex_swaps","paged":true, parameters: [{ name: "address", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "from_block", in: "query", required: false, kind: 'height' }, { name: "to_block", in: "query", required: false, kind: 'height' }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }, { name: "clamp", in: "query", required: false, kind: 'boolean', default: false }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }, { name: "include", in: "query", required: false, kind: 'enum', values: ["token"] }] },
  listAddressTraces: { "path":"/{chain}/addresses/{address}/traces","computeUnits":20,"dataset":"traces","paged":true, parameters: [{ name: "address", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "direction", in: "query", required: false, kind: 'enum', values: ["any","in","out"], default: "any" }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 200, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "from_block", in: "query", required: false, kind: 'height' }, { name: "to_block", in: "query", required: false, kind: 'height' }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }, { name: "clamp", in: "query", required: false, kind: 'boolean', default: false }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  listAddressStocks: { "path":"/{chain}/addresses/{address}/stocks","computeUnits":10,"dataset":"balances","paged":true, parameters: [{ name: "address", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }] },
  listTokens: { "path":"/{chain}/tokens","computeUnits":10,"dataset":"tokens","paged":true, parameters: [{ name: "standard", in: "query", required: false, kind: 'enum', values: ["erc20","erc721","erc1155","all"], default: "all" }, { name: "symbol", in: "query", required: false, kind: 'text', maxLength: 64 }, { name: "search", in: "query", required: false, kind: 'text', maxLength: 64 }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }] },
  getToken: { "path":"/{chain}/tokens/{token}","computeUnits":5,"dataset":"tokens","paged":false, parameters: [{ name: "token", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }] },
  listTokenHolders: { "path":"/{chain}/tokens/{token}/holders","computeUnits":10,"dataset":"balances","paged":true, parameters: [{ name: "token", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }] },
  listTokenTransfers: { "path":"/{chain}/tokens/{token}/transfers","computeUnits":10,"dataset":"erc20_transfers","paged":true, parameters: [{ name: "token", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "exclude_zero", in: "query", required: false, kind: 'boolean', default: false }, { name: "from_block", in: "query", required: false, kind: 'height' }, { name: "to_block", in: "query", required: false, kind: 'height' }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }, { name: "clamp", in: "query", required: false, kind: 'boolean', default: false }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }, { name: "include", in: "query", required: false, kind: 'enum', values: ["token"] }] },
  listTokenTrades: { "path":"/{chain}/tokens/{token}/trades","computeUnits":15,"dataset":"dex_swaps","paged":true, parameters: [{ name: "token", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "from_block", in: "query", required: false, kind: 'height' }, { name: "to_block", in: "query", required: false, kind: 'height' }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }, { name: "clamp", in: "query", required: false, kind: 'boolean', default: false }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }, { name: "include", in: "query", required: false, kind: 'enum', values: ["token"] }] },
  getTokenPrice: { "path":"/{chain}/tokens/{token}/price","computeUnits":5,"dataset":"token_prices","paged":false, parameters: [{ name: "token", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "at", in: "query", required: false, kind: 'time' }] },
  listTokenCandles: { "path":"/{chain}/tokens/{token}/candles","computeUnits":10,"dataset":"candles","paged":true, parameters: [{ name: "token", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "interval", in: "query", required: false, kind: 'enum', values: ["1m","5m","15m","1h","4h","1d"], default: "1h" }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }] },
  listPrices: { "path":"/{chain}/prices","computeUnits":10,"dataset":"token_prices","paged":false, parameters: [{ name: "tokens", in: "query", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}(,0x[0-9a-fA-F]{40}){0,49}$/, foldCase: true }] },
  getTokens: { "path":"/{chain}/batch/tokens","computeUnits":5,"perItem":"addresses","dataset":"tokens","paged":false, parameters: [{ name: "addresses", in: "query", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}(,0x[0-9a-fA-F]{40}){0,99}$/, foldCase: true }] },
  getTransactions: { "path":"/{chain}/batch/transactions","computeUnits":5,"perItem":"hashes","dataset":"transactions","paged":false, parameters: [{ name: "hashes", in: "query", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{64}(,0x[0-9a-fA-F]{64}){0,99}$/, foldCase: true }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  getPrices: { "path":"/{chain}/batch/prices","computeUnits":5,"perItem":"tokens","dataset":"token_prices","paged":false, parameters: [{ name: "tokens", in: "query", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}(,0x[0-9a-fA-F]{40}){0,99}$/, foldCase: true }] },
  getNftCollection: { "path":"/{chain}/nfts/{token}","computeUnits":5,"dataset":"nft_transfers","paged":false, parameters: [{ name: "token", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }] },
  listNftItems: { "path":"/{chain}/nfts/{token}/items","computeUnits":10,"dataset":"nft_owners","paged":true, parameters: [{ name: "token", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }] },
  getNftItem: { "path":"/{chain}/nfts/{token}/items/{token_id}","computeUnits":5,"dataset":"nft_owners","paged":false, parameters: [{ name: "token", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "token_id", in: "path", required: true, kind: 'pattern', pattern: /^(0|[1-9][0-9]{0,77})$/, foldCase: false }] },
  listNftItemOwners: { "path":"/{chain}/nfts/{token}/items/{token_id}/owners","computeUnits":10,"dataset":"nft_owners","paged":true, parameters: [{ name: "token", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "token_id", in: "path", required: true, kind: 'pattern', pattern: /^(0|[1-9][0-9]{0,77})$/, foldCase: false }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }] },
  listNftItemTransfers: { "path":"/{chain}/nfts/{token}/items/{token_id}/transfers","computeUnits":10,"dataset":"nft_transfers","paged":true, parameters: [{ name: "token", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "token_id", in: "path", required: true, kind: 'pattern', pattern: /^(0|[1-9][0-9]{0,77})$/, foldCase: false }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "exclude_zero", in: "query", required: false, kind: 'boolean', default: false }, { name: "from_block", in: "query", required: false, kind: 'height' }, { name: "to_block", in: "query", required: false, kind: 'height' }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }, { name: "clamp", in: "query", required: false, kind: 'boolean', default: false }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  listNftOwners: { "path":"/{chain}/nfts/{token}/owners","computeUnits":10,"dataset":"nft_owners","paged":true, parameters: [{ name: "token", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }] },
  listNftTransfers: { "path":"/{chain}/nfts/{token}/transfers","computeUnits":10,"dataset":"nft_transfers","paged":true, parameters: [{ name: "token", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "exclude_zero", in: "query", required: false, kind: 'boolean', default: false }, { name: "from_block", in: "query", required: false, kind: 'height' }, { name: "to_block", in: "query", required: false, kind: 'height' }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }, { name: "clamp", in: "query", required: false, kind: 'boolean', default: false }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  listPools: { "path":"/{chain}/dex/pools","computeUnits":10,"dataset":"dex_pools","paged":true, parameters: [{ name: "token", in: "query", required: false, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "protocol", in: "query", required: false, kind: 'pattern', pattern: /^[a-z0-9_]{1,40}$/, foldCase: false }, { name: "token0", in: "query", required: false, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "token1", in: "query", required: false, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "sort", in: "query", required: false, kind: 'enum', values: ["pool_id","liquidity"], default: "pool_id" }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "include", in: "query", required: false, kind: 'enum', values: ["token"] }] },
  getPool: { "path":"/{chain}/dex/pools/{pool}","computeUnits":5,"dataset":"dex_pools","paged":false, parameters: [{ name: "pool", in: "path", required: true, kind: 'pattern', pattern: /^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/, foldCase: true }, { name: "include", in: "query", required: false, kind: 'enum', values: ["token"] }] },
  listPoolTrades: { "path":"/{chain}/dex/pools/{pool}/trades","computeUnits":15,"dataset":"dex_swaps","paged":true, parameters: [{ name: "pool", in: "path", required: true, kind: 'pattern', pattern: /^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "from_block", in: "query", required: false, kind: 'height' }, { name: "to_block", in: "query", required: false, kind: 'height' }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }, { name: "clamp", in: "query", required: false, kind: 'boolean', default: false }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }, { name: "include", in: "query", required: false, kind: 'enum', values: ["token"] }] },
  listPoolLiquidityEvents: { "path":"/{chain}/dex/pools/{pool}/liquidity-events","computeUnits":10,"dataset":"dex_liquidity_events","paged":true, parameters: [{ name: "pool", in: "path", required: true, kind: 'pattern', pattern: /^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "from_block", in: "query", required: false, kind: 'height' }, { name: "to_block", in: "query", required: false, kind: 'height' }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }, { name: "clamp", in: "query", required: false, kind: 'boolean', default: false }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  listPoolCandles: { "path":"/{chain}/dex/pools/{pool}/candles","computeUnits":10,"dataset":"candles","paged":true, parameters: [{ name: "pool", in: "path", required: true, kind: 'pattern', pattern: /^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/, foldCase: true }, { name: "interval", in: "query", required: false, kind: 'enum', values: ["1m","5m","15m","1h","4h","1d"], default: "1h" }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }] },
  listTrades: { "path":"/{chain}/dex/trades","computeUnits":10,"dataset":"dex_swaps","paged":true, parameters: [{ name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "from_block", in: "query", required: false, kind: 'height' }, { name: "to_block", in: "query", required: false, kind: 'height' }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }, { name: "clamp", in: "query", required: false, kind: 'boolean', default: false }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }, { name: "include", in: "query", required: false, kind: 'enum', values: ["token"] }] },
  listStocks: { "path":"/{chain}/stocks","computeUnits":10,"dataset":"stock_daily","paged":true, parameters: [{ name: "day", in: "query", required: false, kind: 'day' }, { name: "all", in: "query", required: false, kind: 'boolean', default: false }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }] },
  listCorporateActions: { "path":"/{chain}/stocks/corporate-actions","computeUnits":10,"dataset":"stock_multipliers","paged":true, parameters: [{ name: "status", in: "query", required: false, kind: 'enum', values: ["pending","effective","superseded"] }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "from_block", in: "query", required: false, kind: 'height' }, { name: "to_block", in: "query", required: false, kind: 'height' }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }, { name: "clamp", in: "query", required: false, kind: 'boolean', default: false }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  getStock: { "path":"/{chain}/stocks/{token}","computeUnits":10,"dataset":"stock_tokens","paged":false, parameters: [{ name: "token", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }] },
  listStockDaily: { "path":"/{chain}/stocks/{token}/daily","computeUnits":10,"dataset":"stock_daily","paged":true, parameters: [{ name: "token", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }] },
  listStockMultipliers: { "path":"/{chain}/stocks/{token}/multipliers","computeUnits":10,"dataset":"stock_multipliers","paged":true, parameters: [{ name: "token", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "from_block", in: "query", required: false, kind: 'height' }, { name: "to_block", in: "query", required: false, kind: 'height' }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }, { name: "clamp", in: "query", required: false, kind: 'boolean', default: false }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }] },
  listStockHolders: { "path":"/{chain}/stocks/{token}/holders","computeUnits":10,"dataset":"balances","paged":true, parameters: [{ name: "token", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }] },
  listStockTransfers: { "path":"/{chain}/stocks/{token}/transfers","computeUnits":10,"dataset":"erc20_transfers","paged":true, parameters: [{ name: "token", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "exclude_zero", in: "query", required: false, kind: 'boolean', default: false }, { name: "from_block", in: "query", required: false, kind: 'height' }, { name: "to_block", in: "query", required: false, kind: 'height' }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }, { name: "clamp", in: "query", required: false, kind: 'boolean', default: false }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }, { name: "include", in: "query", required: false, kind: 'enum', values: ["token"] }] },
  listStockTrades: { "path":"/{chain}/stocks/{token}/trades","computeUnits":15,"dataset":"dex_swaps","paged":true, parameters: [{ name: "token", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "from_block", in: "query", required: false, kind: 'height' }, { name: "to_block", in: "query", required: false, kind: 'height' }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }, { name: "clamp", in: "query", required: false, kind: 'boolean', default: false }, { name: "finality", in: "query", required: false, kind: 'enum', values: ["finalized","latest"], default: "finalized" }, { name: "include", in: "query", required: false, kind: 'enum', values: ["token"] }] },
  listStockCandles: { "path":"/{chain}/stocks/{token}/candles","computeUnits":10,"dataset":"candles","paged":true, parameters: [{ name: "token", in: "path", required: true, kind: 'pattern', pattern: /^0x[0-9a-fA-F]{40}$/, foldCase: true }, { name: "interval", in: "query", required: false, kind: 'enum', values: ["1m","5m","15m","1h","4h","1d"], default: "1h" }, { name: "limit", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 500, default: 50 }, { name: "cursor", in: "query", required: false, kind: 'pattern', pattern: /^[A-Za-z0-9_-]{1,1024}$/, foldCase: false }, { name: "format", in: "query", required: false, kind: 'enum', values: ["csv","ndjson","parquet"] }, { name: "trailer", in: "query", required: false, kind: 'enum', values: ["none"] }, { name: "csv", in: "query", required: false, kind: 'enum', values: ["raw"] }, { name: "max_rows", in: "query", required: false, kind: 'integer', minimum: 1, maximum: 1000000 }, { name: "order", in: "query", required: false, kind: 'enum', values: ["asc","desc"], default: "desc" }, { name: "from_time", in: "query", required: false, kind: 'time' }, { name: "to_time", in: "query", required: false, kind: 'time' }] },
};
