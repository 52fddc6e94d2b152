-- Gas of any size in traces too.

ALTER TABLE {{schema}}.traces
  ALTER COLUMN gas TYPE numeric(78, 0),
  ALTER COLUMN gas_used TYPE numeric(78, 0);
