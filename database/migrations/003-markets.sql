-- Decentralised exchanges, and tokenised stocks: pools, trades, liquidity; prices, candles and daily figures derived from them.

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

CREATE INDEX dex_pools_protocol ON {{schema}}.dex_pools (protocol, pool_id);

CREATE INDEX dex_pools_token0_protocol ON {{schema}}.dex_pools (token0, protocol, pool_id);

CREATE INDEX dex_pools_token1_protocol ON {{schema}}.dex_pools (token1, protocol, pool_id);

CREATE INDEX dex_pools_pair ON {{schema}}.dex_pools (token0, token1, pool_id);

-- Pools whose liquidity nobody knows are in no list by it.
CREATE INDEX dex_pools_liquidity
  ON {{schema}}.dex_pools (liquidity_usd DESC, pool_id) WHERE liquidity_usd IS NOT NULL;

CREATE INDEX dex_pools_token0_liquidity
  ON {{schema}}.dex_pools (token0, liquidity_usd DESC, pool_id) WHERE liquidity_usd IS NOT NULL;

CREATE INDEX dex_pools_token1_liquidity
  ON {{schema}}.dex_pools (token1, liquidity_usd DESC, pool_id) WHERE liquidity_usd IS NOT NULL;

CREATE INDEX dex_pools_pair_liquidity
  ON {{schema}}.dex_pools (token0, token1, liquidity_usd DESC, pool_id) WHERE liquidity_usd IS NOT NULL;

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

CREATE INDEX dex_liquidity_events_initialize
  ON {{schema}}.dex_liquidity_events (pool_id, block_number, log_index) WHERE kind = 'initialize';

-- Which blocks are derived without a hole.
CREATE TABLE {{schema}}.rollup_origin (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  -- The first block that was derived.
  first_block bigint NOT NULL,
  -- The first block that is stored without a hole up to the head, and since when it is that one.
  stored_from bigint NOT NULL,
  stored_since timestamptz NOT NULL DEFAULT now(),
  -- The list of factories that all was derived with; null before any was, and where all is to be derived anew.
  factories text
);

-- Factories, and pool managers of V4, that the stage file lists, as all that is derived knows them.
CREATE TABLE {{schema}}.dex_factories (
  protocol text NOT NULL,
  factory bytea NOT NULL,
  PRIMARY KEY (protocol, factory)
);

-- Pools and tokens whose figures fail, from the block on that they failed at. Nothing is derived of them any more.
CREATE TABLE {{schema}}.set_aside (
  subject_kind text NOT NULL CHECK (subject_kind IN ('pool', 'token')),
  subject bytea NOT NULL,
  from_block bigint NOT NULL,
  reason text NOT NULL,
  noted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (subject_kind, subject)
);

-- Pools that price tokens and trades.
CREATE VIEW {{schema}}.pricing_pools AS
SELECT pool.pool_id, pool.protocol, pool.token0, pool.token1, pool.fee_pips, pool.tick_spacing, pool.hooks
FROM {{schema}}.dex_pools AS pool
JOIN {{schema}}.dex_factories AS listed ON listed.protocol = pool.protocol AND listed.factory = pool.factory
WHERE NOT EXISTS (
  SELECT FROM {{schema}}.set_aside AS aside WHERE aside.subject_kind = 'pool' AND aside.subject = pool.pool_id
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
  -- As the contract has it after the last event of the block; null with V2.
  tick integer,
  -- That of the positions around the tick; null with V2, and where it is not known.
  liquidity numeric,
  block_time timestamptz,
  -- How deep it was, in raw units of each of its tokens: what moves its price by 2 %.
  depth0 numeric,
  depth1 numeric,
  PRIMARY KEY (pool_id, block_number)
);

CREATE INDEX dex_pool_states_block ON {{schema}}.dex_pool_states (block_number);

-- How much the liquidity of a pool changes by where the price rises across a tick: the sum of its derived mints and burns.
CREATE TABLE {{schema}}.dex_pool_ticks (
  pool_id bytea NOT NULL,
  tick integer NOT NULL,
  net numeric NOT NULL,
  PRIMARY KEY (pool_id, tick)
);

-- What is to be deleted.
CREATE INDEX dex_pool_ticks_spent ON {{schema}}.dex_pool_ticks (pool_id) WHERE net = 0;

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
  -- USD that a trade moves the price by 2 % with; null for a peg.
  depth_usd numeric,
  cost_to_move_usd numeric,
  -- What the price becomes if it stands; null where it does not wait.
  pending_price_usd numeric,
  confidence text NOT NULL DEFAULT 'low',
  -- Reasons and ids of pools, with commas between.
  reasons text NOT NULL DEFAULT '',
  sources text NOT NULL DEFAULT '',
  PRIMARY KEY (token, block_number)
);

CREATE INDEX token_prices_block ON {{schema}}.token_prices (block_number);

-- The decimals that the prices, candles and daily figures of a token have been computed with.
CREATE TABLE {{schema}}.price_scales (
  token bytea PRIMARY KEY,
  decimals smallint NOT NULL
);

CREATE TABLE {{schema}}.candles (
  subject_kind text NOT NULL CHECK (subject_kind IN ('pool', 'token')),
  -- A pool's id or a token's address.
  subject bytea NOT NULL,
  interval_seconds integer NOT NULL CHECK (interval_seconds IN (60, 300, 900, 3600, 14400, 86400)),
  start_time timestamptz NOT NULL,
  -- Null where no trade of it has a price.
  open numeric,
  high numeric,
  low numeric,
  close numeric,
  -- A sum of 256-bit numbers has more than 256 bits.
  volume_base numeric NOT NULL,
  volume_quote numeric,
  volume_usd numeric,
  trades integer NOT NULL,
  first_block bigint NOT NULL,
  last_block bigint NOT NULL,
  PRIMARY KEY (subject_kind, subject, interval_seconds, start_time)
);

CREATE INDEX candles_last_block ON {{schema}}.candles (last_block);

CREATE INDEX candles_start ON {{schema}}.candles (interval_seconds, start_time);

-- Tokenised stocks (ERC-8056).
CREATE TABLE {{schema}}.stock_tokens (
  token bytea PRIMARY KEY,
  issuer text NOT NULL,
  factory bytea,
  uid bytea,
  name text,
  symbol text,
  decimals smallint,
  -- 18 decimals, of the first block in which the token was seen: a first value makes no event.
  initial_multiplier numeric(78, 0) NOT NULL,
  oracle_paused boolean,
  price_feed bytea,
  registered_block bigint NOT NULL,
  updated_block bigint NOT NULL
);

CREATE INDEX stock_tokens_symbol ON {{schema}}.stock_tokens (lower(symbol), token);

CREATE INDEX stock_tokens_registered ON {{schema}}.stock_tokens (registered_block);

-- Announced changes. One takes effect at its time, with no event then, unless a later one took its place before.
CREATE TABLE {{schema}}.stock_multipliers (
  token bytea NOT NULL,
  block_number bigint NOT NULL,
  log_index integer NOT NULL,
  tx_hash bytea NOT NULL,
  block_time timestamptz NOT NULL,
  old_multiplier numeric(78, 0) NOT NULL,
  new_multiplier numeric(78, 0) NOT NULL,
  set_at timestamptz NOT NULL,
  effective_at timestamptz NOT NULL,
  superseded boolean NOT NULL DEFAULT false,
  PRIMARY KEY (token, block_number, log_index)
);

CREATE INDEX stock_multipliers_block ON {{schema}}.stock_multipliers (block_number);

-- What was in force before an announcement: the newest one before it that was not superseded.
CREATE INDEX stock_multipliers_in_force
  ON {{schema}}.stock_multipliers (token, block_number, log_index) WHERE NOT superseded;

CREATE INDEX stock_multipliers_kept
  ON {{schema}}.stock_multipliers (block_number) WHERE NOT superseded;

CREATE INDEX stock_multipliers_superseded
  ON {{schema}}.stock_multipliers (block_number) WHERE superseded;

-- A token has one announcement that is pending at most.
CREATE INDEX stock_multipliers_pending
  ON {{schema}}.stock_multipliers (effective_at) WHERE NOT superseded;

CREATE TABLE {{schema}}.stock_oracle_prices (
  token bytea NOT NULL,
  block_number bigint NOT NULL,
  log_index integer NOT NULL,
  block_time timestamptz NOT NULL,
  price_usd numeric NOT NULL,
  oracle_time timestamptz NOT NULL,
  PRIMARY KEY (token, block_number, log_index)
);

CREATE INDEX stock_oracle_prices_block ON {{schema}}.stock_oracle_prices (block_number);

CREATE TABLE {{schema}}.stock_daily (
  day date NOT NULL,
  token bytea NOT NULL,
  transfers bigint NOT NULL,
  transfers_raw_amount numeric NOT NULL,
  transfers_ui_amount numeric NOT NULL,
  unique_senders bigint NOT NULL,
  unique_receivers bigint NOT NULL,
  mint_raw_amount numeric NOT NULL,
  burn_raw_amount numeric NOT NULL,
  net_supply_change numeric NOT NULL,
  holder_count bigint,
  top10_holder_share_bps integer,
  dex_swap_count bigint NOT NULL,
  dex_raw_volume numeric NOT NULL,
  dex_vwap_usd numeric,
  -- At the end of the day.
  ui_multiplier numeric(78, 0) NOT NULL,
  oracle_price_usd numeric,
  premium_bps integer,
  first_block bigint NOT NULL,
  last_block bigint NOT NULL,
  refreshed_at timestamptz NOT NULL,
  PRIMARY KEY (day, token)
);

CREATE INDEX stock_daily_token ON {{schema}}.stock_daily (token, day);

CREATE INDEX stock_daily_last_block ON {{schema}}.stock_daily (last_block);

CREATE INDEX stock_daily_moved ON {{schema}}.stock_daily (day, transfers DESC, token);

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
