-- What prices are made of: liquidity by tick, and how deep pools were.

-- How much the liquidity of a pool changes by where the price rises across a tick: the sum of its derived mints and burns.
CREATE TABLE {{schema}}.dex_pool_ticks (
  pool_id bytea NOT NULL,
  tick integer NOT NULL,
  net numeric NOT NULL,
  PRIMARY KEY (pool_id, tick)
);

-- What is to be deleted.
CREATE INDEX dex_pool_ticks_spent ON {{schema}}.dex_pool_ticks (pool_id) WHERE net = 0;

-- All is derived anew: `factories` says by which list it was.
UPDATE {{schema}}.rollup_origin SET factories = NULL;
