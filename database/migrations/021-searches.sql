-- Pools of a pair and by liquidity, and tokens by how their symbol or name begins: each list in the order of an index.
--
-- Names are compared by their code points, so that all that begin alike are one range. Pools whose liquidity nobody knows
-- are in no list of it.

CREATE INDEX IF NOT EXISTS dex_pools_pair ON {{schema}}.dex_pools (token0, token1, pool_id);

CREATE INDEX IF NOT EXISTS dex_pools_liquidity
  ON {{schema}}.dex_pools (liquidity_usd DESC, pool_id) WHERE liquidity_usd IS NOT NULL;

CREATE INDEX IF NOT EXISTS dex_pools_token0_liquidity
  ON {{schema}}.dex_pools (token0, liquidity_usd DESC, pool_id) WHERE liquidity_usd IS NOT NULL;

CREATE INDEX IF NOT EXISTS dex_pools_token1_liquidity
  ON {{schema}}.dex_pools (token1, liquidity_usd DESC, pool_id) WHERE liquidity_usd IS NOT NULL;

CREATE INDEX IF NOT EXISTS dex_pools_pair_liquidity
  ON {{schema}}.dex_pools (token0, token1, liquidity_usd DESC, pool_id) WHERE liquidity_usd IS NOT NULL;

CREATE INDEX IF NOT EXISTS tokens_symbol_begins ON {{schema}}.tokens ((lower(symbol) COLLATE "C"), address);

CREATE INDEX IF NOT EXISTS tokens_name_begins ON {{schema}}.tokens ((lower(name) COLLATE "C"), address);

-- Whoever looks for a few letters looks for a token that many hold.
CREATE INDEX IF NOT EXISTS tokens_most_held ON {{schema}}.tokens (holder_count DESC, address) WHERE standard = 20;
