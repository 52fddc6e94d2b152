import type { ChainSchema } from '../../shared/chain-database/chain-schema.ts';
import type { Scope } from '../plan/plan.ts';
import type { Rows, SomeResources } from '../plan/resource.ts';
import { digits, fraction, hex, iso, usd } from '../plan/sql-text.ts';
import { chronological, scanOf } from './keys.ts';
import { chosenPools } from './pools.ts';
import { ofTransaction } from './transaction-place.ts';

/** SQL of whether a pool's hook may give and take in swaps itself: Uniswap V4 has the right to it in two bits of the hook's address. */
const CHANGES_AMOUNTS = 'coalesce(get_byte(t.hooks, 19) & 12 <> 0, false)';

const POOL_COLUMNS = `${hex('t.pool_id')} AS pool_id, t.protocol, ${hex('t.factory')} AS factory,
  listed.factory IS NOT NULL AS listed_factory,
  ${hex('t.token0')} AS token0, ${hex('t.token1')} AS token1, t.fee_pips, t.dynamic_fee, t.tick_spacing,
  ${hex('t.hooks')} AS hooks, ${CHANGES_AMOUNTS} AS hook_changes_amounts, t.created_block, ${iso('t.created_time')} AS created_at,
  ${digits('t.reserve0')} AS reserve0, ${digits('t.reserve1')} AS reserve1,
  ${digits('t.sqrt_price_x96')} AS sqrt_price_x96, t.tick, ${digits('t.liquidity')} AS liquidity,
  ${usd('t.liquidity_usd')} AS liquidity_usd, t.updated_block`;

const POOL_TOKENS = { token0: 't.token0', token1: 't.token1' };

/** Which pools are of factories that the stage file lists. */
const joinFactories = (schema: ChainSchema) =>
  `LEFT JOIN ${schema}.dex_factories AS listed ON listed.protocol = t.protocol AND listed.factory = t.factory`;

const TRADE_COLUMNS = `t.block_number, ${iso('t.block_time')} AS timestamp, ${hex('t.tx_hash')} AS transaction_hash,
  t.tx_index AS transaction_index, t.log_index, t.protocol, ${hex('t.pool_id')} AS pool_id,
  ${hex('t.token_in')} AS token_in, ${hex('t.token_out')} AS token_out, ${digits('t.amount_in')} AS amount_in,
  ${digits('t.amount_out')} AS amount_out, ${fraction('t.amount_usd')} AS amount_usd, t.usd_method,
  CASE WHEN t.protocol = 'uniswap_v2' AND (t.amount_in = 0 OR t.amount_out = 0) THEN 'flash' ELSE 'swap' END AS kind,
  ${hex('t.sender')} AS sender, ${hex('t.recipient')} AS recipient, ${hex('t.trader')} AS trader, t.trader_kind,
  t.fee_pips, ${digits('t.sqrt_price_x96')} AS sqrt_price_x96, t.tick, ${digits('t.liquidity')} AS liquidity`;

const TRADES = {
  overlapping: true,
  keys: chronological('log_index'),
  columns: TRADE_COLUMNS,
  tokens: { token_in: 't.token_in', token_out: 't.token_out' },
} as const;

/** Trades in which a token was sold or bought. */
function tokenTrades(scope: Scope, { token }: { readonly token: string }): Rows {
  const sides = ['t.token_in', 't.token_out'].map((side) => `${side} = ${scope.bind.bytes(token)}`);
  return { ...TRADES, branches: sides.flatMap((of) => scanOf(scope, 'dex_swaps', of)) };
}

export const DEX_RESOURCES = {
  listPools: (scope, parameters) => ({
    ...chosenPools(scope, parameters),
    joins: joinFactories(scope.schema),
    columns: POOL_COLUMNS,
    tokens: POOL_TOKENS,
  }),
  getPool: (scope, { pool }) => ({
    branches: scanOf(scope, 'dex_pools', `t.pool_id = ${scope.bind.bytes(pool)}`),
    joins: joinFactories(scope.schema),
    columns: POOL_COLUMNS,
    tokens: POOL_TOKENS,
    absent: `there is no pool ${pool}`,
  }),
  listPoolTrades: (scope, { pool }) => ({
    ...TRADES,
    branches: scanOf(scope, 'dex_swaps', `t.pool_id = ${scope.bind.bytes(pool)}`),
  }),
  listPoolLiquidityEvents: (scope, { pool }) => ({
    branches: scanOf(scope, 'dex_liquidity_events', `t.pool_id = ${scope.bind.bytes(pool)}`),
    keys: chronological('log_index'),
    columns: `t.block_number, ${iso('t.block_time')} AS timestamp, ${hex('t.tx_hash')} AS transaction_hash,
      t.tx_index AS transaction_index, t.log_index, t.protocol, ${hex('t.pool_id')} AS pool_id, t.kind,
      ${hex('t.owner')} AS owner, t.tick_lower, t.tick_upper, ${digits('t.liquidity_delta')} AS liquidity_delta,
      ${digits('t.amount0')} AS amount0, ${digits('t.amount1')} AS amount1,
      ${digits('t.sqrt_price_x96')} AS sqrt_price_x96`,
  }),
  listTrades: (scope) => ({ ...TRADES, branches: scanOf(scope, 'dex_swaps') }),
  listAddressTrades: (scope, { address }) => ({
    ...TRADES,
    branches: scanOf(scope, 'dex_swaps', `t.trader = ${scope.bind.bytes(address)}`),
  }),
  listTokenTrades: tokenTrades,
  listStockTrades: tokenTrades,
  listTransactionTrades: (scope, { hash }) => {
    const { where, ...place } = ofTransaction(scope, hash);
    return { ...TRADES, branches: scanOf(scope, 'dex_swaps', ...where), ...place };
  },
} satisfies SomeResources;
