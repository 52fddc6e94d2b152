-- What prices, candles and daily figures are derived from beside the index, and how far they have come.
--
-- The last block that is derived is the row 'rollups' of cursors.

-- Which blocks are derived without a hole.
CREATE TABLE {{schema}}.rollup_origin (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  -- The first block that was derived.
  first_block bigint NOT NULL,
  -- The first block that is stored without a hole up to the head, and since when it is that one.
  stored_from bigint NOT NULL,
  stored_since timestamptz NOT NULL DEFAULT now()
);

-- A pool at the end of each block that changed it. The amounts are what backs its price, without fees.
CREATE TABLE {{schema}}.dex_pool_states (
  pool_id bytea NOT NULL,
  block_number bigint NOT NULL,
  amount0 numeric NOT NULL,
  amount1 numeric NOT NULL,
  sqrt_price_x96 numeric(78, 0),
  -- Value of both amounts as far as they have a price; null where neither has.
  liquidity_usd numeric,
  PRIMARY KEY (pool_id, block_number)
);

CREATE INDEX dex_pool_states_block ON {{schema}}.dex_pool_states (block_number);

-- The decimals that the prices, candles and daily figures of a token have been computed with.
CREATE TABLE {{schema}}.price_scales (
  token bytea PRIMARY KEY,
  decimals smallint NOT NULL
);

CREATE INDEX candles_start ON {{schema}}.candles (interval_seconds, start_time);

-- Who holds a stock token, the last block whose transfers are in that, and the multiplier that its days began with.
CREATE TABLE {{schema}}.stock_ledgers (
  token bytea PRIMARY KEY,
  block_number bigint NOT NULL,
  initial_multiplier numeric(78, 0) NOT NULL
);

CREATE TABLE {{schema}}.stock_holdings (
  token bytea NOT NULL,
  holder bytea NOT NULL,
  amount numeric NOT NULL,
  PRIMARY KEY (token, holder)
);

CREATE INDEX stock_holdings_amount ON {{schema}}.stock_holdings (token, amount DESC, holder);
