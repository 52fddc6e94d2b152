-- Tokens and NFTs: their transfers and who holds them.

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
  metadata_status text NOT NULL DEFAULT 'pending'
    CHECK (metadata_status IN ('pending', 'complete', 'partial', 'absent')),
  metadata_attempts integer NOT NULL DEFAULT 0,
  first_seen_block bigint NOT NULL,
  transfer_count bigint NOT NULL DEFAULT 0,
  holder_count bigint NOT NULL DEFAULT 0,
  updated_block bigint NOT NULL,
  -- The finalised block that the supply is of; null where no snapshot has read it. And the last snapshot that asked.
  supply_block bigint,
  supply_snapshot bigint NOT NULL DEFAULT 0,
  -- The finalised block at which a snapshot last asked what it calls itself, and when; null where none has.
  described_block bigint,
  described_at timestamptz,
  -- Decimals that it says since then, and that the next reading has to say too: until then it makes no price.
  new_decimals smallint,
  -- Of an ERC-20 whose Transfer logs have the shape of those of ERC-721: 'due' while transfers are still to be taken from there.
  amounts text CHECK (amounts IN ('due', 'done')),
  -- The snapshot that counted its balances anew from all of its transfers, as some came late; 0 where the next one has to,
  -- -1 where these are too many: its holders are not all known.
  recount_snapshot bigint
);

CREATE INDEX tokens_amounts ON {{schema}}.tokens (address) WHERE amounts IS NOT NULL;

CREATE INDEX tokens_unsettled ON {{schema}}.tokens (address) WHERE new_decimals IS NOT NULL;

CREATE INDEX tokens_described ON {{schema}}.tokens (described_at) WHERE described_at IS NOT NULL;

-- What tokens called themselves before, and the block at which they were found to say something else.
CREATE TABLE {{schema}}.token_names (
  token bytea NOT NULL,
  to_block bigint NOT NULL,
  name text,
  symbol text,
  decimals smallint,
  PRIMARY KEY (token, to_block)
);

CREATE INDEX token_names_symbol_begins ON {{schema}}.token_names ((lower(symbol) COLLATE "C"), token);

CREATE INDEX token_names_name_begins ON {{schema}}.token_names ((lower(name) COLLATE "C"), token);

-- Names are compared by their code points, so that all that begin alike are one range.
CREATE INDEX tokens_symbol_begins ON {{schema}}.tokens ((lower(symbol) COLLATE "C"), address);

CREATE INDEX tokens_name_begins ON {{schema}}.tokens ((lower(name) COLLATE "C"), address);

-- Whoever looks for a few letters looks for a token that many hold.
CREATE INDEX tokens_most_held ON {{schema}}.tokens (holder_count DESC, address) WHERE standard = 20;

CREATE INDEX tokens_symbol ON {{schema}}.tokens (lower(symbol), address);

CREATE INDEX tokens_symbol_standard ON {{schema}}.tokens (lower(symbol), standard, address);

CREATE INDEX tokens_standard ON {{schema}}.tokens (standard, address);

CREATE INDEX tokens_first_seen ON {{schema}}.tokens (first_seen_block);

CREATE INDEX tokens_pending ON {{schema}}.tokens (metadata_attempts, address) WHERE metadata_status = 'pending';

CREATE TABLE {{schema}}.erc20_transfers (
  block_number integer NOT NULL,
  log_index integer NOT NULL,
  block_time timestamptz NOT NULL,
  tx_index integer NOT NULL,
  tx_hash bytea NOT NULL,
  token bytea NOT NULL,
  from_address bytea NOT NULL,
  to_address bytea NOT NULL,
  amount numeric(78, 0) NOT NULL,
  kind text NOT NULL CHECK (kind IN ('transfer', 'mint', 'burn', 'wrap', 'unwrap')),
  PRIMARY KEY (block_number, log_index)
) PARTITION BY RANGE (block_number);

-- No list of an address has an index by token or by standard as well: each would make the table a quarter larger and slow down
-- every insert, for an address and a token that both have very many transfers and few with each other.
CREATE INDEX erc20_transfers_from
  ON {{schema}}.erc20_transfers ({{schema}}.index_key(from_address), block_number, log_index);

CREATE INDEX erc20_transfers_to ON {{schema}}.erc20_transfers ({{schema}}.index_key(to_address), block_number, log_index);

CREATE INDEX erc20_transfers_token ON {{schema}}.erc20_transfers ({{schema}}.index_key(token), block_number, log_index);

-- Listed together with those of ERC-20, and so in the same order by the same types.
CREATE TABLE {{schema}}.nft_transfers (
  block_number integer NOT NULL,
  log_index integer NOT NULL,
  block_time timestamptz NOT NULL,
  -- Place in a batch transfer, else 0.
  batch_index integer NOT NULL,
  tx_index integer NOT NULL,
  standard smallint NOT NULL CHECK (standard IN (721, 1155)),
  tx_hash bytea NOT NULL,
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

CREATE INDEX nft_transfers_item ON {{schema}}.nft_transfers (token, token_id, block_number, log_index, batch_index);

CREATE INDEX nft_transfers_erc721
  ON {{schema}}.nft_transfers (block_number, log_index, batch_index) WHERE standard = 721;

CREATE INDEX nft_transfers_erc1155
  ON {{schema}}.nft_transfers (block_number, log_index, batch_index) WHERE standard = 1155;

-- The newest transfer of an item of ERC-721, and the newest that a holder of one of ERC-1155 received.
CREATE INDEX nft_transfers_single
  ON {{schema}}.nft_transfers (token, token_id, block_number, log_index, batch_index) WHERE standard = 721;

CREATE INDEX nft_transfers_received
  ON {{schema}}.nft_transfers (token, token_id, to_address, block_number) WHERE standard = 1155;

CREATE TABLE {{schema}}.nft_items (
  token bytea NOT NULL,
  token_id numeric(78, 0) NOT NULL,
  -- The newest that an event announced, and its bytes; of one that is too long, the bytes alone.
  token_uri text,
  uri_size integer,
  first_seen_block bigint NOT NULL,
  updated_block bigint NOT NULL,
  -- What tokenURI(id), or uri(id) of ERC-1155, answered; null where it was not asked yet, or answered nothing.
  asked_uri text,
  asked_uri_size integer,
  -- Times that it was asked without an answer of the node; null once there was one, or once it is given up.
  uri_attempts smallint DEFAULT 0,
  PRIMARY KEY (token, token_id)
);

CREATE INDEX nft_items_to_ask ON {{schema}}.nft_items (token, token_id) WHERE uri_attempts IS NOT NULL;

-- Every URI that an item was announced to have.
CREATE TABLE {{schema}}.nft_uris (
  block_number bigint NOT NULL,
  log_index integer NOT NULL,
  token bytea NOT NULL,
  token_id numeric(78, 0) NOT NULL,
  token_uri text,
  uri_size integer NOT NULL,
  PRIMARY KEY (block_number, log_index)
) PARTITION BY RANGE (block_number);

CREATE INDEX nft_uris_item ON {{schema}}.nft_uris (token, token_id, block_number, log_index);

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

CREATE INDEX nft_owners_standard ON {{schema}}.nft_owners (owner, standard, token, token_id);

-- Sums of the stored transfers of ERC-1155: what a holder received less what it sent, where that is not zero. It is
-- negative where an item came in a block that is not stored yet. Nobody's own, those of mints and burns, is not kept.
CREATE TABLE {{schema}}.nft_ledger (
  token bytea NOT NULL,
  token_id numeric(78, 0) NOT NULL,
  owner bytea NOT NULL,
  amount numeric NOT NULL CHECK (amount <> 0),
  PRIMARY KEY (token, token_id, owner)
);

-- Adds the stored transfers of some blocks to these sums, or takes them out where the sign is -1: once. Each holder is looked up
-- by the key, however many there are.
CREATE FUNCTION {{schema}}.add_to_nft_ledger(first bigint, last bigint, sign integer) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_hashjoin = off SET enable_mergejoin = off
AS $function$
BEGIN
  MERGE INTO {{schema}}.nft_ledger AS held
  USING (
    SELECT token, token_id, owner, sum(amount) * sign AS amount
    FROM (
      SELECT token, token_id, to_address AS owner, amount FROM {{schema}}.nft_transfers
      WHERE standard = 1155 AND block_number BETWEEN first AND last
      UNION ALL
      SELECT token, token_id, from_address, -amount FROM {{schema}}.nft_transfers
      WHERE standard = 1155 AND block_number BETWEEN first AND last
    ) AS part
    WHERE owner <> '\x0000000000000000000000000000000000000000'
    GROUP BY token, token_id, owner HAVING sum(amount) <> 0
  ) AS change
  ON held.token = change.token AND held.token_id = change.token_id AND held.owner = change.owner
  WHEN MATCHED AND held.amount + change.amount = 0 THEN DELETE
  WHEN MATCHED THEN UPDATE SET amount = held.amount + change.amount
  WHEN NOT MATCHED THEN INSERT VALUES (change.token, change.token_id, change.owner, change.amount);
  RETURN true;
END
$function$;

GRANT EXECUTE ON FUNCTION {{schema}}.add_to_nft_ledger(bigint, bigint, integer) TO gateway_writer;

-- Balances are a snapshot at a finalised block. The newest completed snapshot is the one that is served; one run at a time brings
-- one forward.
CREATE TABLE {{schema}}.balance_snapshots (
  snapshot_id bigint PRIMARY KEY,
  block_number bigint NOT NULL,
  block_hash bytea NOT NULL,
  block_time timestamptz NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  completed_at timestamptz,
  -- Blocks whose transfers are in the snapshot; with those of the newest complete one, what the next has to add.
  folded int8multirange NOT NULL DEFAULT '{}',
  -- A run that holds the snapshot counts it up; the hold of one that died ends by itself.
  lease bigint NOT NULL DEFAULT 0,
  leased_until timestamptz,
  -- Parts in which the holders of tokens that do not follow their transfers have been added.
  unsteady_parts integer NOT NULL DEFAULT 0,
  -- Its block has left the chain: nothing of it is served or folded. Its row stays, so that no other snapshot gets its id.
  rewound boolean NOT NULL DEFAULT false
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

-- What the snapshot under way has found changed. It is applied, and emptied, in one transaction.
CREATE TABLE {{schema}}.balance_changes (
  token bytea NOT NULL,
  holder bytea NOT NULL,
  -- Sum of the transfers since the newest complete snapshot.
  delta numeric NOT NULL DEFAULT 0,
  -- What balanceOf answered at the snapshot's block; null where it was not asked yet, or did not answer.
  read_amount numeric(78, 0),
  state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'read', 'failed')),
  snapshot_id bigint NOT NULL,
  PRIMARY KEY (snapshot_id, token, holder)
);

CREATE INDEX balance_changes_pending
  ON {{schema}}.balance_changes (snapshot_id, token, holder) WHERE state = 'pending';

-- What a snapshot changes of each token, added up while it is completed.
CREATE TABLE {{schema}}.balance_token_changes (
  snapshot_id bigint NOT NULL,
  token bytea NOT NULL,
  -- Holders that it adds, less those that it ends.
  new_holders bigint NOT NULL,
  -- Balances that the transfers do not explain; whether one of them changed without a transfer, and whether all are less.
  mismatches bigint NOT NULL,
  rebased boolean NOT NULL,
  lessened boolean NOT NULL,
  PRIMARY KEY (snapshot_id, token)
);
