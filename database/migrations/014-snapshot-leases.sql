-- What snapshots find belongs to one of them, and one run at a time brings one on.

-- A run that holds the snapshot counts `lease` up; the hold of one that died ends by itself.
ALTER TABLE {{schema}}.balance_snapshots
  ADD COLUMN lease bigint NOT NULL DEFAULT 0,
  ADD COLUMN leased_until timestamptz,
  -- Parts in which the holders of tokens that do not follow their transfers have been added.
  ADD COLUMN unsteady_parts integer NOT NULL DEFAULT 0;

-- Which snapshot a change is of was not kept: the one under way begins anew.
TRUNCATE {{schema}}.balance_changes;

DELETE FROM {{schema}}.balance_snapshots WHERE completed_at IS NULL;

ALTER TABLE {{schema}}.balance_changes
  ADD COLUMN snapshot_id bigint NOT NULL,
  DROP CONSTRAINT balance_changes_pkey,
  ADD PRIMARY KEY (snapshot_id, token, holder);

DROP INDEX {{schema}}.balance_changes_pending;

CREATE INDEX balance_changes_pending
  ON {{schema}}.balance_changes (snapshot_id, token, holder) WHERE state = 'pending';

-- What a snapshot changes of each token, added up while it is completed.
CREATE TABLE {{schema}}.balance_token_changes (
  snapshot_id bigint NOT NULL,
  token bytea NOT NULL,
  -- Holders that it adds, less those that it ends.
  new_holders bigint NOT NULL,
  -- Balances that the transfers do not explain; whether one of them changed without a transfer, and whether all are less.
  mismatches bigint NOT NULL,
  rebased boolean NOT NULL,
  lessened boolean NOT NULL,
  PRIMARY KEY (snapshot_id, token)
);
