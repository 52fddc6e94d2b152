-- Decentralised exchanges: pools, swaps, liquidity, prices and candles.

CREATE TABLE {{schema}}.dex_pools (
  -- Address of the pool; with Uniswap V4 the 32 bytes of its id.
  pool_id bytea PRIMARY KEY,
  protocol text NOT NULL,
  factory bytea NOT NULL,
  token0 bytea NOT NULL,
  token1 bytea NOT NULL,
  fee_pips integer,
  dynamic_fee boolean NOT NULL DEFAULT false,
  tick_spacing integer,
  hooks bytea,
  created_block bigint NOT NULL,
  created_log_index integer NOT NULL,
  created_time timestamptz NOT NULL,
  reserve0 numeric(78, 0),
  reserve1 numeric(78, 0),
  sqrt_price_x96 numeric(78, 0),
  tick integer,
  liquidity numeric(78, 0),
  liquidity_usd numeric,
  updated_block bigint NOT NULL
);

CREATE INDEX dex_pools_token0 ON {{schema}}.dex_pools (token0, pool_id);

CREATE INDEX dex_pools_token1 ON {{schema}}.dex_pools (token1, pool_id);

CREATE INDEX dex_pools_created ON {{schema}}.dex_pools (created_block, created_log_index);

CREATE TABLE {{schema}}.dex_swaps (
  block_number bigint NOT NULL,
  log_index integer NOT NULL,
  tx_index integer NOT NULL,
  tx_hash bytea NOT NULL,
  block_time timestamptz NOT NULL,
  protocol text NOT NULL,
  pool_id bytea NOT NULL,
  sender bytea NOT NULL,
  recipient bytea,
  trader bytea NOT NULL,
  trader_kind text NOT NULL CHECK (trader_kind IN ('tx_from', 'userop_sender')),
  token_in bytea NOT NULL,
  token_out bytea NOT NULL,
  amount_in numeric(78, 0) NOT NULL,
  amount_out numeric(78, 0) NOT NULL,
  -- What the pool's two tokens changed by, seen from the pool: positive went into it.
  amount0 numeric(78, 0) NOT NULL,
  amount1 numeric(78, 0) NOT NULL,
  fee_pips integer,
  sqrt_price_x96 numeric(78, 0),
  tick integer,
  liquidity numeric(78, 0),
  -- Null where nothing quotes the pair; never 0 for that.
  amount_usd numeric,
  usd_method text,
  PRIMARY KEY (block_number, log_index)
) PARTITION BY RANGE (block_number);

CREATE INDEX dex_swaps_pool ON {{schema}}.dex_swaps (pool_id, block_number, log_index);

CREATE INDEX dex_swaps_token_in ON {{schema}}.dex_swaps (token_in, block_number, log_index);

CREATE INDEX dex_swaps_token_out ON {{schema}}.dex_swaps (token_out, block_number, log_index);

CREATE INDEX dex_swaps_trader ON {{schema}}.dex_swaps (trader, block_number, log_index);

CREATE INDEX dex_swaps_time ON {{schema}}.dex_swaps USING brin (block_time);

CREATE TABLE {{schema}}.dex_liquidity_events (
  block_number bigint NOT NULL,
  log_index integer NOT NULL,
  tx_index integer NOT NULL,
  tx_hash bytea NOT NULL,
  block_time timestamptz NOT NULL,
  protocol text NOT NULL,
  pool_id bytea NOT NULL,
  kind text NOT NULL CHECK (kind IN ('initialize', 'sync', 'mint', 'burn', 'collect', 'modify', 'donate')),
  owner bytea,
  tick_lower integer,
  tick_upper integer,
  liquidity_delta numeric(78, 0),
  amount0 numeric(78, 0),
  amount1 numeric(78, 0),
  sqrt_price_x96 numeric(78, 0),
  PRIMARY KEY (block_number, log_index)
) PARTITION BY RANGE (block_number);

CREATE INDEX dex_liquidity_events_pool ON {{schema}}.dex_liquidity_events (pool_id, block_number, log_index);

CREATE INDEX dex_liquidity_events_time ON {{schema}}.dex_liquidity_events USING brin (block_time);

-- Price of one raw token unit times 10^decimals, as the deepest pool had it at the end of a block.
CREATE TABLE {{schema}}.token_prices (
  token bytea NOT NULL,
  block_number bigint NOT NULL,
  block_time timestamptz NOT NULL,
  price_usd numeric NOT NULL,
  method text NOT NULL,
  pool_id bytea,
  liquidity_usd numeric,
  sample_trades integer NOT NULL,
  PRIMARY KEY (token, block_number)
);

CREATE INDEX token_prices_block ON {{schema}}.token_prices (block_number);

CREATE TABLE {{schema}}.candles (
  subject_kind text NOT NULL CHECK (subject_kind IN ('pool', 'token')),
  -- A pool's id or a token's address.
  subject bytea NOT NULL,
  interval_seconds integer NOT NULL CHECK (interval_seconds IN (60, 300, 900, 3600, 14400, 86400)),
  start_time timestamptz NOT NULL,
  open numeric NOT NULL,
  high numeric NOT NULL,
  low numeric NOT NULL,
  close numeric NOT NULL,
  volume_base numeric(78, 0) NOT NULL,
  volume_quote numeric(78, 0),
  volume_usd numeric,
  trades integer NOT NULL,
  first_block bigint NOT NULL,
  last_block bigint NOT NULL,
  PRIMARY KEY (subject_kind, subject, interval_seconds, start_time)
);

CREATE INDEX candles_last_block ON {{schema}}.candles (last_block);
