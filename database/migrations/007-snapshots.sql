-- A balances snapshot under way, and a freshness view that says null where a table has nothing to be behind with.

-- Blocks whose transfers are in the snapshot; with those of the newest complete one, what the next has to add.
ALTER TABLE {{schema}}.balance_snapshots ADD COLUMN folded int8multirange NOT NULL DEFAULT '{}';

-- What the snapshot under way has found changed. It is applied, and emptied, in one transaction.
CREATE TABLE {{schema}}.balance_changes (
  token bytea NOT NULL,
  holder bytea NOT NULL,
  -- Sum of the transfers since the newest complete snapshot.
  delta numeric NOT NULL DEFAULT 0,
  -- What balanceOf said at the snapshot's block; null where it was not asked yet, or did not say.
  read_amount numeric(78, 0),
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'read', 'failed')),
  PRIMARY KEY (token, holder)
);

CREATE INDEX balance_changes_pending ON {{schema}}.balance_changes (token, holder) WHERE state = 'pending';

CREATE OR REPLACE VIEW {{schema}}.freshness AS
WITH newest (table_name, category, key_kind, max_block_number, max_day) AS (
  SELECT 'blocks', 'chain', 'block', (SELECT max(number) FROM {{schema}}.blocks), NULL::date
  UNION ALL
  SELECT 'transactions', 'chain', 'block', (SELECT max(block_number) FROM {{schema}}.transactions), NULL
  UNION ALL
  SELECT 'logs', 'chain', 'block', (SELECT max(block_number) FROM {{schema}}.logs), NULL
  UNION ALL
  SELECT 'erc20_transfers', 'tokens', 'block', (SELECT max(block_number) FROM {{schema}}.erc20_transfers), NULL
  UNION ALL
  SELECT 'nft_transfers', 'nfts', 'block', (SELECT max(block_number) FROM {{schema}}.nft_transfers), NULL
  UNION ALL
  SELECT 'tokens', 'tokens', 'block', (SELECT max(first_seen_block) FROM {{schema}}.tokens), NULL
  UNION ALL
  SELECT 'balances', 'tokens', 'snapshot',
    (SELECT max(block_number) FROM {{schema}}.balance_snapshots WHERE completed_at IS NOT NULL), NULL
  UNION ALL
  SELECT 'nft_owners', 'nfts', 'block', (SELECT max(acquired_block) FROM {{schema}}.nft_owners), NULL
  UNION ALL
  SELECT 'dex_pools', 'dex', 'block', (SELECT max(created_block) FROM {{schema}}.dex_pools), NULL
  UNION ALL
  SELECT 'dex_swaps', 'dex', 'block', (SELECT max(block_number) FROM {{schema}}.dex_swaps), NULL
  UNION ALL
  SELECT 'dex_liquidity_events', 'dex', 'block',
    (SELECT max(block_number) FROM {{schema}}.dex_liquidity_events), NULL
  UNION ALL
  SELECT 'token_prices', 'dex', 'block', (SELECT max(block_number) FROM {{schema}}.token_prices), NULL
  UNION ALL
  SELECT 'candles', 'dex', 'block', (SELECT max(last_block) FROM {{schema}}.candles), NULL
  UNION ALL
  SELECT 'stock_tokens', 'stocks', 'block', (SELECT max(registered_block) FROM {{schema}}.stock_tokens), NULL
  UNION ALL
  SELECT 'stock_multipliers', 'stocks', 'block',
    (SELECT max(block_number) FROM {{schema}}.stock_multipliers), NULL
  UNION ALL
  SELECT 'stock_daily', 'stocks', 'day',
    (SELECT max(last_block) FROM {{schema}}.stock_daily), (SELECT max(day) FROM {{schema}}.stock_daily)
  UNION ALL
  SELECT 'traces', 'traces', 'block', (SELECT max(block_number) FROM {{schema}}.traces), NULL
),
head AS (
  SELECT coalesce(max(block_number) FILTER (WHERE name = 'node'), max(block_number)) AS block_number
  FROM {{schema}}.cursors
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
  newest.table_name::text AS table_name,
  newest.category::text AS category,
  newest.key_kind::text AS key_kind,
  newest.max_block_number,
  block.time AS max_time,
  CASE WHEN block.time IS NOT NULL THEN greatest(extract(epoch FROM now() - block.time), 0)::bigint END AS seconds_behind,
  CASE WHEN newest.max_block_number IS NOT NULL
    THEN greatest(head.block_number - newest.max_block_number, 0) END AS blocks_behind,
  estimate.rows_estimate,
  estimate.bytes_estimate,
  followed.block_number AS follow_last_block,
  CASE WHEN followed.block_number IS NOT NULL
    THEN greatest(head.block_number - followed.block_number, 0) END AS follow_lag_blocks,
  now() AS checked_at,
  newest.max_day,
  (current_date - newest.max_day) AS days_behind,
  traced.min_block AS trace_min_block,
  traced.max_block AS trace_max_block,
  CASE WHEN newest.table_name = 'traces' THEN gaps.ranges END AS trace_gap_ranges,
  CASE WHEN newest.table_name = 'traces' THEN gaps.blocks END AS trace_gap_blocks
FROM newest
CROSS JOIN head
CROSS JOIN gaps
LEFT JOIN traced ON newest.table_name = 'traces'
LEFT JOIN {{schema}}.blocks AS block ON block.number = newest.max_block_number
LEFT JOIN LATERAL (
  SELECT upper(covered) - 1 AS block_number
  FROM {{schema}}.coverage
  WHERE dataset = newest.table_name AND NOT isempty(covered)
) AS followed ON true
CROSS JOIN LATERAL {{schema}}.table_estimate(newest.table_name) AS estimate;
