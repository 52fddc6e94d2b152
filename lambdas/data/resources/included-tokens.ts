import type { Plan, Scope } from '../plan/plan.ts';
import type { ChainOperationId } from './all.ts';

/** Columns of the rows with a token whose symbol and decimals may be asked for, by the start of the names of these fields. */
type TokenColumns = Readonly<Record<string, string>>;

const OF_TRANSFERS: TokenColumns = { token: 't.token' };
const OF_TRADES: TokenColumns = { token_in: 't.token_in', token_out: 't.token_out' };
const OF_POOLS: TokenColumns = { token0: 't.token0', token1: 't.token1' };

/** The tokens whose amounts the rows of an operation have. */
const TOKENS_OF: { readonly [Id in ChainOperationId]?: TokenColumns } = {
  listTransfers: OF_TRANSFERS,
  listTransactionTransfers: OF_TRANSFERS,
  listAddressTransfers: OF_TRANSFERS,
  listTokenTransfers: OF_TRANSFERS,
  listStockTransfers: OF_TRANSFERS,
  listAddressBalances: OF_TRANSFERS,
  listTrades: OF_TRADES,
  listTransactionTrades: OF_TRADES,
  listAddressTrades: OF_TRADES,
  listTokenTrades: OF_TRADES,
  listStockTrades: OF_TRADES,
  listPoolTrades: OF_TRADES,
  listPools: OF_POOLS,
  getPool: OF_POOLS,
};

/**
 * A plan whose rows have symbol and decimals of their tokens behind their own fields, null where the token says none. Each is
 * found by its key, for the rows of the page alone.
 */
export function includeTokens({ schema }: Scope, plan: Plan, operationId: ChainOperationId): Plan {
  const tokens = Object.entries(TOKENS_OF[operationId] ?? {});
  const joins = tokens.map(
    ([name, column]) => `LEFT JOIN LATERAL (
      SELECT symbol, decimals FROM ${schema}.tokens WHERE address = ${column} LIMIT 1
    ) AS of_${name} ON true`,
  );
  const columns = tokens.map(
    ([name]) => `of_${name}.symbol AS ${name}_symbol, of_${name}.decimals AS ${name}_decimals`,
  );
  return {
    ...plan,
    joins: [...(plan.joins === undefined ? [] : [plan.joins]), ...joins].join(' '),
    columns: [plan.columns, ...columns].join(', '),
  };
}
