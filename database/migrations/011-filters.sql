-- Filters of the Data API have an index in the order of their list, where what they leave out can be long.
--
-- Transfers of an address have none by token or by standard: each would make the table a quarter larger and slow down
-- every insert, for an address and a token that both have very many transfers and few with each other.
--
-- A statement has 45 seconds, which is an index over some ten million rows. If a chain has more, its indexes are made
-- beforehand (docs/deploy.md); one that is there already is left as it is.

CREATE INDEX IF NOT EXISTS nft_transfers_erc721
  ON {{schema}}.nft_transfers (block_number, log_index, batch_index) WHERE standard = 721;

CREATE INDEX IF NOT EXISTS nft_transfers_erc1155
  ON {{schema}}.nft_transfers (block_number, log_index, batch_index) WHERE standard = 1155;

CREATE INDEX IF NOT EXISTS nft_owners_standard ON {{schema}}.nft_owners (owner, standard, token, token_id);

CREATE INDEX IF NOT EXISTS tokens_standard ON {{schema}}.tokens (standard, address);

CREATE INDEX IF NOT EXISTS tokens_symbol_standard ON {{schema}}.tokens (lower(symbol), standard, address);

CREATE INDEX IF NOT EXISTS dex_pools_protocol ON {{schema}}.dex_pools (protocol, pool_id);

CREATE INDEX IF NOT EXISTS dex_pools_token0_protocol ON {{schema}}.dex_pools (token0, protocol, pool_id);

CREATE INDEX IF NOT EXISTS dex_pools_token1_protocol ON {{schema}}.dex_pools (token1, protocol, pool_id);

-- What was in force before an announcement: the newest one before it that was not superseded.
CREATE INDEX IF NOT EXISTS stock_multipliers_in_force
  ON {{schema}}.stock_multipliers (token, block_number, log_index) WHERE NOT superseded;

CREATE INDEX IF NOT EXISTS stock_multipliers_kept
  ON {{schema}}.stock_multipliers (block_number) WHERE NOT superseded;

CREATE INDEX IF NOT EXISTS stock_multipliers_superseded
  ON {{schema}}.stock_multipliers (block_number) WHERE superseded;

-- A token has one announcement that is pending at most.
CREATE INDEX IF NOT EXISTS stock_multipliers_pending
  ON {{schema}}.stock_multipliers (effective_at) WHERE NOT superseded;

-- Nothing is listed by these any more. They are last, as a table is locked from then on.
DROP INDEX {{schema}}.tokens_holders;

DROP INDEX {{schema}}.stock_multipliers_effective;
