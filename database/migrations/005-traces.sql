-- Call traces, and where there are none.

CREATE TABLE {{schema}}.traces (
  block_number bigint NOT NULL,
  tx_index integer NOT NULL,
  -- Place in the transaction, depth first; 0 is the transaction's own call.
  trace_index integer NOT NULL,
  tx_hash bytea NOT NULL,
  block_time timestamptz NOT NULL,
  trace_address integer[] NOT NULL,
  type text NOT NULL,
  from_address bytea NOT NULL,
  to_address bytea,
  value numeric(78, 0) NOT NULL,
  gas numeric(20, 0) NOT NULL,
  gas_used numeric(20, 0) NOT NULL,
  method_id bytea,
  input bytea NOT NULL,
  input_size integer NOT NULL,
  output bytea NOT NULL,
  output_size integer NOT NULL,
  error text,
  revert_reason text,
  subcalls integer NOT NULL,
  reverted_by_parent boolean NOT NULL,
  PRIMARY KEY (block_number, tx_index, trace_index)
) PARTITION BY RANGE (block_number);

CREATE INDEX traces_from ON {{schema}}.traces (from_address, block_number, tx_index, trace_index);

CREATE INDEX traces_to ON {{schema}}.traces (to_address, block_number, tx_index, trace_index);

CREATE INDEX traces_time ON {{schema}}.traces USING brin (block_time);

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
