-- How fresh each table is. Of a table that is empty, the chain has nothing of the kind as far as the data set is indexed. Only the
-- six columns that the specification has as nullable are ever null on an indexed chain.
--
-- Sizes are those of the statistics, where there are some: to ask for the size of each file takes as long as the chain is.
CREATE VIEW {{schema}}.freshness AS
WITH newest (table_name, category, key_kind, max_block_number, max_day) AS (
  SELECT 'blocks', 'chain', 'block', (SELECT max(number) FROM {{schema}}.blocks), NULL::date
  UNION ALL
  SELECT 'transactions'::text, 'chain'::text, 'block'::text, (SELECT max(block_number) FROM {{schema}}.transactions), NULL::date
  UNION ALL
  SELECT 'logs'::text, 'chain'::text, 'block'::text, (SELECT max(block_number) FROM {{schema}}.logs), NULL::date
  UNION ALL
  SELECT 'erc20_transfers'::text, 'tokens'::text, 'block'::text, (SELECT max(block_number) FROM {{schema}}.erc20_transfers), NULL::date
  UNION ALL
  SELECT 'nft_transfers'::text, 'nfts'::text, 'block'::text, (SELECT max(block_number) FROM {{schema}}.nft_transfers), NULL::date
  UNION ALL
  SELECT 'tokens'::text, 'tokens'::text, 'block'::text, (SELECT max(first_seen_block) FROM {{schema}}.tokens), NULL::date
  UNION ALL
  SELECT 'balances'::text, 'tokens'::text, 'snapshot'::text,
    (SELECT max(block_number) FROM {{schema}}.balance_snapshots WHERE completed_at IS NOT NULL), NULL::date
  UNION ALL
  SELECT 'nft_owners'::text, 'nfts'::text, 'block'::text, (SELECT max(acquired_block) FROM {{schema}}.nft_owners), NULL::date
  UNION ALL
  SELECT 'dex_pools'::text, 'dex'::text, 'block'::text, (SELECT max(created_block) FROM {{schema}}.dex_pools), NULL::date
  UNION ALL
  SELECT 'dex_swaps'::text, 'dex'::text, 'block'::text, (SELECT max(block_number) FROM {{schema}}.dex_swaps), NULL::date
  UNION ALL
  SELECT 'dex_liquidity_events'::text, 'dex'::text, 'block'::text,
    (SELECT max(block_number) FROM {{schema}}.dex_liquidity_events), NULL::date
  UNION ALL
  SELECT 'token_prices'::text, 'dex'::text, 'block'::text, (SELECT max(block_number) FROM {{schema}}.token_prices), NULL::date
  UNION ALL
  SELECT 'candles'::text, 'dex'::text, 'block'::text, (SELECT max(last_block) FROM {{schema}}.candles), NULL::date
  UNION ALL
  SELECT 'stock_tokens'::text, 'stocks'::text, 'block'::text, (SELECT max(registered_block) FROM {{schema}}.stock_tokens), NULL::date
  UNION ALL
  SELECT 'stock_multipliers'::text, 'stocks'::text, 'block'::text,
    (SELECT max(block_number) FROM {{schema}}.stock_multipliers), NULL::date
  UNION ALL
  SELECT 'stock_daily'::text, 'stocks'::text, 'day'::text,
    (SELECT max(last_block) FROM {{schema}}.stock_daily), (SELECT max(day) FROM {{schema}}.stock_daily)
  UNION ALL
  SELECT 'traces'::text, 'traces'::text, 'block'::text, (SELECT max(block_number) FROM {{schema}}.traces), NULL::date
),
head AS (
  SELECT coalesce(max(block_number) FILTER (WHERE name = 'node'), max(block_number)) AS block_number,
         max(block_time) FILTER (WHERE name = 'indexed') AS indexed_time
  FROM {{schema}}.cursors
),
-- What nothing was done for yet is as fresh as the first block that is stored.
first AS (
  SELECT number AS block_number, time FROM {{schema}}.blocks ORDER BY number LIMIT 1
),
followed AS (
  SELECT newest.*, coalesce((
    SELECT upper(covered) - 1 FROM {{schema}}.coverage WHERE dataset = newest.table_name AND NOT isempty(covered)
  ), first.block_number, 0) AS follow_last_block
  FROM newest LEFT JOIN first ON true
),
-- Sizes of all tables at once, partitions with their table.
estimates AS (
  SELECT coalesce(whole.relname, part.relname) AS table_name,
         -- Vacuum and analyse pass a small table by for long: the counters of its writes know its rows until then.
         sum(greatest(part.reltuples, pg_stat_get_live_tuples(part.oid)))::bigint AS rows_estimate,
         sum(CASE WHEN part.relpages = 0 THEN pg_total_relation_size(part.oid)
           ELSE current_setting('block_size')::bigint * (part.relpages + coalesce(indexes.pages, 0)) END)::bigint
           AS bytes_estimate
  FROM pg_class AS part
  LEFT JOIN pg_inherits AS piece ON piece.inhrelid = part.oid
  LEFT JOIN pg_class AS whole ON whole.oid = piece.inhparent
  LEFT JOIN (
    SELECT indrelid, sum(relpages) AS pages FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid GROUP BY indrelid
  ) AS indexes ON indexes.indrelid = part.oid
  WHERE part.relkind = 'r' AND part.relnamespace = '{{schema}}'::regnamespace
  GROUP BY 1
),
reached AS (
  SELECT *, coalesce(max_block_number, follow_last_block) AS last_block FROM followed
),
traced AS (
  SELECT lower(covered) AS min_block, upper(covered) - 1 AS max_block
  FROM {{schema}}.coverage
  WHERE dataset = 'traces' AND NOT isempty(covered)
),
gaps AS (
  SELECT count(*) AS ranges, coalesce(sum(to_block - from_block + 1), 0)::bigint AS blocks
  FROM {{schema}}._trace_gaps
)
SELECT
  '{{chain}}'::text AS database,
  reached.table_name::text AS table_name,
  reached.category::text AS category,
  reached.key_kind::text AS key_kind,
  reached.last_block AS max_block_number,
  timed.time AS max_time,
  greatest(extract(epoch FROM now() - timed.time), 0)::bigint AS seconds_behind,
  greatest(head.block_number - reached.last_block, 0) AS blocks_behind,
  coalesce(estimates.rows_estimate, 0) AS rows_estimate,
  coalesce(estimates.bytes_estimate, 0) AS bytes_estimate,
  reached.follow_last_block,
  greatest(head.block_number - reached.follow_last_block, 0) AS follow_lag_blocks,
  now() AS checked_at,
  reached.max_day,
  (current_date - reached.max_day) AS days_behind,
  traced.min_block AS trace_min_block,
  traced.max_block AS trace_max_block,
  CASE WHEN reached.table_name = 'traces' THEN gaps.ranges END AS trace_gap_ranges,
  CASE WHEN reached.table_name = 'traces' THEN gaps.blocks END AS trace_gap_blocks
FROM reached
CROSS JOIN head
CROSS JOIN gaps
LEFT JOIN first ON true
LEFT JOIN traced ON reached.table_name = 'traces'
CROSS JOIN LATERAL (
  SELECT coalesce((
    SELECT time FROM {{schema}}.blocks WHERE number <= reached.last_block ORDER BY number DESC LIMIT 1
  ), first.time, head.indexed_time) AS time
) AS timed
LEFT JOIN estimates ON estimates.table_name = reached.table_name;
