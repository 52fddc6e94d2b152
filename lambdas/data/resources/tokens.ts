import type { ChainSchema } from '../../shared/chain-database/chain-schema.ts';
import type { OperationParameters } from '../operations/operations.ts';
import { isIndexed } from '../plan/indexed-bytes.ts';
import type { Plan, Scope } from '../plan/plan.ts';
import type { SomeResources } from '../plan/resource.ts';
import { digits, hex } from '../plan/sql-text.ts';
import { keysOf, scanOf } from './keys.ts';
import { searchedTokens } from './searched-tokens.ts';

/**
 * Holders as the newest snapshot has them: null of what no snapshot counts, which is NFTs, and tokens that are younger.
 * @param token alias of a row of `tokens`
 */
export function holderCount(token: string): string {
  return `CASE WHEN ${token}.standard = 20 AND ${token}.first_seen_block <= (SELECT block_number FROM snapshot)
    THEN ${token}.holder_count END`;
}

/** Transfers up to the finalized block, where their lists end; the indexer counts to the head. */
export function transferCount(schema: ChainSchema): string {
  const ofToken = {
    erc20_transfers: isIndexed(schema, 'recent.token', 't.address'),
    nft_transfers: 'recent.token = t.address',
  };
  const recent = Object.entries(ofToken).map(
    ([table, condition]) => `(SELECT count(*) FROM ${schema}.${table} AS recent
      WHERE ${condition} AND recent.block_number > (SELECT finalized FROM head))`,
  );
  return `greatest(t.transfer_count - ${recent.join(' - ')}, 0)`;
}

/** Former names of a token that are returned. */
const MAX_FORMER_NAMES = 10;

/** Fields of a token. */
export const tokenColumns = (
  schema: ChainSchema,
) => `${hex('t.address')} AS address, 'erc' || t.standard AS standard, t.name, t.symbol, t.decimals,
  ${digits('t.total_supply')} AS total_supply, ${holderCount('t')} AS holder_count,
  ${transferCount(schema)} AS transfer_count, t.first_seen_block, t.balance_model,
  t.metadata_status, stock.token IS NOT NULL AS is_stock, t.new_decimals,
  (SELECT coalesce(json_agg(json_build_object('name', name, 'symbol', symbol, 'decimals', decimals, 'to_block', to_block)
      ORDER BY to_block DESC), '[]')
    FROM (SELECT * FROM ${schema}.token_names WHERE token = t.address ORDER BY to_block DESC LIMIT ${MAX_FORMER_NAMES}) AS former
  ) AS former_names`;

/** Joins what tells whether a token is a tokenised stock. */
export const joinStock = (schema: ChainSchema) =>
  `LEFT JOIN ${schema}.stock_tokens AS stock ON stock.token = t.address`;

/** Tokens of a standard and a symbol, by their address. */
function listed(
  scope: Scope,
  { standard, symbol }: Pick<OperationParameters['listTokens'], 'standard' | 'symbol'>,
): Pick<Plan, 'branches' | 'keys'> {
  const { bind } = scope;
  const of = standard === 'all' ? [] : [`t.standard = ${bind.integer(Number(standard.slice('erc'.length)))}`];
  const named = symbol === undefined ? [] : [`lower(t.symbol) = lower(${bind.text(symbol)})`];
  return {
    branches: scanOf(scope, 'tokens', ...of, ...named),
    keys: keysOf('bytea', 'address'),
  };
}

export const TOKEN_RESOURCES = {
  listTokens: (scope, { standard, symbol, search, limit }) => ({
    ...(search === undefined ? listed(scope, { standard, symbol }) : searchedTokens(scope, search, limit)),
    joins: joinStock(scope.schema),
    columns: tokenColumns(scope.schema),
  }),
  getToken: (scope, { token }) => ({
    branches: scanOf(scope, 'tokens', `t.address = ${scope.bind.bytes(token)}`),
    joins: joinStock(scope.schema),
    columns: tokenColumns(scope.schema),
    absent: `unknown token ${token}`,
  }),
} satisfies SomeResources;
