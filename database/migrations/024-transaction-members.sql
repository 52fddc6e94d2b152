-- What a transaction paid beside its gas, and what its receipt says further. Null in rows of earlier releases, and where the
-- node does not tell; the blocks whose rows have all of it are those that the dataset `withdrawals` covers.

ALTER TABLE {{schema}}.transactions
  ALTER COLUMN nonce TYPE numeric(78, 0),
  ALTER COLUMN gas TYPE numeric(78, 0),
  ALTER COLUMN gas_used TYPE numeric(78, 0),
  ALTER COLUMN gas_used_for_l1 TYPE numeric(78, 0),
  ALTER COLUMN cumulative_gas_used TYPE numeric(78, 0),
  ADD COLUMN l1_fee numeric(78, 0),
  ADD COLUMN operator_fee numeric(78, 0),
  ADD COLUMN blob_gas_used numeric(78, 0),
  ADD COLUMN blob_gas_price numeric(78, 0),
  ADD COLUMN receipt_extra jsonb,
  ADD COLUMN extra_omitted jsonb;
