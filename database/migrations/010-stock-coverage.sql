-- The registry of tokenised stocks comes out of the blocks that tokens come from.

INSERT INTO {{schema}}.coverage (dataset, covered)
SELECT 'stock_tokens', covered FROM {{schema}}.coverage WHERE dataset = 'tokens' ON CONFLICT DO NOTHING;
