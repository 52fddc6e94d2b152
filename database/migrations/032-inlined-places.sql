-- The place of a call is worked out within each statement. PostgreSQL writes the body of a function in the place of its call
-- only if the body is as strict as the function says, and CASE is not: each row of each index called it, for 2 us. Its columns
-- are never null.
ALTER FUNCTION {{schema}}.call_place(integer, integer) CALLED ON NULL INPUT;

-- Sessions that hold the indexes in the form of before read them anew; else their statements would not find them.
DO $read_anew$
DECLARE
  held regclass;
BEGIN
  FOR held IN
    SELECT indexrelid FROM pg_partition_tree('{{schema}}.traces') AS part JOIN pg_index ON indrelid = part.relid
    WHERE part.isleaf AND NOT indisprimary
  LOOP
    EXECUTE format('ALTER INDEX %s RESET (fillfactor)', held);
  END LOOP;
END
$read_anew$;
