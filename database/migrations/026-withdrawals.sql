-- Withdrawals of the consensus layer: what validators are given in the native token, outside of any transaction.
--
-- Blocks that earlier releases stored have no rows here: the dataset `withdrawals` covers those that were stored since.

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

-- The partitions that the other tables have.
SELECT count({{schema}}.ensure_partitions(number * 10000000, number * 10000000))
FROM (
  SELECT DISTINCT substring(child.relname FROM '_p(\d+)$')::bigint AS number
  FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
  WHERE inhparent = '{{schema}}.blocks'::regclass
) AS existing;
