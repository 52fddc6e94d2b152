import type { ChainSchema } from '../../shared/chain-database/chain-schema.ts';
import type { OperationParameters } from '../operations/operations.ts';
import type { Scope } from '../plan/plan.ts';
import type { Rows, SomeResources } from '../plan/resource.ts';
import { digits, fraction, hex, iso, usd } from '../plan/sql-text.ts';
import { earliestAt, finalizedPart, latestAt, latestBefore } from '../plan/window.ts';
import { keysOf, scanOf } from './keys.ts';

/** Fields of a price. */
export const PRICE_COLUMNS = `${hex('t.token')} AS token, ${fraction('t.price_usd')} AS price_usd,
  ${fraction('t.pending_price_usd')} AS pending_price_usd, t.confidence, to_json(string_to_array(t.reasons, ',')) AS reasons,
  t.method, t.block_number, ${iso('t.block_time')} AS timestamp, ${hex('t.pool_id')} AS pool_id,
  to_json(string_to_array(t.sources, ',')) AS sources, ${usd('t.liquidity_usd')} AS liquidity_usd,
  ${usd('t.depth_usd')} AS depth_usd, ${usd('t.cost_to_move_usd')} AS cost_to_move_usd, t.sample_trades`;

/** Seconds of each length of a candle. */
const INTERVAL_SECONDS = {
  '1m': 60,
  '5m': 300,
  '15m': 900,
  '1h': 3_600,
  '4h': 14_400,
  '1d': 86_400,
} as const satisfies Record<OperationParameters['listTokenCandles']['interval'], number>;

type CandleParameters = Pick<OperationParameters['listTokenCandles'], 'interval' | 'from_time' | 'to_time'>;

/**
 * Joins what makes a price of raw units one of whole tokens: whole token1 for a whole token0. Null where one of the two
 * says no decimals, as a whole one is not known then.
 */
function joinScale(schema: ChainSchema, pool: string): string {
  return `LEFT JOIN LATERAL (
      SELECT 10::numeric ^ (base.decimals::integer - quote.decimals::integer) AS factor
      FROM ${schema}.dex_pools AS pool
      JOIN ${schema}.tokens AS base ON base.address = pool.token0
      JOIN ${schema}.tokens AS quote ON quote.address = pool.token1
      WHERE pool.pool_id = ${pool}
    ) AS scaled ON true`;
}

/** Candles of a pool or a token. */
function candles(
  scope: Scope,
  kind: 'pool' | 'token',
  subject: string,
  { interval, from_time, to_time }: CandleParameters,
): Rows {
  const { schema, bind } = scope;
  const length = `interval '${INTERVAL_SECONDS[interval]} seconds'`;
  const end = `t.start_time + ${length}`;
  const price = (column: string) => fraction(kind === 'pool' ? `t.${column} * scaled.factor` : `t.${column}`);
  return {
    branches: scanOf(
      scope,
      'candles',
      `t.subject_kind = '${kind}'`,
      `t.subject = ${bind.bytes(subject)}`,
      `t.interval_seconds = ${INTERVAL_SECONDS[interval]}`,
      ...(from_time === undefined ? [] : [`t.start_time >= ${bind.time(from_time)}`]),
      ...(to_time === undefined ? [] : [`t.start_time <= ${bind.time(to_time)}`]),
    ),
    keys: keysOf('timestamptz', 'start_time'),
    ...(kind === 'pool' && { joins: joinScale(schema, bind.bytes(subject)) }),
    columns: `${iso('t.start_time')} AS start, ${price('open')} AS open, ${price('high')} AS high,
      ${price('low')} AS low, ${price('close')} AS close, ${digits('t.volume_base')} AS volume_base,
      ${digits('t.volume_quote')} AS volume_quote, ${fraction('t.volume_usd')} AS volume_usd, t.trades, t.first_block,
      t.last_block, coalesce(
        ${end} <= (SELECT time FROM ${schema}.blocks WHERE number = (SELECT finalized FROM head))
        AND ${end} <= (SELECT block_time FROM ${schema}.cursors WHERE name = 'rollups'), false) AS complete`,
    covers: finalizedPart({
      from: from_time === undefined ? '0' : earliestAt(schema, bind.time(from_time)),
      to: to_time === undefined ? 'as_of' : latestBefore(schema, endOfCandle(length, bind.time(to_time))),
    }),
  };
}

/** SQL of the end of the candle that a moment is in. */
function endOfCandle(length: string, moment: string): string {
  return `date_bin(${length}, ${moment}, 'epoch'::timestamptz) + ${length}`;
}

/** Pools of each side of a token that are looked at for why it has no price. */
const MAX_LOOKED_AT = 50;

/**
 * SQL of why a token has no price: `no_pool`, `unlisted_factory`, `no_quote`, `no_depth` or, where all these are there, `thin`.
 * @param token SQL of its address
 * @param until SQL of the last block that counts
 */
export function whyUnpriced(schema: ChainSchema, token: string, until: string): string {
  const sides = [
    ['token0', 'token1'],
    ['token1', 'token0'],
  ].map(
    ([side, other]) => `(SELECT pool_id, protocol, factory, created_block, ${other} AS other
          FROM ${schema}.dex_pools WHERE ${side} = ${token} ORDER BY pool_id LIMIT ${MAX_LOOKED_AT})`,
  );
  return `(SELECT CASE WHEN count(*) = 0 THEN 'no_pool' WHEN count(*) FILTER (WHERE listed) = 0 THEN 'unlisted_factory'
        WHEN count(*) FILTER (WHERE listed AND quoted) = 0 THEN 'no_quote'
        WHEN count(*) FILTER (WHERE listed AND quoted AND deep) = 0 THEN 'no_depth' ELSE 'thin' END
      FROM (
        SELECT listed.factory IS NOT NULL AS listed,
          EXISTS (SELECT 1 FROM ${schema}.token_prices WHERE token = pool.other AND block_number <= ${until}) AS quoted,
          (SELECT depth0 > 0 AND depth1 > 0 FROM ${schema}.dex_pool_states
            WHERE pool_id = pool.pool_id AND block_number <= ${until} ORDER BY block_number DESC LIMIT 1) AS deep
        FROM (${sides.join(' UNION ALL ')}) AS pool
        LEFT JOIN ${schema}.dex_factories AS listed ON listed.protocol = pool.protocol AND listed.factory = pool.factory
        WHERE pool.created_block <= ${until}
      ) AS looked_at)`;
}

export const PRICE_RESOURCES = {
  getTokenPrice: (scope, { token, at }) => {
    const { schema, bind } = scope;
    const until = at === undefined ? 'finalized' : `least(finalized, ${latestAt(schema, bind.time(at))})`;
    const last = `(SELECT ${until} FROM head)`;
    return {
      shape: 'one',
      branches: scanOf(scope, 'token_prices', `t.token = ${bind.bytes(token)}`, `t.block_number <= ${last}`),
      keys: [{ column: 'block_number', type: 'bigint', descending: true }],
      columns: PRICE_COLUMNS,
      covers: { from: '0', to: until },
      absent: `no price known for ${token}${at === undefined ? '' : ` until ${at}`}`,
      absentReason: whyUnpriced(schema, bind.bytes(token), last),
    };
  },
  listPrices: ({ schema, bind }, { tokens }) => ({
    branches: [
      {
        from: `(SELECT newest.* FROM (
            SELECT DISTINCT decode(substr(address, 3), 'hex') AS token
            FROM unnest(string_to_array(${bind.text(tokens)}, ',')) AS listed (address)
          ) AS asked CROSS JOIN LATERAL (
            SELECT * FROM ${schema}.token_prices AS price
            WHERE price.token = asked.token AND price.block_number <= (SELECT finalized FROM head)
            ORDER BY price.block_number DESC LIMIT 1
          ) AS newest)`,
        where: [],
      },
    ],
    keys: keysOf('bytea', 'token'),
    columns: PRICE_COLUMNS,
    covers: { from: '0', to: 'finalized' },
  }),
  listTokenCandles: (scope, parameters) => candles(scope, 'token', parameters.token, parameters),
  listStockCandles: (scope, parameters) => candles(scope, 'token', parameters.token, parameters),
  listPoolCandles: (scope, parameters) => candles(scope, 'pool', parameters.pool, parameters),
} satisfies SomeResources;
