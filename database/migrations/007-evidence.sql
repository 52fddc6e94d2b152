-- What prices are made of: liquidity by tick, and how deep pools were.

-- How much the liquidity of a pool changes by where the price rises across a tick: the sum of its derived mints and burns.
CREATE TABLE {{schema}}.dex_pool_ticks (
  pool_id bytea NOT NULL,
  tick integer NOT NULL,
  net numeric NOT NULL,
  PRIMARY KEY (pool_id, tick)
);

-- What is to be deleted.
CREATE INDEX dex_pool_ticks_spent ON {{schema}}.dex_pool_ticks (pool_id) WHERE net = 0;

-- How deep a pool was at the end of a block, in raw units of each of its tokens: what moves its price by 2 %.
ALTER TABLE {{schema}}.dex_pool_states
  ADD COLUMN block_time timestamptz,
  ADD COLUMN depth0 numeric,
  ADD COLUMN depth1 numeric;

ALTER TABLE {{schema}}.token_prices
  ADD COLUMN cost_to_move_usd numeric,
  -- What the price becomes if it stands; null where it does not wait.
  ADD COLUMN pending_price_usd numeric,
  ADD COLUMN confidence text NOT NULL DEFAULT 'low',
  -- Reasons and ids of pools, with commas between.
  ADD COLUMN reasons text NOT NULL DEFAULT '',
  ADD COLUMN sources text NOT NULL DEFAULT '';

-- All is derived anew: `factories` says by which list it was.
UPDATE {{schema}}.rollup_origin SET factories = NULL;
