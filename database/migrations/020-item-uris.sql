-- URIs of NFT items that no event announces: contracts are asked for them.

-- What tokenURI(id), or uri(id) of ERC-1155, said; null where it was not asked yet, or said nothing.
ALTER TABLE {{schema}}.nft_items ADD COLUMN asked_uri text;

-- Times that it was asked without an answer of the node; null once there was one, or once it is given up.
ALTER TABLE {{schema}}.nft_items ADD COLUMN uri_attempts smallint DEFAULT 0;

CREATE INDEX nft_items_to_ask ON {{schema}}.nft_items (token, token_id) WHERE uri_attempts IS NOT NULL;
