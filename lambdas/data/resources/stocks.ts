import type { ChainSchema } from '../../shared/chain-database/chain-schema.ts';
import { onSchema, sql } from '../../shared/chain-database/sql.ts';
import { inShares, joinMultiplier } from '../../shared/chain-database/stock-multiplier.ts';
import type { Branch } from '../plan/plan.ts';
import type { SomeResources } from '../plan/resource.ts';
import { digits, fraction, hex, iso } from '../plan/sql-text.ts';
import { earliestAt, finalizedPart, latestBefore } from '../plan/window.ts';
import { chronological, keysOf, scanOf } from './keys.ts';
import { holderCount } from './tokens.ts';

/** Days that come along with a stock. */
const DAYS = 30;

const DAY_COLUMNS = `t.day::text AS day, ${hex('t.token')} AS token, ${hex('t.token')} AS address, stock.symbol,
  stock.name, t.transfers,
  ${digits('t.transfers_raw_amount')} AS transfers_raw_amount, ${digits('t.transfers_ui_amount')} AS transfers_ui_amount,
  t.unique_senders, t.unique_receivers, ${digits('t.mint_raw_amount')} AS mint_raw_amount,
  ${digits('t.burn_raw_amount')} AS burn_raw_amount, ${digits('t.net_supply_change')} AS net_supply_change,
  t.holder_count, t.top10_holder_share_bps, t.dex_swap_count, ${digits('t.dex_raw_volume')} AS dex_raw_volume,
  ${fraction('t.dex_vwap_usd')} AS dex_vwap_usd, ${digits('t.ui_multiplier')} AS ui_multiplier,
  ${fraction('t.oracle_price_usd')} AS oracle_price_usd, t.premium_bps, t.first_block, t.last_block,
  ${iso('t.refreshed_at')} AS refreshed_at`;

const MULTIPLIER_COLUMNS = `${hex('t.token')} AS token, t.block_number, t.log_index,
  ${hex('t.tx_hash')} AS transaction_hash, ${iso('t.block_time')} AS timestamp,
  ${digits('t.old_multiplier')} AS old_multiplier, ${digits('t.new_multiplier')} AS new_multiplier,
  ${iso('t.set_at')} AS set_at, ${iso('t.effective_at')} AS effective_at, t.status`;

type Status = 'pending' | 'effective' | 'superseded';

const INDEXED_TIME = sql`(SELECT block_time FROM {{schema}}.cursors WHERE name = 'indexed')`;
const indexedTime = (schema: ChainSchema) => onSchema(INDEXED_TIME, schema);

const HEAD_MULTIPLIER = joinMultiplier(sql`t.token`, {
  time: INDEXED_TIME,
  block: sql`(SELECT block_number FROM {{schema}}.cursors WHERE name = 'indexed')`,
});

/** What has become of an announcement by the time of the indexed head. */
const status = (schema: ChainSchema) => `CASE WHEN superseded THEN 'superseded'
  WHEN effective_at <= ${indexedTime(schema)} THEN 'effective' ELSE 'pending' END`;

function announcements(schema: ChainSchema, where: readonly string[]): Branch {
  return {
    from: `(SELECT *, ${status(schema)} AS status FROM ${schema}.stock_multipliers)`,
    where,
  };
}

/** Announcements of a status, by the columns that an index has. Those that are pending are few, and all read first. */
function announcementsOf(schema: ChainSchema, status: Status): Branch {
  const isDue = `effective_at <= ${indexedTime(schema)}`;
  if (status === 'superseded') return announcements(schema, ['t.superseded']);
  // Almost all are due: their times are no range to look for.
  if (status === 'effective') return announcements(schema, ['NOT t.superseded', `(t.${isDue}) IS TRUE`]);
  const from = `(SELECT *, 'pending' AS status FROM ${schema}.stock_multipliers
    WHERE NOT superseded AND NOT ${isDue} OFFSET 0)`;
  return { from, where: [] };
}

const joinStock = (schema: ChainSchema) => `JOIN ${schema}.stock_tokens AS stock ON stock.token = t.token`;

/** Figures of a day that are sums: of a stock that did not move they are zero. */
const SUMS = [
  ...['transfers', 'transfers_raw_amount', 'transfers_ui_amount', 'unique_senders', 'unique_receivers'],
  ...['mint_raw_amount', 'burn_raw_amount', 'net_supply_change', 'dex_swap_count', 'dex_raw_volume'],
];
/** Figures of a day that are states: of a stock that did not move they are unknown. */
const STATES = [
  ...[
    'holder_count',
    'top10_holder_share_bps',
    'dex_vwap_usd',
    'ui_multiplier',
    'oracle_price_usd',
    'premium_bps',
  ],
  ...['first_block', 'last_block', 'refreshed_at'],
];

/** Every registered stock with its figures of a day: they are few, and sorted each time. */
function registered(schema: ChainSchema, day: string): string {
  const sums = SUMS.map((column) => `coalesce(daily.${column}, 0) AS ${column}`);
  const states = STATES.map((column) => `daily.${column}`);
  return `(SELECT ${day} AS day, listed.token, ${[...sums, ...states].join(', ')}
    FROM ${schema}.stock_tokens AS listed
    LEFT JOIN ${schema}.stock_daily AS daily ON daily.token = listed.token AND daily.day = ${day})`;
}

/** SQL of the moment at which a day begins, in UTC. */
const midnight = (day: string) => `((${day})::timestamp AT TIME ZONE 'UTC')`;

export const STOCK_RESOURCES = {
  listStocks: (scope, { day, all }) => {
    const { schema, bind } = scope;
    const requestedDay = day === undefined ? `(SELECT max(day) FROM ${schema}.stock_daily)` : bind.day(day);
    return {
      branches: all
        ? [{ from: registered(schema, requestedDay), where: [] }]
        : scanOf(scope, 'stock_daily', `t.day = ${requestedDay}`),
      keys: [
        { column: 'transfers', type: 'bigint', descending: true },
        { column: 'token', type: 'bytea', descending: false },
      ],
      joins: joinStock(schema),
      columns: DAY_COLUMNS,
      covers: finalizedPart({
        from: earliestAt(schema, midnight(requestedDay)),
        to: latestBefore(schema, midnight(`${requestedDay} + 1`)),
      }),
    };
  },
  listStockDaily: (scope, { token }) => ({
    branches: scanOf(scope, 'stock_daily', `t.token = ${scope.bind.bytes(token)}`),
    keys: keysOf('date', 'day'),
    joins: joinStock(scope.schema),
    columns: DAY_COLUMNS,
    covers: { from: '0', to: 'finalized' },
  }),
  listStockMultipliers: ({ schema, bind }, { token }) => ({
    branches: [announcements(schema, [`t.token = ${bind.bytes(token)}`])],
    keys: chronological('log_index'),
    columns: MULTIPLIER_COLUMNS,
  }),
  listCorporateActions: ({ schema }, { status }) => ({
    branches: [status === undefined ? announcements(schema, []) : announcementsOf(schema, status)],
    keys: chronological('log_index'),
    columns: MULTIPLIER_COLUMNS,
  }),
  getStock: (scope, { token }) => {
    const { schema, bind } = scope;
    const address = bind.bytes(token);
    return {
      branches: scanOf(scope, 'stock_tokens', `t.token = ${address}`),
      joins: `LEFT JOIN ${schema}.tokens AS token ON token.address = t.token
        ${onSchema(HEAD_MULTIPLIER, schema)}
        LEFT JOIN LATERAL (
          SELECT announced.new_multiplier, announced.effective_at WHERE announced.effective_at > ${indexedTime(schema)}
        ) AS next ON true`,
      columns: `${hex('t.token')} AS token, ${hex('t.token')} AS address, t.issuer, t.symbol, t.name, ${hex('t.uid')} AS uid, t.decimals,
        ${digits('ui.multiplier')} AS ui_multiplier, ${digits('next.new_multiplier')} AS new_ui_multiplier,
        ${iso('next.effective_at')} AS effective_at, t.oracle_paused, ${hex('t.price_feed')} AS price_feed,
        ${digits('token.total_supply')} AS total_supply, ${digits(inShares(sql`token.total_supply`))} AS total_supply_ui,
        ${holderCount('token')} AS holder_count, t.registered_block`,
      parts: {
        field: 'daily',
        limit: DAYS,
        branches: [
          {
            from: `(SELECT daily.*, listed.symbol, listed.name FROM ${schema}.stock_daily AS daily
              JOIN ${schema}.stock_tokens AS listed ON listed.token = daily.token WHERE daily.token = ${address})`,
            where: ['true'],
          },
        ],
        keys: [{ column: 'day', type: 'date', descending: true }],
        columns: DAY_COLUMNS.replaceAll('stock.', 't.'),
      },
      absent: `unknown tokenised stock ${token}`,
    };
  },
} satisfies SomeResources;
