-- The liquidity that the next trade meets in a pool, and how deep the pool is that a price comes from.

ALTER TABLE {{schema}}.dex_pool_states
  -- As the contract has it after the last event of the block; null with V2.
  ADD COLUMN tick integer,
  -- That of the positions around the tick; null with V2, and where it is not known.
  ADD COLUMN liquidity numeric;

ALTER TABLE {{schema}}.token_prices
  -- USD that a trade moves the price by 2 % with; null for a peg.
  ADD COLUMN depth_usd numeric;

CREATE OR REPLACE VIEW {{schema}}.pricing_pools AS
SELECT pool.pool_id, pool.protocol, pool.token0, pool.token1, pool.fee_pips, pool.tick_spacing, pool.hooks
FROM {{schema}}.dex_pools AS pool
JOIN {{schema}}.dex_factories AS listed ON listed.protocol = pool.protocol AND listed.factory = pool.factory
WHERE NOT EXISTS (
  SELECT FROM {{schema}}.set_aside AS aside WHERE aside.subject_kind = 'pool' AND aside.subject = pool.pool_id
);

-- All that is derived is made anew, as after a change of the listed factories: states, prices and candles were others.
UPDATE {{schema}}.rollup_origin SET factories = NULL;
