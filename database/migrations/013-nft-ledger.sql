-- What keeps the owners of NFTs, the URIs of items and the states of pools without reading their histories.

-- The newest transfer of an item of ERC-721, and the newest that a holder of one of ERC-1155 received.
CREATE INDEX nft_transfers_single
  ON {{schema}}.nft_transfers (token, token_id, block_number, log_index, batch_index) WHERE standard = 721;

CREATE INDEX nft_transfers_received
  ON {{schema}}.nft_transfers (token, token_id, to_address, block_number) WHERE standard = 1155;

CREATE INDEX dex_liquidity_events_initialize
  ON {{schema}}.dex_liquidity_events (pool_id, block_number, log_index) WHERE kind = 'initialize';

-- Sums of the stored transfers of ERC-1155: what a holder received less what it sent, where that is not zero. It is
-- negative where an item came in a block that is not stored yet. Nobody's own, those of mints and burns, is not kept.
CREATE TABLE {{schema}}.nft_ledger (
  token bytea NOT NULL,
  token_id numeric(78, 0) NOT NULL,
  owner bytea NOT NULL,
  amount numeric NOT NULL CHECK (amount <> 0),
  PRIMARY KEY (token, token_id, owner)
);

-- Each holder is looked up by the key, however many there are.
CREATE FUNCTION {{schema}}.keep_nft_ledger() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_hashjoin = off SET enable_mergejoin = off
AS $function$
BEGIN
  MERGE INTO {{schema}}.nft_ledger AS held
  USING (
    SELECT token, token_id, owner, sum(amount) * CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END AS amount
    FROM (
      SELECT token, token_id, to_address AS owner, amount FROM changed WHERE standard = 1155
      UNION ALL
      SELECT token, token_id, from_address, -amount FROM changed WHERE standard = 1155
    ) AS part
    WHERE owner <> '\x0000000000000000000000000000000000000000'
    GROUP BY token, token_id, owner HAVING sum(amount) <> 0
  ) AS change
  ON held.token = change.token AND held.token_id = change.token_id AND held.owner = change.owner
  WHEN MATCHED AND held.amount + change.amount = 0 THEN DELETE
  WHEN MATCHED THEN UPDATE SET amount = held.amount + change.amount
  WHEN NOT MATCHED THEN INSERT VALUES (change.token, change.token_id, change.owner, change.amount);
  RETURN NULL;
END
$function$;

CREATE TRIGGER nft_transfers_added AFTER INSERT ON {{schema}}.nft_transfers
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION {{schema}}.keep_nft_ledger();

CREATE TRIGGER nft_transfers_deleted AFTER DELETE ON {{schema}}.nft_transfers
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION {{schema}}.keep_nft_ledger();

INSERT INTO {{schema}}.nft_ledger (token, token_id, owner, amount)
SELECT token, token_id, owner, sum(amount)
FROM (
  SELECT token, token_id, to_address AS owner, amount FROM {{schema}}.nft_transfers WHERE standard = 1155
  UNION ALL
  SELECT token, token_id, from_address, -amount FROM {{schema}}.nft_transfers WHERE standard = 1155
) AS part
WHERE owner <> '\x0000000000000000000000000000000000000000'
GROUP BY token, token_id, owner HAVING sum(amount) <> 0;

-- Every URI that an item was announced to have; nft_items has the newest.
CREATE TABLE {{schema}}.nft_uris (
  block_number bigint NOT NULL,
  log_index integer NOT NULL,
  token bytea NOT NULL,
  token_id numeric(78, 0) NOT NULL,
  token_uri text NOT NULL,
  PRIMARY KEY (block_number, log_index)
) PARTITION BY RANGE (block_number);

CREATE INDEX nft_uris_item ON {{schema}}.nft_uris (token, token_id, block_number, log_index);

SELECT {{schema}}.ensure_partitions(0, 0);

SELECT sum({{schema}}.ensure_partitions(lower(stored), upper(stored) - 1))
FROM {{schema}}.coverage, unnest(covered) AS stored WHERE dataset = 'blocks';

-- Where in its block a URI was announced was not kept: it counts as before all that the block logs.
INSERT INTO {{schema}}.nft_uris (block_number, log_index, token, token_id, token_uri)
SELECT updated_block, -row_number() OVER (PARTITION BY updated_block ORDER BY token, token_id), token, token_id, token_uri
FROM {{schema}}.nft_items WHERE token_uri IS NOT NULL;
