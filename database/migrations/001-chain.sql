-- One chain: its blocks, transactions and logs, and how far the indexer has come.
--
-- {{schema}} is the chain's schema, {{chain}} its name. Hashes and addresses are bytea, 256-bit numbers numeric(78,0).
-- Tables that grow with the chain are partitioned by block number; ensure_partitions() makes the partitions.
-- An answer of the RDS Data API has at most 64 KB a row: columns of long data hold its first 16 KiB beside its whole
-- size, and data_pieces holds the rest.

CREATE SCHEMA {{schema}};

GRANT USAGE ON SCHEMA {{schema}} TO gateway_reader, gateway_writer;

ALTER DEFAULT PRIVILEGES IN SCHEMA {{schema}} GRANT SELECT ON TABLES TO gateway_reader;

ALTER DEFAULT PRIVILEGES IN SCHEMA {{schema}} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO gateway_writer;

ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

-- How far the indexer is: 'node' is the head that the node told last, 'indexed' the last block that is stored whole.
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
  block_time timestamptz NOT NULL
);

-- The blocks for which each dataset is complete.
CREATE TABLE {{schema}}.coverage (
  dataset text PRIMARY KEY,
  covered int8multirange NOT NULL DEFAULT '{}',
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE {{schema}}.blocks (
  number bigint NOT NULL,
  hash bytea NOT NULL,
  parent_hash bytea NOT NULL,
  time timestamptz NOT NULL,
  miner bytea NOT NULL,
  gas_limit numeric(20, 0) NOT NULL,
  gas_used numeric(20, 0) NOT NULL,
  base_fee_per_gas numeric(78, 0),
  state_root bytea NOT NULL,
  transactions_root bytea NOT NULL,
  receipts_root bytea NOT NULL,
  extra_data bytea NOT NULL,
  tx_count integer NOT NULL,
  log_count integer NOT NULL,
  size bigint NOT NULL,
  l1_block_number bigint,
  send_count bigint,
  send_root bytea,
  extra jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (number)
) PARTITION BY RANGE (number);

CREATE INDEX blocks_hash ON {{schema}}.blocks (hash);

CREATE INDEX blocks_time ON {{schema}}.blocks (time, number);

CREATE TABLE {{schema}}.transactions (
  block_number bigint NOT NULL,
  tx_index integer NOT NULL,
  hash bytea NOT NULL,
  block_hash bytea NOT NULL,
  block_time timestamptz NOT NULL,
  type smallint NOT NULL,
  from_address bytea NOT NULL,
  to_address bytea,
  contract_address bytea,
  nonce numeric(20, 0) NOT NULL,
  value numeric(78, 0) NOT NULL,
  gas numeric(20, 0) NOT NULL,
  gas_price numeric(78, 0),
  max_fee_per_gas numeric(78, 0),
  max_priority_fee_per_gas numeric(78, 0),
  effective_gas_price numeric(78, 0),
  gas_used numeric(20, 0) NOT NULL,
  gas_used_for_l1 numeric(20, 0),
  cumulative_gas_used numeric(20, 0) NOT NULL,
  l1_block_number bigint,
  -- 1: succeeded, 0: reverted; null where the chain does not say.
  status smallint,
  log_count integer NOT NULL,
  method_id bytea,
  input bytea NOT NULL,
  input_size integer NOT NULL,
  request_id bytea,
  extra jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (block_number, tx_index)
) PARTITION BY RANGE (block_number);

CREATE INDEX transactions_from ON {{schema}}.transactions (from_address, block_number, tx_index);

CREATE INDEX transactions_to ON {{schema}}.transactions (to_address, block_number, tx_index);

CREATE INDEX transactions_contract ON {{schema}}.transactions (contract_address)
  WHERE contract_address IS NOT NULL;

CREATE INDEX transactions_time ON {{schema}}.transactions USING brin (block_time);

-- Where a transaction is; without it a hash would be looked for in every partition.
CREATE TABLE {{schema}}.transaction_hashes (
  hash bytea NOT NULL,
  block_number bigint NOT NULL,
  tx_index integer NOT NULL,
  PRIMARY KEY (hash)
) PARTITION BY HASH (hash);

DO $create$
BEGIN
  FOR remainder IN 0..15 LOOP
    EXECUTE format(
      'CREATE TABLE {{schema}}.transaction_hashes_%s PARTITION OF {{schema}}.transaction_hashes '
      'FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
      remainder, remainder
    );
  END LOOP;
END
$create$;

CREATE TABLE {{schema}}.logs (
  block_number bigint NOT NULL,
  log_index integer NOT NULL,
  tx_index integer NOT NULL,
  tx_hash bytea NOT NULL,
  block_time timestamptz NOT NULL,
  address bytea NOT NULL,
  topic0 bytea,
  topic1 bytea,
  topic2 bytea,
  topic3 bytea,
  data bytea NOT NULL,
  data_size integer NOT NULL,
  PRIMARY KEY (block_number, log_index)
) PARTITION BY RANGE (block_number);

CREATE INDEX logs_address ON {{schema}}.logs (address, block_number, log_index);

CREATE INDEX logs_topic0 ON {{schema}}.logs (topic0, block_number, log_index);

CREATE INDEX logs_time ON {{schema}}.logs USING brin (block_time);

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

-- Makes the partitions for a range of blocks in every table that is partitioned by them; returns how many were missing.
CREATE FUNCTION {{schema}}.ensure_partitions(from_block bigint, to_block bigint) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  width CONSTANT bigint := 10000000;
  max_partitions CONSTANT bigint := 200;
  made integer := 0;
  parent name;
  place bigint;
BEGIN
  IF from_block < 0 OR to_block < from_block OR (to_block - from_block) / width >= max_partitions THEN
    RAISE EXCEPTION 'no range to make partitions for: % to %', from_block, to_block;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('{{chain}} partitions', 0));
  FOR parent IN
    SELECT tables.relname
    FROM pg_partitioned_table AS partitioned JOIN pg_class AS tables ON tables.oid = partitioned.partrelid
    WHERE partitioned.partstrat = 'r' AND tables.relnamespace = '{{schema}}'::regnamespace
  LOOP
    FOR place IN from_block / width .. to_block / width LOOP
      CONTINUE WHEN to_regclass(format('{{schema}}.%I', parent || '_p' || place)) IS NOT NULL;
      EXECUTE format(
        'CREATE TABLE {{schema}}.%I PARTITION OF {{schema}}.%I FOR VALUES FROM (%s) TO (%s)',
        parent || '_p' || place, parent, place * width, (place + 1) * width
      );
      made := made + 1;
    END LOOP;
  END LOOP;
  RETURN made;
END
$function$;

GRANT EXECUTE ON FUNCTION {{schema}}.ensure_partitions(bigint, bigint) TO gateway_writer;
