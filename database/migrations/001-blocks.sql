-- One chain: its blocks, transactions, logs and calls, and how far the indexer has come.
--
-- {{schema}} is the chain's schema, {{chain}} its name. Hashes and addresses are bytea, 256-bit numbers numeric(78,0).
-- Tables that grow with the chain are partitioned by block number (004-partitions).
-- An answer of the RDS Data API has at most 64 KB a row: columns of long data hold its first 16 KiB beside its whole
-- size, and data_pieces holds the rest.

CREATE SCHEMA {{schema}};

GRANT USAGE ON SCHEMA {{schema}} TO gateway_reader, gateway_writer;

ALTER DEFAULT PRIVILEGES IN SCHEMA {{schema}} GRANT SELECT ON TABLES TO gateway_reader;

ALTER DEFAULT PRIVILEGES IN SCHEMA {{schema}} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO gateway_writer;

ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

-- What indexes have of a hash or an address: 8 bytes of its digest. The whole value is compared in the row. A digest, because
-- a contract chooses the topics of its logs and, by trying, some bytes of its address: nothing but chance makes two alike.
CREATE FUNCTION {{schema}}.index_key(value bytea) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ('x' || encode(substr(sha256(value), 1, 8), 'hex'))::bit(64)::bigint;

-- Calls of a block in their order, in 4 bytes: 13 bits of the transaction, 18 of the call within it. All calls behind the last that
-- has a number of its own share one, and are sorted. It is not strict, as CASE is not: PostgreSQL writes its body into the
-- statement then, where each row of each index would call it, for 2 us. Its columns are never null.
CREATE FUNCTION {{schema}}.call_place(tx_index integer, trace_index integer) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN tx_index < 8191 THEN tx_index << 18 | least(trace_index, 262143) ELSE 2147483647 END;

GRANT EXECUTE ON FUNCTION {{schema}}.index_key(bytea), {{schema}}.call_place(integer, integer) TO gateway_reader, gateway_writer;

-- How far the indexer is: 'node' is the head that the node answered last, 'indexed' the last block that is stored whole,
-- 'rollups' the last whose prices, candles and daily figures are derived, 'agreed' the last whose hash an independent node
-- named, and 'contradicted' the first of which one names another hash, while that stands.
CREATE TABLE {{schema}}.cursors (
  name text PRIMARY KEY,
  block_number bigint NOT NULL,
  block_hash bytea NOT NULL,
  block_time timestamptz NOT NULL,
  -- Counts reorganisations, so that a reader can tell that rows it has seen may be gone.
  reorg_epoch bigint NOT NULL DEFAULT 0,
  -- Why the indexer stands still until somebody looks; null while it runs.
  halted text,
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- The newest blocks, to find the common ancestor after a reorganisation.
CREATE TABLE {{schema}}.ring (
  block_number bigint PRIMARY KEY,
  block_hash bytea NOT NULL,
  parent_hash bytea NOT NULL,
  block_time timestamptz NOT NULL,
  -- How sure its hash is and each part, a letter each; empty for the block below the first.
  levels text NOT NULL DEFAULT ''
);

-- Of each 1,024 blocks, how many are stored, and of how many the hash was named by an independent node, and a part comes out of its
-- hash or root, or is the same at such a node. All else is as one node says.
CREATE TABLE {{schema}}.proof_levels (
  from_block bigint PRIMARY KEY,
  blocks integer NOT NULL,
  hash_agreed integer NOT NULL,
  header_computed integer NOT NULL,
  header_agreed integer NOT NULL,
  transactions_computed integer NOT NULL,
  transactions_agreed integer NOT NULL,
  senders_computed integer NOT NULL,
  senders_agreed integer NOT NULL,
  receipts_computed integer NOT NULL,
  receipts_agreed integer NOT NULL,
  withdrawals_computed integer NOT NULL,
  withdrawals_agreed integer NOT NULL
);

-- The blocks for which each dataset is complete.
CREATE TABLE {{schema}}.coverage (
  dataset text PRIMARY KEY,
  covered int8multirange NOT NULL DEFAULT '{}',
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- What rows were derived by, so that those of other rules are derived again from the stored logs.
CREATE TABLE {{schema}}.derivations (
  -- A dataset that is covered where its rows are as the rule says.
  dataset text PRIMARY KEY,
  rule text NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE {{schema}}.blocks (
  number bigint NOT NULL,
  hash bytea NOT NULL,
  parent_hash bytea NOT NULL,
  time timestamptz NOT NULL,
  miner bytea NOT NULL,
  -- Null where the file that the block came from does not say it.
  gas_limit numeric(78, 0),
  gas_used numeric(78, 0) NOT NULL,
  base_fee_per_gas numeric(78, 0),
  state_root bytea NOT NULL,
  transactions_root bytea NOT NULL,
  receipts_root bytea NOT NULL,
  extra_data bytea NOT NULL,
  tx_count integer NOT NULL,
  log_count integer NOT NULL,
  -- Null where what the block came from does not say it.
  size bigint,
  l1_block_number bigint,
  send_count bigint,
  send_root bytea,
  extra jsonb NOT NULL DEFAULT '{}',
  -- Names of the node's members that were too long to be kept.
  extra_omitted jsonb,
  PRIMARY KEY (number)
) PARTITION BY RANGE (number);

CREATE INDEX blocks_hash ON {{schema}}.blocks (hash);

CREATE INDEX blocks_time ON {{schema}}.blocks (time, number);

-- Transactions, logs, transfers and calls have most of a chain's bytes (ADR 085). Their columns stand in an order without gaps.
-- Their indexes have 8 bytes of an address's digest and 8 of the place: the number of the block in 4, for blocks below
-- 2,147,483,647, and the place in it in 4. PostgreSQL fills pages of such entries to nine tenths, and those of longer ones to half.
CREATE TABLE {{schema}}.transactions (
  block_number integer NOT NULL,
  tx_index integer NOT NULL,
  block_time timestamptz NOT NULL,
  l1_block_number bigint,
  log_count integer NOT NULL,
  input_size integer NOT NULL,
  type smallint NOT NULL,
  -- 1: succeeded, 0: reverted; null where the chain does not say.
  status smallint,
  hash bytea NOT NULL,
  block_hash bytea NOT NULL,
  from_address bytea NOT NULL,
  to_address bytea,
  contract_address bytea,
  -- Null for a deposit of the OP stack whose node names none.
  nonce numeric(78, 0),
  value numeric(78, 0) NOT NULL,
  gas numeric(78, 0) NOT NULL,
  gas_price numeric(78, 0),
  max_fee_per_gas numeric(78, 0),
  max_priority_fee_per_gas numeric(78, 0),
  effective_gas_price numeric(78, 0),
  gas_used numeric(78, 0) NOT NULL,
  gas_used_for_l1 numeric(78, 0),
  cumulative_gas_used numeric(78, 0) NOT NULL,
  l1_fee numeric(78, 0),
  operator_fee numeric(78, 0),
  blob_gas_used numeric(78, 0),
  blob_gas_price numeric(78, 0),
  method_id bytea,
  input bytea NOT NULL,
  request_id bytea,
  extra jsonb NOT NULL DEFAULT '{}',
  receipt_extra jsonb,
  extra_omitted jsonb,
  PRIMARY KEY (block_number, tx_index)
) PARTITION BY RANGE (block_number);

CREATE INDEX transactions_hash ON {{schema}}.transactions ({{schema}}.index_key(hash));

CREATE INDEX transactions_from ON {{schema}}.transactions ({{schema}}.index_key(from_address), block_number, tx_index);

CREATE INDEX transactions_to ON {{schema}}.transactions ({{schema}}.index_key(to_address), block_number, tx_index);

CREATE INDEX transactions_contract ON {{schema}}.transactions ({{schema}}.index_key(contract_address), block_number)
  WHERE contract_address IS NOT NULL;

-- Moves of the native token: few of the transactions and calls of a busy address are any. What makes a contract pays the contract.
CREATE INDEX transactions_value_from ON {{schema}}.transactions ({{schema}}.index_key(from_address), block_number, tx_index)
  WHERE value > 0 AND status = 1;

CREATE INDEX transactions_value_to
  ON {{schema}}.transactions ({{schema}}.index_key(coalesce(to_address, contract_address)), block_number, tx_index)
  WHERE value > 0 AND status = 1;

CREATE TABLE {{schema}}.logs (
  block_number integer NOT NULL,
  log_index integer NOT NULL,
  block_time timestamptz NOT NULL,
  tx_index integer NOT NULL,
  data_size integer NOT NULL,
  tx_hash bytea NOT NULL,
  address bytea NOT NULL,
  topic0 bytea,
  topic1 bytea,
  topic2 bytea,
  topic3 bytea,
  data bytea NOT NULL,
  PRIMARY KEY (block_number, log_index)
) PARTITION BY RANGE (block_number);

CREATE INDEX logs_address ON {{schema}}.logs ({{schema}}.index_key(address), block_number, log_index);

CREATE INDEX logs_topic0 ON {{schema}}.logs ({{schema}}.index_key(topic0), block_number, log_index);

-- What owners approve of: events of ERC-20 and of NFTs, and those of Permit2.
CREATE INDEX logs_approvals ON {{schema}}.logs ({{schema}}.index_key(topic1), block_number, log_index)
  WHERE topic0 IN ('\x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925',
    '\x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31',
    '\xda9fa7c1b00402c17d0161b249b1ab8bbec047c5a52207b9c112deffd817036b',
    '\xc6a377bfc4eb120024a8ac08eef205be16b817020812c73223e81d1bdb9708ec');

-- User operations by their sender. What others log in their form stands beside, and is not read.
CREATE INDEX logs_user_operations
  ON {{schema}}.logs ({{schema}}.index_key(topic2), {{schema}}.index_key(address), block_number)
  WHERE topic0 = '\x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f';

CREATE TABLE {{schema}}.traces (
  block_number integer NOT NULL,
  tx_index integer NOT NULL,
  block_time timestamptz NOT NULL,
  -- Place in the transaction, depth first; 0 is the transaction's own call.
  trace_index integer NOT NULL,
  input_size integer NOT NULL,
  output_size integer NOT NULL,
  subcalls integer NOT NULL,
  reverted_by_parent boolean NOT NULL,
  tx_hash bytea NOT NULL,
  -- Places of the call and of its parents among their siblings, from the top, with commas between.
  trace_address text NOT NULL,
  type text NOT NULL,
  from_address bytea NOT NULL,
  to_address bytea,
  value numeric(78, 0) NOT NULL,
  gas numeric(78, 0) NOT NULL,
  gas_used numeric(78, 0) NOT NULL,
  method_id bytea,
  input bytea NOT NULL,
  output bytea NOT NULL,
  error text,
  revert_reason text,
  PRIMARY KEY (block_number, tx_index, trace_index)
) PARTITION BY RANGE (block_number);

CREATE INDEX traces_from
  ON {{schema}}.traces ({{schema}}.index_key(from_address), block_number, {{schema}}.call_place(tx_index, trace_index));

CREATE INDEX traces_to
  ON {{schema}}.traces ({{schema}}.index_key(to_address), block_number, {{schema}}.call_place(tx_index, trace_index));

CREATE INDEX traces_value_from
  ON {{schema}}.traces ({{schema}}.index_key(from_address), block_number, {{schema}}.call_place(tx_index, trace_index))
  WHERE value > 0 AND trace_index > 0 AND error IS NULL AND type <> 'CALLCODE';

CREATE INDEX traces_value_to
  ON {{schema}}.traces ({{schema}}.index_key(to_address), block_number, {{schema}}.call_place(tx_index, trace_index))
  WHERE value > 0 AND trace_index > 0 AND error IS NULL AND type <> 'CALLCODE';

-- Contracts that calls made, by the contract.
CREATE INDEX traces_created ON {{schema}}.traces ({{schema}}.index_key(to_address), block_number)
  WHERE trace_index > 0 AND error IS NULL AND type IN ('CREATE', 'CREATE2');

-- Blocks without traces and why; no block is in two gaps.
CREATE TABLE {{schema}}._trace_gaps (
  from_block bigint NOT NULL,
  to_block bigint NOT NULL CHECK (to_block >= from_block),
  reason text NOT NULL CHECK (reason IN ('node_pruned', 'timeout', 'rpc_error', 'not_started', 'unsupported')),
  attempts integer NOT NULL DEFAULT 1,
  last_error text,
  recorded_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (from_block),
  EXCLUDE USING gist (int8range(from_block, to_block, '[]') WITH &&)
);

-- Withdrawals of the consensus layer: what validators get in the native token, outside of any transaction.
CREATE TABLE {{schema}}.withdrawals (
  block_number bigint NOT NULL,
  -- Place in the block.
  place integer NOT NULL,
  block_time timestamptz NOT NULL,
  withdrawal_index numeric(78, 0) NOT NULL,
  validator_index numeric(78, 0) NOT NULL,
  to_address bytea NOT NULL,
  -- In 10^9 of the smallest unit.
  amount_gwei numeric(78, 0) NOT NULL,
  PRIMARY KEY (block_number, place)
) PARTITION BY RANGE (block_number);

CREATE INDEX withdrawals_to ON {{schema}}.withdrawals (to_address, block_number, place);

-- What follows the first 16 KiB of long data, in pieces of at most 24 KiB from piece 1 on.
CREATE TABLE {{schema}}.data_pieces (
  block_number bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('tx_input', 'log_data', 'trace_input', 'trace_output')),
  -- The transaction's index; of a log, its log index.
  item_index integer NOT NULL,
  -- The trace's index in its transaction, else 0.
  part_index integer NOT NULL DEFAULT 0,
  piece integer NOT NULL CHECK (piece > 0),
  data bytea NOT NULL CHECK (octet_length(data) <= 24576),
  PRIMARY KEY (block_number, kind, item_index, part_index, piece)
) PARTITION BY RANGE (block_number);
