import type { LoadType, LoadValue } from '../../shared/chain-database/load-rows.ts';
import type { DexProtocol } from '../../shared/runtime/settings.ts';
import type { Hex } from './raw-block.ts';

/** PostgreSQL's types by what columns hold. */
const LOAD_TYPES = {
  /** 32 bytes. */
  hash: 'bytea',
  /** 20 bytes. */
  address: 'bytea',
  /** Bytes of any number. */
  data: 'bytea',
  /** A whole number of at most 256 bits. */
  quantity: 'numeric',
  bigint: 'bigint',
  integer: 'integer',
  smallint: 'smallint',
  text: 'text',
  json: 'jsonb',
  /** ISO 8601. */
  time: 'timestamptz',
  boolean: 'boolean',
} as const satisfies Readonly<Record<string, LoadType>>;

export type Held = keyof typeof LOAD_TYPES;

/** How a row has what a column holds. */
interface Values extends Record<Held, unknown> {
  readonly hash: Hex;
  readonly address: Hex;
  readonly data: Hex;
  readonly quantity: bigint;
  readonly bigint: number;
  readonly integer: number;
  readonly smallint: number;
  readonly text: string;
  readonly json: string;
  readonly time: string;
  readonly boolean: boolean;
}

/**
 * What shows that a value of a node is right: a hash or root of its block comes out of it, it follows from what does, or the
 * node's word alone; for the types of Ethereum's own transactions (docs/indexing.md, "What is verified").
 */
export type ProofClass = 'committed' | 'derived' | 'told';

/**
 * What a column holds, with `?` where it may be null; and what shows that, where a node tells it, which is what files have. A
 * column without that is made here of others.
 */
export type ColumnSpec = `${Held}${'' | '?'}${'' | ` ${ProofClass}`}`;
/** The value of a column in a row. */
export type ColumnValue<Spec> = Spec extends `${infer Name} ${ProofClass}`
  ? ColumnValue<Name>
  : Spec extends `${infer Name extends Held}?`
    ? Values[Name] | null
    : Spec extends Held
      ? Values[Spec]
      : never;

/** A row with these columns. */
type RowOf<Columns> = { readonly [Column in keyof Columns]: ColumnValue<Columns[Column]> };
/** The same, of which some members are narrower than their columns. */
type Narrowed<Columns, Narrow> = Omit<RowOf<Columns>, keyof Narrow> & Readonly<Narrow>;

/** Where a log is; every row that comes out of a log has it. */
const SITE = {
  block_number: 'bigint',
  log_index: 'integer',
  tx_index: 'integer',
  tx_hash: 'hash',
  block_time: 'time',
} as const;
/** The same of the tables with most rows, where a block's number has 4 bytes. */
const SLIM_SITE = { ...SITE, block_number: 'integer' } as const;

/** Columns that each table is loaded with, in their order, named and typed as in the migrations. */
export const TABLE_COLUMNS = {
  blocks: {
    number: 'bigint committed',
    hash: 'hash committed',
    parent_hash: 'hash committed',
    time: 'time committed',
    miner: 'address committed',
    gas_limit: 'quantity? committed',
    gas_used: 'quantity committed',
    base_fee_per_gas: 'quantity? committed',
    state_root: 'hash committed',
    transactions_root: 'hash committed',
    receipts_root: 'hash committed',
    extra_data: 'data committed',
    tx_count: 'integer',
    log_count: 'integer',
    size: 'bigint? told',
    l1_block_number: 'bigint? derived',
    send_count: 'bigint? derived',
    send_root: 'hash? derived',
    extra: 'json told',
    /** Null where nothing was left out. */
    extra_omitted: 'json? told',
  },
  transactions: {
    block_number: 'integer committed',
    tx_index: 'integer committed',
    hash: 'hash committed',
    block_hash: 'hash',
    block_time: 'time',
    type: 'smallint committed',
    from_address: 'address derived',
    to_address: 'address? committed',
    contract_address: 'address? derived',
    nonce: 'quantity? committed',
    value: 'quantity committed',
    gas: 'quantity committed',
    gas_price: 'quantity? told',
    max_fee_per_gas: 'quantity? committed',
    max_priority_fee_per_gas: 'quantity? committed',
    effective_gas_price: 'quantity? derived',
    gas_used: 'quantity derived',
    gas_used_for_l1: 'quantity? told',
    cumulative_gas_used: 'quantity committed',
    l1_block_number: 'bigint? told',
    status: 'smallint? committed',
    log_count: 'integer',
    /** First four bytes of the input of a call; null where it is absent. */
    method_id: 'data?',
    /** The first bytes; `data_pieces` has the rest. */
    input: 'data committed',
    /** Bytes of the whole input. */
    input_size: 'integer',
    request_id: 'hash? committed',
    extra: 'json told',
    l1_fee: 'quantity? told',
    operator_fee: 'quantity?',
    blob_gas_used: 'quantity? told',
    blob_gas_price: 'quantity? told',
    /** Null where the receipt says nothing further. */
    receipt_extra: 'json? told',
    /** Null where nothing was left out. */
    extra_omitted: 'json? told',
  },
  withdrawals: {
    block_number: 'bigint committed',
    place: 'integer',
    block_time: 'time',
    withdrawal_index: 'quantity committed',
    validator_index: 'quantity committed',
    to_address: 'address committed',
    amount_gwei: 'quantity committed',
  },
  logs: {
    ...SLIM_SITE,
    block_number: 'integer committed',
    tx_index: 'integer committed',
    log_index: 'integer committed',
    address: 'address committed',
    topic0: 'hash? committed',
    topic1: 'hash? committed',
    topic2: 'hash? committed',
    topic3: 'hash? committed',
    /** The first bytes; `data_pieces` has the rest. */
    data: 'data committed',
    /** Bytes of the whole data. */
    data_size: 'integer',
  },
  /** What follows the first bytes of long data. */
  data_pieces: {
    block_number: 'bigint',
    kind: 'text',
    /** The transaction's index; of a log, its log index. */
    item_index: 'integer',
    /** The trace's index in its transaction, else 0. */
    part_index: 'integer',
    /** From 1. */
    piece: 'integer',
    data: 'data',
  },
  erc20_transfers: {
    ...SLIM_SITE,
    token: 'address',
    from_address: 'address',
    to_address: 'address',
    amount: 'quantity',
    kind: 'text',
  },
  nft_transfers: {
    ...SLIM_SITE,
    /** Place in a batch transfer, else 0. */
    batch_index: 'integer',
    standard: 'smallint',
    token: 'address',
    token_id: 'quantity',
    from_address: 'address',
    to_address: 'address',
    operator: 'address?',
    amount: 'quantity',
    kind: 'text',
  },
  /** A row for each URI that was announced. */
  nft_uris: {
    block_number: 'bigint',
    log_index: 'integer',
    token: 'address',
    token_id: 'quantity',
    token_uri: 'text?',
    uri_size: 'integer',
  },
  /** Pools that were made in the block: what is known of them from then on. */
  dex_pools: {
    /** Address of the pool; with V4 the 32 bytes of its id. */
    pool_id: 'data',
    protocol: 'text',
    /** The contract that said so; with V4 the pool manager. */
    factory: 'address',
    token0: 'address',
    token1: 'address',
    /** Millionths; null where the hooks decide. */
    fee_pips: 'integer?',
    dynamic_fee: 'boolean',
    tick_spacing: 'integer?',
    hooks: 'address?',
    created_block: 'bigint',
    updated_block: 'bigint',
    created_log_index: 'integer',
    created_time: 'time',
  },
  /** Without the USD value. */
  dex_swaps: {
    ...SITE,
    protocol: 'text',
    pool_id: 'data',
    sender: 'address',
    recipient: 'address?',
    trader: 'address',
    trader_kind: 'text',
    token_in: 'address',
    token_out: 'address',
    amount_in: 'quantity',
    amount_out: 'quantity',
    /** What the pool's balance changed by: positive went into it. */
    amount0: 'quantity',
    amount1: 'quantity',
    fee_pips: 'integer?',
    sqrt_price_x96: 'quantity?',
    tick: 'integer?',
    liquidity: 'quantity?',
  },
  /** Amounts are as logged; of `sync` they are the reserves. */
  dex_liquidity_events: {
    ...SITE,
    protocol: 'text',
    pool_id: 'data',
    kind: 'text',
    owner: 'address?',
    tick_lower: 'integer?',
    tick_upper: 'integer?',
    /** Negative where liquidity is taken out. */
    liquidity_delta: 'quantity?',
    amount0: 'quantity?',
    amount1: 'quantity?',
    sqrt_price_x96: 'quantity?',
  },
  /** Without `superseded`. */
  stock_multipliers: {
    token: 'address',
    block_number: 'bigint',
    log_index: 'integer',
    tx_hash: 'hash',
    block_time: 'time',
    /** 18 decimals. */
    old_multiplier: 'quantity',
    new_multiplier: 'quantity',
    set_at: 'time',
    effective_at: 'time',
  },
  traces: {
    block_number: 'integer told',
    tx_index: 'integer told',
    /** Place in the transaction, depth first from 0. */
    trace_index: 'integer',
    tx_hash: 'hash',
    block_time: 'time',
    /** The places of the call and of its parents among their siblings, from the top, with commas between; empty at the top. */
    trace_address: 'text told',
    type: 'text told',
    from_address: 'address told',
    to_address: 'address? told',
    value: 'quantity told',
    gas: 'quantity told',
    gas_used: 'quantity told',
    method_id: 'data?',
    input: 'data told',
    input_size: 'integer',
    output: 'data told',
    output_size: 'integer',
    /** Its own error, or else that of the nearest parent that failed. */
    error: 'text? told',
    revert_reason: 'text? told',
    subcalls: 'integer told',
    reverted_by_parent: 'boolean',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, ColumnSpec>>>>;

type Table = keyof typeof TABLE_COLUMNS;
type Kind<One extends string> = { readonly kind: One };
interface NarrowTables {
  readonly transactions: { readonly status: 0 | 1 | null };
  readonly data_pieces: Kind<'tx_input' | 'log_data' | 'trace_input' | 'trace_output'>;
  readonly erc20_transfers: Kind<'transfer' | 'mint' | 'burn' | 'wrap' | 'unwrap'>;
  readonly nft_transfers: Kind<'transfer' | 'mint' | 'burn'> & { readonly standard: 721 | 1155 };
  readonly dex_pools: { readonly protocol: DexProtocol };
  readonly dex_swaps: {
    readonly protocol: DexProtocol;
    readonly trader_kind: 'tx_from' | 'userop_sender';
  };
  readonly dex_liquidity_events: Kind<
    'initialize' | 'sync' | 'mint' | 'burn' | 'collect' | 'modify' | 'donate'
  > & { readonly protocol: DexProtocol };
}

/** The rows that are loaded as they are, by table. Members are named after their columns. */
export type LoadedTables = {
  readonly [Name in Table]: Name extends keyof NarrowTables
    ? Narrowed<(typeof TABLE_COLUMNS)[Name], NarrowTables[Name]>
    : RowOf<(typeof TABLE_COLUMNS)[Name]>;
};

/** The columns of each table by what PostgreSQL calls their types. */
export const LOAD_COLUMNS = Object.fromEntries(
  Object.entries<Readonly<Record<string, ColumnSpec>>>(TABLE_COLUMNS).map(([table, columns]) => {
    const types = Object.entries(columns).map(([name, spec]) => [name, LOAD_TYPES[columnParts(spec).held]]);
    return [table, Object.fromEntries(types)];
  }),
) as {
  readonly [Name in Table]: { readonly [Column in keyof (typeof TABLE_COLUMNS)[Name]]: LoadType };
};

/** Rows as a statement that loads them takes their values: in the order of the columns. */
export function valuesOf(
  columns: Readonly<Record<string, LoadType>>,
  rows: readonly object[],
): LoadValue[][] {
  const names = Object.keys(columns);
  return rows.map((row) => names.map((name) => (row as Readonly<Record<string, LoadValue>>)[name] ?? null));
}

/** What a column holds, whether it may be null, and what shows that it is right. */
export function columnParts(spec: ColumnSpec) {
  const [name = '', proof] = spec.split(' ');
  return {
    held: name.replace('?', '') as Held,
    isNullable: name.endsWith('?'),
    proof: proof as ProofClass | undefined,
  };
}
