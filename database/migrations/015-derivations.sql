-- What rows were derived by, so that those of other rules are derived again from the stored logs.

CREATE TABLE {{schema}}.derivations (
  -- A dataset that is covered where its rows are as the rule says.
  dataset text PRIMARY KEY,
  rule text NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);
