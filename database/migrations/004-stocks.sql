-- Tokenised stocks (ERC-8056): registry, multipliers, oracle prices and daily figures.

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

CREATE INDEX stock_multipliers_effective ON {{schema}}.stock_multipliers (token, effective_at, block_number, log_index);

CREATE INDEX stock_multipliers_block ON {{schema}}.stock_multipliers (block_number);

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
  transfers_raw_amount numeric(78, 0) NOT NULL,
  transfers_ui_amount numeric(78, 0) NOT NULL,
  unique_senders bigint NOT NULL,
  unique_receivers bigint NOT NULL,
  mint_raw_amount numeric(78, 0) NOT NULL,
  burn_raw_amount numeric(78, 0) NOT NULL,
  net_supply_change numeric(78, 0) NOT NULL,
  holder_count bigint,
  top10_holder_share_bps integer,
  dex_swap_count bigint NOT NULL,
  dex_raw_volume numeric(78, 0) NOT NULL,
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
