-- Tokens, their transfers, who holds them.

CREATE TABLE {{schema}}.tokens (
  address bytea PRIMARY KEY,
  -- 20, 721 or 1155; a contract that looks like several is the highest of them.
  standard smallint NOT NULL CHECK (standard IN (20, 721, 1155)),
  name text,
  symbol text,
  decimals smallint,
  total_supply numeric(78, 0),
  -- How its balances behave: 'standard' follows its transfers; any other is read from the chain alone.
  balance_model text NOT NULL DEFAULT 'standard'
    CHECK (balance_model IN ('standard', 'rebasing', 'fee_on_transfer', 'non_standard')),
  balance_mismatches integer NOT NULL DEFAULT 0,
  is_proxy boolean NOT NULL DEFAULT false,
  metadata_status text NOT NULL DEFAULT 'pending'
    CHECK (metadata_status IN ('pending', 'complete', 'partial', 'absent')),
  metadata_attempts integer NOT NULL DEFAULT 0,
  first_seen_block bigint NOT NULL,
  transfer_count bigint NOT NULL DEFAULT 0,
  holder_count bigint NOT NULL DEFAULT 0,
  updated_block bigint NOT NULL
);

CREATE INDEX tokens_holders ON {{schema}}.tokens (standard, holder_count DESC, address);

CREATE INDEX tokens_symbol ON {{schema}}.tokens (lower(symbol), address);

CREATE INDEX tokens_first_seen ON {{schema}}.tokens (first_seen_block);

CREATE INDEX tokens_pending ON {{schema}}.tokens (metadata_attempts, address) WHERE metadata_status = 'pending';

CREATE TABLE {{schema}}.erc20_transfers (
  block_number bigint NOT NULL,
  log_index integer NOT NULL,
  tx_index integer NOT NULL,
  tx_hash bytea NOT NULL,
  block_time timestamptz NOT NULL,
  token bytea NOT NULL,
  from_address bytea NOT NULL,
  to_address bytea NOT NULL,
  amount numeric(78, 0) NOT NULL,
  kind text NOT NULL CHECK (kind IN ('transfer', 'mint', 'burn', 'wrap', 'unwrap')),
  PRIMARY KEY (block_number, log_index)
) PARTITION BY RANGE (block_number);

CREATE INDEX erc20_transfers_from ON {{schema}}.erc20_transfers (from_address, block_number, log_index);

CREATE INDEX erc20_transfers_to ON {{schema}}.erc20_transfers (to_address, block_number, log_index);

CREATE INDEX erc20_transfers_token ON {{schema}}.erc20_transfers (token, block_number, log_index);

CREATE INDEX erc20_transfers_time ON {{schema}}.erc20_transfers USING brin (block_time);

CREATE TABLE {{schema}}.nft_transfers (
  block_number bigint NOT NULL,
  log_index integer NOT NULL,
  -- Place in a batch transfer, else 0.
  batch_index integer NOT NULL,
  tx_index integer NOT NULL,
  tx_hash bytea NOT NULL,
  block_time timestamptz NOT NULL,
  standard smallint NOT NULL CHECK (standard IN (721, 1155)),
  token bytea NOT NULL,
  token_id numeric(78, 0) NOT NULL,
  from_address bytea NOT NULL,
  to_address bytea NOT NULL,
  operator bytea,
  amount numeric(78, 0) NOT NULL,
  kind text NOT NULL CHECK (kind IN ('transfer', 'mint', 'burn')),
  PRIMARY KEY (block_number, log_index, batch_index)
) PARTITION BY RANGE (block_number);

CREATE INDEX nft_transfers_from ON {{schema}}.nft_transfers (from_address, block_number, log_index, batch_index);

CREATE INDEX nft_transfers_to ON {{schema}}.nft_transfers (to_address, block_number, log_index, batch_index);

CREATE INDEX nft_transfers_token ON {{schema}}.nft_transfers (token, block_number, log_index, batch_index);

CREATE INDEX nft_transfers_item
  ON {{schema}}.nft_transfers (token, token_id, block_number, log_index, batch_index);

CREATE INDEX nft_transfers_time ON {{schema}}.nft_transfers USING brin (block_time);

CREATE TABLE {{schema}}.nft_items (
  token bytea NOT NULL,
  token_id numeric(78, 0) NOT NULL,
  token_uri text,
  first_seen_block bigint NOT NULL,
  updated_block bigint NOT NULL,
  PRIMARY KEY (token, token_id)
);

CREATE TABLE {{schema}}.nft_owners (
  owner bytea NOT NULL,
  token bytea NOT NULL,
  token_id numeric(78, 0) NOT NULL,
  standard smallint NOT NULL CHECK (standard IN (721, 1155)),
  amount numeric(78, 0) NOT NULL CHECK (amount > 0),
  -- The transfer that made it what it is.
  acquired_block bigint NOT NULL,
  acquired_time timestamptz NOT NULL,
  PRIMARY KEY (owner, token, token_id)
);

CREATE INDEX nft_owners_item ON {{schema}}.nft_owners (token, token_id, owner);

CREATE INDEX nft_owners_acquired ON {{schema}}.nft_owners (acquired_block);

-- Balances are a snapshot at a finalised block. The newest completed snapshot is the one that is served.
CREATE TABLE {{schema}}.balance_snapshots (
  snapshot_id bigint PRIMARY KEY,
  block_number bigint NOT NULL,
  block_hash bytea NOT NULL,
  block_time timestamptz NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  completed_at timestamptz,
  changed_balances bigint,
  verified_balances bigint,
  mismatched_balances bigint
);

CREATE TABLE {{schema}}.balances (
  holder bytea NOT NULL,
  token bytea NOT NULL,
  amount numeric(78, 0) NOT NULL CHECK (amount > 0),
  method text NOT NULL CHECK (method IN ('ledger', 'balance_of')),
  confidence text NOT NULL CHECK (confidence IN ('verified', 'unverified', 'rebasing')),
  block_number bigint NOT NULL,
  snapshot_id bigint NOT NULL,
  PRIMARY KEY (holder, token)
);

CREATE INDEX balances_holders ON {{schema}}.balances (token, amount DESC, holder);

-- What each snapshot found changed; zero where a balance ended.
CREATE TABLE {{schema}}.balance_history (
  holder bytea NOT NULL,
  token bytea NOT NULL,
  snapshot_id bigint NOT NULL,
  amount numeric(78, 0) NOT NULL,
  method text NOT NULL CHECK (method IN ('ledger', 'balance_of')),
  confidence text NOT NULL CHECK (confidence IN ('verified', 'unverified', 'rebasing')),
  PRIMARY KEY (holder, token, snapshot_id)
);

CREATE INDEX balance_history_snapshot ON {{schema}}.balance_history (snapshot_id);
