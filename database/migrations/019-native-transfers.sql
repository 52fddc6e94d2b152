-- Moves of the native token, by who gives and who is given: few of the transactions and calls of a busy address are any.
--
-- A chain that has more than some ten million of these rows gets its indexes beforehand, as for 011-filters.

CREATE INDEX IF NOT EXISTS transactions_value_from ON {{schema}}.transactions (from_address, block_number, tx_index)
  WHERE value > 0 AND status = 1;

-- What makes a contract is given to the contract.
CREATE INDEX IF NOT EXISTS transactions_value_to
  ON {{schema}}.transactions ((coalesce(to_address, contract_address)), block_number, tx_index)
  WHERE value > 0 AND status = 1;

CREATE INDEX IF NOT EXISTS traces_value_from
  ON {{schema}}.traces (from_address, block_number, tx_index, trace_index)
  WHERE value > 0 AND trace_index > 0 AND error IS NULL AND type <> 'CALLCODE';

CREATE INDEX IF NOT EXISTS traces_value_to ON {{schema}}.traces (to_address, block_number, tx_index, trace_index)
  WHERE value > 0 AND trace_index > 0 AND error IS NULL AND type <> 'CALLCODE';
