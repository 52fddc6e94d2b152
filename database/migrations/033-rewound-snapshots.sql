-- Snapshots of balances whose block has left the chain.

ALTER TABLE {{schema}}.balance_snapshots
  -- Nothing of it is served or folded any more. Its row stays, so that no other snapshot gets its id.
  ADD COLUMN rewound boolean NOT NULL DEFAULT false;

-- Of an index that went on after a reorganisation below a snapshot: its balances are folded anew.
UPDATE {{schema}}.balance_snapshots SET rewound = true, completed_at = NULL, lease = lease + 1
WHERE EXISTS (
  SELECT FROM {{schema}}.balance_snapshots AS taken
  LEFT JOIN {{schema}}.blocks AS block ON block.number = taken.block_number
  WHERE block.hash IS DISTINCT FROM taken.block_hash
);

DELETE FROM {{schema}}.coverage
WHERE dataset = 'balances' AND NOT EXISTS (SELECT FROM {{schema}}.balance_snapshots WHERE completed_at IS NOT NULL);
