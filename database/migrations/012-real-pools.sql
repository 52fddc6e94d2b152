-- Which pools may price anything, sums of any size, what is set aside, and as of when a supply is.

-- Factories, and pool managers of V4, that the stage file lists, as all that is derived knows them.
CREATE TABLE {{schema}}.dex_factories (
  protocol text NOT NULL,
  factory bytea NOT NULL,
  PRIMARY KEY (protocol, factory)
);

-- The list that all was derived with; null before any was.
ALTER TABLE {{schema}}.rollup_origin ADD COLUMN factories text;

-- Pools and tokens whose figures fail, from the block on that they failed at. Nothing is derived of them any more.
CREATE TABLE {{schema}}.set_aside (
  subject_kind text NOT NULL CHECK (subject_kind IN ('pool', 'token')),
  subject bytea NOT NULL,
  from_block bigint NOT NULL,
  reason text NOT NULL,
  noted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (subject_kind, subject)
);

-- Pools that price tokens and trades.
CREATE VIEW {{schema}}.pricing_pools AS
SELECT pool.pool_id, pool.protocol, pool.token0, pool.token1, pool.fee_pips
FROM {{schema}}.dex_pools AS pool
JOIN {{schema}}.dex_factories AS listed ON listed.protocol = pool.protocol AND listed.factory = pool.factory
WHERE NOT EXISTS (
  SELECT FROM {{schema}}.set_aside AS aside WHERE aside.subject_kind = 'pool' AND aside.subject = pool.pool_id
);

-- A sum of 256-bit numbers has more than 256 bits.
ALTER TABLE {{schema}}.candles
  ALTER COLUMN volume_base TYPE numeric,
  ALTER COLUMN volume_quote TYPE numeric;

ALTER TABLE {{schema}}.stock_daily
  ALTER COLUMN transfers_raw_amount TYPE numeric,
  ALTER COLUMN transfers_ui_amount TYPE numeric,
  ALTER COLUMN mint_raw_amount TYPE numeric,
  ALTER COLUMN burn_raw_amount TYPE numeric,
  ALTER COLUMN net_supply_change TYPE numeric,
  ALTER COLUMN dex_raw_volume TYPE numeric;

-- The finalised block that the supply is of; null where no snapshot has read it. And the last snapshot that asked.
ALTER TABLE {{schema}}.tokens
  ADD COLUMN supply_block bigint,
  ADD COLUMN supply_snapshot bigint NOT NULL DEFAULT 0;
