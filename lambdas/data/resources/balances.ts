import type { ChainSchema } from '../../shared/chain-database/chain-schema.ts';
import { onSchema, sql } from '../../shared/chain-database/sql.ts';
import { inShares, joinMultiplier } from '../../shared/chain-database/stock-multiplier.ts';
import { MAX_VALUE_OF_LIQUIDITY } from '../../shared/chain-database/value-bound.ts';
import { isIndexed } from '../plan/indexed-bytes.ts';
import type { CoveredRange, Scope } from '../plan/plan.ts';
import type { Rows, SomeResources } from '../plan/resource.ts';
import { digits, fraction, hex, iso, usd } from '../plan/sql-text.ts';
import { keysOf, scanOf } from './keys.ts';
import { whyUnpriced } from './prices.ts';
import { UI_COLUMNS } from './transfers.ts';

/** Stands for the native coin, as in pools of Uniswap V4 and in prices. */
const NATIVE = `decode('${'00'.repeat(20)}', 'hex')`;
const NATIVE_DECIMALS = 18;
const BASIS_POINTS = 10_000;
/** Names of tokens that are sent to everybody: a link, or a word that promises something. */
export const SPAM_NAME =
  '(https?:|www[.]|[.](com|net|org|io|xyz|app|site|top|live)([^a-z]|$)|claim|airdrop|reward)';
/** Of a token that says none: an integer, as every entry has, and no scale. */
const NO_DECIMALS = -1;
const SNAPSHOT_MULTIPLIER = joinMultiplier(sql`t.token`, {
  time: sql`(SELECT block_time FROM snapshot)`,
  block: sql`(SELECT block_number FROM snapshot)`,
});

/** What the lists of what an address holds have in common. `native`: whether the native coin is the first of them. */
function held(
  scope: Scope,
  { address, native }: { readonly address: string; readonly native: boolean },
): Omit<Rows, 'joins' | 'columns'> {
  const { schema, bind } = scope;
  const holder = bind.bytes(address);
  const tokens = scanOf(scope, 'balances', `t.holder = ${holder}`);
  const { amount, block } = native ? bind.native() : {};
  const coin = `(SELECT ${NATIVE} AS token, ${amount} AS amount, ${block} AS as_of_block)`;
  return {
    branches: native
      ? [
          { from: coin, where: [] },
          ...tokens.map((each) => ({ ...each, columns: `t.token, t.amount, ${LAST} AS as_of_block` })),
        ]
      : tokens,
    keys: keysOf('bytea', 'token'),
    ofSnapshot: true,
    covers: ownedSince(schema, holder),
    ...(native && { nativeOf: address }),
  };
}

/** SQL of a token's decimals: the native coin says none, and has as many on every chain. */
const decimalsOf = (native: boolean) =>
  native ? `CASE t.token WHEN ${NATIVE} THEN ${NATIVE_DECIMALS} ELSE token.decimals END` : 'token.decimals';

const joinTokens = (schema: ChainSchema) => `LEFT JOIN ${schema}.tokens AS token ON token.address = t.token`;

/** SQL of the last block of the snapshot. */
const LAST = '(SELECT block_number FROM snapshot)';
/** SQL of whether a transfer came after the snapshot, up to the indexed head: one look-up of an index for each column. */
function movedSince(
  schema: ChainSchema,
  columns: readonly ('from_address' | 'to_address' | 'token')[],
  value: string,
): string {
  const transfers = columns.map(
    (column) => `EXISTS (SELECT 1 FROM ${schema}.erc20_transfers
      WHERE ${isIndexed(schema, column, value)} AND block_number > ${LAST} AND block_number <= as_of)`,
  );
  return `(${transfers.join(' OR ')})`;
}

/**
 * Blocks that the holders of a token are of: to the head, beyond the snapshot, if the token moved after it, or the snapshot lacks
 * transfers of it that came late. Those of a token that is younger are all beyond it.
 */
function heldSince(schema: ChainSchema, token: string): CoveredRange {
  const seen = `(SELECT first_seen_block FROM ${schema}.tokens WHERE address = ${token})`;
  const isYounger = `${seen} > ${LAST}`;
  const lacksLate = `EXISTS (SELECT 1 FROM ${schema}.tokens WHERE address = ${token} AND (amounts = 'due'
    OR recount_snapshot NOT BETWEEN 1 AND (SELECT snapshot_id FROM snapshot)))`;
  return {
    from: `CASE WHEN ${isYounger} THEN ${seen} ELSE 0 END`,
    to: `CASE WHEN ${isYounger} OR ${lacksLate} OR ${movedSince(schema, ['token'], token)} THEN as_of ELSE ${LAST} END`,
  };
}

/** Blocks that the balances of an address are of: to the head, beyond the snapshot, if it sent or received anything after it. */
function ownedSince(schema: ChainSchema, address: string): CoveredRange {
  const moved = movedSince(schema, ['from_address', 'to_address'], address);
  return { from: '0', to: `CASE WHEN ${moved} THEN as_of ELSE ${LAST} END` };
}

/** Holders of a token, the largest first. */
function holders(scope: Scope, { token }: { readonly token: string }): Rows {
  const { schema, bind } = scope;
  return {
    branches: scanOf(scope, 'balances', `t.token = ${bind.bytes(token)}`),
    keys: [
      { column: 'amount', type: 'numeric', descending: true },
      { column: 'holder', type: 'bytea', descending: false },
    ],
    joins: `${joinTokens(schema)} ${onSchema(SNAPSHOT_MULTIPLIER, schema)}`,
    columns: `${hex('t.holder')} AS holder, ${digits('t.amount')} AS balance,
      (SELECT share::integer FROM div(t.amount * ${BASIS_POINTS}, nullif(token.total_supply, 0)) AS share
        WHERE share <= ${BASIS_POINTS}) AS share_bps, t.method, t.confidence,
      t.block_number, ${UI_COLUMNS}`,
    ofSnapshot: true,
    covers: heldSince(schema, bind.bytes(token)),
  };
}

/**
 * Joins the last price of a token that is known up to the indexed head, and what a balance is worth at it; null without a
 * price, and where the decimals are not known. The factor with decimals keeps those of the quotient: of whole numbers that
 * are long PostgreSQL gives none.
 * @param decimals SQL of the token's
 */
const joinValue = (schema: ChainSchema, decimals: string) => `LEFT JOIN LATERAL (
    SELECT price_usd, least(price_usd, pending_price_usd) AS lower_usd, block_number, method = 'peg' AS is_peg, confidence,
      liquidity_usd, depth_usd FROM ${schema}.token_prices AS price
    WHERE price.token = t.token AND price.block_number <= (SELECT as_of FROM head) ORDER BY price.block_number DESC LIMIT 1
  ) AS priced ON true
  CROSS JOIN LATERAL (SELECT t.amount * 1.000000 / 10::numeric ^ ${decimals}::integer AS whole) AS held
  CROSS JOIN LATERAL (
    SELECT held.whole * priced.price_usd AS usd, held.whole * priced.lower_usd AS lower_usd,
      NOT priced.is_peg AND held.whole * priced.price_usd > ${MAX_VALUE_OF_LIQUIDITY} * priced.liquidity_usd AS is_beyond
  ) AS worth`;

/** SQL of why a token may be spam: nobody could pay what it is worth, or its name wants its reader to go somewhere. */
const spamReason = (
  named: string,
) => `CASE WHEN t.token = ${NATIVE} THEN NULL WHEN worth.is_beyond AND priced.liquidity_usd > 0 THEN 'worth'
    WHEN concat_ws(' ', ${named}.name, ${named}.symbol) ~* '${SPAM_NAME}' THEN 'name' END`;

/**
 * Price and value of a balance, and as much of it as the depth behind the price pays, at the lower of the price and one that is
 * pending; a peg is the issuer's promise. An amount that nobody could pay for has no value, and what has no price or value says why,
 * unless the amount itself is not known.
 * @param named alias of what has the token's name and symbol
 */
const valueColumns = (schema: ChainSchema, named: string) => `${fraction('priced.price_usd')} AS price_usd,
    ${usd(`CASE WHEN priced.is_peg OR worth.usd <= ${MAX_VALUE_OF_LIQUIDITY} * priced.liquidity_usd THEN worth.usd END`)}
      AS value_usd,
    ${usd(`CASE WHEN worth.lower_usd > priced.depth_usd THEN priced.depth_usd
      WHEN priced.is_peg OR worth.lower_usd <= priced.depth_usd THEN worth.lower_usd END`)} AS sellable_usd,
    CASE WHEN priced.price_usd IS NULL THEN ${whyUnpriced(schema, 't.token', '(SELECT as_of FROM head)')} WHEN t.amount IS NULL THEN NULL
      WHEN worth.usd IS NULL THEN 'no_decimals'
      WHEN NOT priced.is_peg AND priced.liquidity_usd = 0 THEN 'no_depth' WHEN worth.is_beyond THEN 'worth'
      END AS unpriced_reason,
    priced.confidence AS price_confidence, priced.block_number AS price_block_number,
    ${spamReason(named)} IS NOT NULL AS possible_spam, ${spamReason(named)} AS spam_reason`;

export const BALANCE_RESOURCES = {
  listAddressBalances: (scope, { address, native }) => ({
    ...held(scope, { address, native }),
    tokens: { token: 't.token' },
    joins: joinTokens(scope.schema),
    columns: `${hex('t.token')} AS token, ${digits('t.amount')} AS balance,
      coalesce(token.symbol, '') AS symbol,
      coalesce(${decimalsOf(native)}, ${NO_DECIMALS}) AS decimals${native ? ', t.as_of_block' : ''}`,
  }),
  listAddressBalanceValues: (scope, { address, native }) => ({
    ...held(scope, { address, native }),
    joins: `${joinTokens(scope.schema)} ${joinValue(scope.schema, decimalsOf(native))}`,
    columns: `${hex('t.token')} AS token, token.symbol, ${decimalsOf(native)} AS decimals,
      ${digits('t.amount')} AS balance, ${valueColumns(scope.schema, 'token')},
      ${LAST} AS block_number${native ? ', t.as_of_block' : ''}`,
  }),
  listBalanceHistory: (scope, { address, token }) => ({
    branches: scanOf(
      scope,
      'balance_history',
      `t.holder = ${scope.bind.bytes(address)}`,
      `t.token = ${scope.bind.bytes(token)}`,
      't.snapshot_id <= (SELECT snapshot_id FROM snapshot)',
    ),
    keys: keysOf('bigint', 'snapshot_id'),
    joins: `JOIN ${scope.schema}.balance_snapshots AS taken ON taken.snapshot_id = t.snapshot_id`,
    columns: `taken.block_number, ${iso('taken.block_time')} AS timestamp, ${digits('t.amount')} AS balance, t.method,
      t.confidence`,
    ofSnapshot: true,
    covers: ownedSince(scope.schema, scope.bind.bytes(address)),
  }),
  listTokenHolders: holders,
  listStockHolders: holders,
  listAddressStocks: ({ schema, bind }, { address }) => ({
    branches: [
      {
        from: `(SELECT held.* FROM ${schema}.stock_tokens AS listed
          JOIN ${schema}.balances AS held ON held.token = listed.token AND held.holder = ${bind.bytes(address)})`,
        where: [],
      },
    ],
    keys: keysOf('bytea', 'token'),
    joins: `${onSchema(SNAPSHOT_MULTIPLIER, schema)} ${joinValue(schema, 'stock.decimals')}`,
    columns: `${hex('t.token')} AS token, stock.symbol, stock.name, stock.issuer, stock.decimals,
      ${digits('t.amount')} AS balance, ${digits(inShares(sql`t.amount`))} AS ui_balance,
      ${digits('ui.multiplier')} AS ui_multiplier, ${valueColumns(schema, 'stock')}, t.block_number`,
    ofSnapshot: true,
    covers: ownedSince(schema, bind.bytes(address)),
  }),
} satisfies SomeResources;
