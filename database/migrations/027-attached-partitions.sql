-- A partition is made by itself and then attached. CREATE TABLE ... PARTITION OF would wait until each reader of the
-- table has ended its transaction, and every later reader would wait behind it; attaching waits for no reader or writer.
CREATE OR REPLACE FUNCTION {{schema}}.ensure_partitions(from_block bigint, to_block bigint) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = 0
AS $function$
DECLARE
  width CONSTANT bigint := 10000000;
  max_partitions CONSTANT bigint := 200;
  made integer := 0;
  parent name;
  child name;
  place bigint;
BEGIN
  IF from_block < 0 OR to_block < from_block OR (to_block - from_block) / width >= max_partitions THEN
    RAISE EXCEPTION 'no range to make partitions for: % to %', from_block, to_block;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('{{chain}} partitions', 0));
  -- Until the function ends: locks that others would wait behind are given up soon, and asked for again by the caller.
  PERFORM set_config('lock_timeout', '2s', true);
  FOR parent IN
    SELECT tables.relname
    FROM pg_partitioned_table AS partitioned JOIN pg_class AS tables ON tables.oid = partitioned.partrelid
    WHERE partitioned.partstrat = 'r' AND tables.relnamespace = '{{schema}}'::regnamespace
  LOOP
    FOR place IN from_block / width .. to_block / width LOOP
      child := parent || '_p' || place;
      CONTINUE WHEN to_regclass(format('{{schema}}.%I', child)) IS NOT NULL;
      EXECUTE format('CREATE TABLE {{schema}}.%I (LIKE {{schema}}.%I INCLUDING ALL)', child, parent);
      EXECUTE format(
        'ALTER TABLE {{schema}}.%I ATTACH PARTITION {{schema}}.%I FOR VALUES FROM (%s) TO (%s)',
        parent, child, place * width, (place + 1) * width
      );
      made := made + 1;
    END LOOP;
  END LOOP;
  RETURN made;
END
$function$;
