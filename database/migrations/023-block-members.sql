-- Gas of any size, and the names of the node's members that were too long to be kept.
--
-- Each of 023 to 025 locks one table, for the milliseconds that its catalogue takes: no row is read or written again, because a
-- numeric of more digits is stored alike, and a column that may be null is in no row yet. Before it has the lock it waits for the
-- statements under way.

ALTER TABLE {{schema}}.blocks
  ALTER COLUMN gas_limit TYPE numeric(78, 0),
  ALTER COLUMN gas_used TYPE numeric(78, 0),
  ADD COLUMN extra_omitted jsonb;
