-- The tables with most of a chain's bytes are made anew: transactions, logs, transfers, calls.
--
-- Their indexes have 8 bytes of an address's digest and 8 of the place: the number of the block in 4, for blocks below
-- 2,147,483,647, and the place in it in 4. The whole address is compared in the row. PostgreSQL fills pages of such entries to nine
-- tenths, and those of longer ones to half. Columns stand in an order without gaps. ADR 086 has the figures.
--
-- A partition cannot have another type of its key than the table, so rows are copied, table by table. What a statement cannot
-- copy in its time is refused before anything is changed.

DO $refuse$
DECLARE
  max_bytes CONSTANT bigint := 2147483648;
  largest record;
BEGIN
  IF EXISTS (SELECT FROM {{schema}}.bulk_partitions WHERE attached_at IS NULL) THEN
    RAISE EXCEPTION '{{chain}} is being filled by files: let it end, or drop it with operator backfill --drop-bulk, and deploy again';
  END IF;
  SELECT name, sum(pg_table_size(part.relid)) AS bytes INTO largest
  FROM unnest(ARRAY['transactions', 'logs', 'erc20_transfers', 'nft_transfers', 'traces']) AS name
  CROSS JOIN LATERAL pg_partition_tree(('{{schema}}.' || name)::regclass) AS part
  GROUP BY name ORDER BY bytes DESC LIMIT 1;
  IF largest.bytes > max_bytes THEN
    RAISE EXCEPTION '{{chain}}.% has %, more than the % that a statement copies: rebuild the chain with the release that runs, and deploy again at once',
      largest.name, pg_size_pretty(largest.bytes), pg_size_pretty(max_bytes);
  END IF;
  IF EXISTS (SELECT FROM {{schema}}.partitions WHERE to_block > 2147483647) THEN
    RAISE EXCEPTION '{{chain}} has a partition for blocks from 2147483647 on, which this release does not store';
  END IF;
END
$refuse$;

-- Calls of a block in their order, in 4 bytes: 13 bits of the transaction, 18 of the call within it. All calls behind the last that
-- has a number of its own share one, and are sorted.
CREATE FUNCTION {{schema}}.call_place(tx_index integer, trace_index integer) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN tx_index < 8191 THEN tx_index << 18 | least(trace_index, 262143) ELSE 2147483647 END;

GRANT EXECUTE ON FUNCTION {{schema}}.call_place(integer, integer) TO gateway_reader, gateway_writer;

-- Sets the tables aside, with the text of the view that reads them.
CREATE SCHEMA former_rows;

DO $aside$
DECLARE
  part regclass;
BEGIN
  PERFORM set_config('former_rows.freshness', pg_get_viewdef('{{schema}}.freshness'::regclass), true);
  DROP VIEW {{schema}}.freshness;
  FOR part IN
    SELECT tree.relid FROM unnest(ARRAY['transactions', 'logs', 'erc20_transfers', 'nft_transfers', 'traces']) AS name
    CROSS JOIN LATERAL pg_partition_tree(('{{schema}}.' || name)::regclass) AS tree
  LOOP
    EXECUTE format('ALTER TABLE %s SET SCHEMA former_rows', part);
  END LOOP;
END
$aside$;

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
  nonce numeric(78, 0) NOT NULL,
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
  extra_omitted jsonb
) PARTITION BY RANGE (block_number);

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
  data bytea NOT NULL
) PARTITION BY RANGE (block_number);

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
  kind text NOT NULL CHECK (kind IN ('transfer', 'mint', 'burn', 'wrap', 'unwrap'))
) PARTITION BY RANGE (block_number);

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
  kind text NOT NULL CHECK (kind IN ('transfer', 'mint', 'burn'))
) PARTITION BY RANGE (block_number);

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
  revert_reason text
) PARTITION BY RANGE (block_number);

DO $partitions$
DECLARE
  part record;
BEGIN
  FOR part IN SELECT * FROM {{schema}}.partitions LOOP
    PERFORM {{schema}}.create_partition(part.from_block, part.to_block, part.suffix);
    PERFORM {{schema}}.attach_partition(part.from_block, part.to_block, part.suffix);
  END LOOP;
END
$partitions$;

INSERT INTO {{schema}}.transactions (
  block_number, tx_index, block_time, l1_block_number, log_count, input_size, type, status, hash, block_hash, from_address,
  to_address, contract_address, nonce, value, gas, gas_price, max_fee_per_gas, max_priority_fee_per_gas, effective_gas_price,
  gas_used, gas_used_for_l1, cumulative_gas_used, l1_fee, operator_fee, blob_gas_used, blob_gas_price, method_id, input,
  request_id, extra, receipt_extra, extra_omitted)
SELECT
  block_number, tx_index, block_time, l1_block_number, log_count, input_size, type, status, hash, block_hash, from_address,
  to_address, contract_address, nonce, value, gas, gas_price, max_fee_per_gas, max_priority_fee_per_gas, effective_gas_price,
  gas_used, gas_used_for_l1, cumulative_gas_used, l1_fee, operator_fee, blob_gas_used, blob_gas_price, method_id, input,
  request_id, extra, receipt_extra, extra_omitted
FROM former_rows.transactions;

INSERT INTO {{schema}}.logs
SELECT block_number, log_index, block_time, tx_index, data_size, tx_hash, address, topic0, topic1, topic2, topic3, data
FROM former_rows.logs;

INSERT INTO {{schema}}.erc20_transfers
SELECT block_number, log_index, block_time, tx_index, tx_hash, token, from_address, to_address, amount, kind
FROM former_rows.erc20_transfers;

INSERT INTO {{schema}}.nft_transfers
SELECT block_number, log_index, block_time, batch_index, tx_index, standard, tx_hash, token, token_id, from_address, to_address,
       operator, amount, kind
FROM former_rows.nft_transfers;

INSERT INTO {{schema}}.traces
SELECT block_number, tx_index, block_time, trace_index, input_size, output_size, subcalls, reverted_by_parent, tx_hash,
       array_to_string(trace_address, ','), type, from_address, to_address, value, gas, gas_used, method_id, input, output, error, revert_reason
FROM former_rows.traces;

DROP SCHEMA former_rows CASCADE;

ALTER TABLE {{schema}}.transactions ADD PRIMARY KEY (block_number, tx_index);

ALTER TABLE {{schema}}.logs ADD PRIMARY KEY (block_number, log_index);

ALTER TABLE {{schema}}.erc20_transfers ADD PRIMARY KEY (block_number, log_index);

ALTER TABLE {{schema}}.nft_transfers ADD PRIMARY KEY (block_number, log_index, batch_index);

ALTER TABLE {{schema}}.traces ADD PRIMARY KEY (block_number, tx_index, trace_index);

CREATE INDEX transactions_hash ON {{schema}}.transactions ({{schema}}.index_key(hash));

CREATE INDEX transactions_from ON {{schema}}.transactions ({{schema}}.index_key(from_address), block_number, tx_index);

CREATE INDEX transactions_to ON {{schema}}.transactions ({{schema}}.index_key(to_address), block_number, tx_index);

CREATE INDEX transactions_contract ON {{schema}}.transactions ({{schema}}.index_key(contract_address), block_number)
  WHERE contract_address IS NOT NULL;

CREATE INDEX transactions_value_from ON {{schema}}.transactions ({{schema}}.index_key(from_address), block_number, tx_index)
  WHERE value > 0 AND status = 1;

CREATE INDEX transactions_value_to
  ON {{schema}}.transactions ({{schema}}.index_key(coalesce(to_address, contract_address)), block_number, tx_index)
  WHERE value > 0 AND status = 1;

CREATE INDEX logs_address ON {{schema}}.logs ({{schema}}.index_key(address), block_number, log_index);

CREATE INDEX logs_topic0 ON {{schema}}.logs ({{schema}}.index_key(topic0), block_number, log_index);

CREATE INDEX erc20_transfers_from
  ON {{schema}}.erc20_transfers ({{schema}}.index_key(from_address), block_number, log_index);

CREATE INDEX erc20_transfers_to ON {{schema}}.erc20_transfers ({{schema}}.index_key(to_address), block_number, log_index);

CREATE INDEX erc20_transfers_token ON {{schema}}.erc20_transfers ({{schema}}.index_key(token), block_number, log_index);

CREATE INDEX nft_transfers_from ON {{schema}}.nft_transfers (from_address, block_number, log_index, batch_index);

CREATE INDEX nft_transfers_to ON {{schema}}.nft_transfers (to_address, block_number, log_index, batch_index);

CREATE INDEX nft_transfers_token ON {{schema}}.nft_transfers (token, block_number, log_index, batch_index);

CREATE INDEX nft_transfers_item ON {{schema}}.nft_transfers (token, token_id, block_number, log_index, batch_index);

CREATE INDEX nft_transfers_erc721
  ON {{schema}}.nft_transfers (block_number, log_index, batch_index) WHERE standard = 721;

CREATE INDEX nft_transfers_erc1155
  ON {{schema}}.nft_transfers (block_number, log_index, batch_index) WHERE standard = 1155;

CREATE INDEX nft_transfers_single
  ON {{schema}}.nft_transfers (token, token_id, block_number, log_index, batch_index) WHERE standard = 721;

CREATE INDEX nft_transfers_received
  ON {{schema}}.nft_transfers (token, token_id, to_address, block_number) WHERE standard = 1155;

-- Only now, as the ledger has the rows that were copied.
CREATE TRIGGER nft_transfers_added AFTER INSERT ON {{schema}}.nft_transfers
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION {{schema}}.keep_nft_ledger();

CREATE TRIGGER nft_transfers_deleted AFTER DELETE ON {{schema}}.nft_transfers
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION {{schema}}.keep_nft_ledger();

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

ANALYZE {{schema}}.transactions, {{schema}}.logs, {{schema}}.erc20_transfers, {{schema}}.nft_transfers, {{schema}}.traces;

DO $view$
BEGIN
  EXECUTE 'CREATE VIEW {{schema}}.freshness AS ' || current_setting('former_rows.freshness');
END
$view$;
