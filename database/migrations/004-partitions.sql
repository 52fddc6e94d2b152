-- Partitions by block, as wide as their bytes ask for, and transactions that are found by their hash in their partition.
--
-- The catalogue of PostgreSQL is the table of bounds: what is attached there, by whichever way, is what queries see.
CREATE VIEW {{schema}}.partitions AS
SELECT bounds[1]::bigint AS from_block,
       -- The first block above it.
       bounds[2]::bigint AS to_block,
       -- Its tables have the names of theirs and this.
       substr(part.relname, length('blocks') + 1) AS suffix
FROM pg_inherits JOIN pg_class AS part ON part.oid = inhrelid
CROSS JOIN regexp_match(pg_get_expr(part.relpartbound, part.oid), 'FROM \(''?(\d+)''?\) TO \(''?(\d+)''?\)') AS bounds
WHERE inhparent = '{{schema}}.blocks'::regclass;

-- Keeps all others that make partitions waiting until the transaction ends.
CREATE FUNCTION {{schema}}.lock_partitions() RETURNS boolean
LANGUAGE sql SET lock_timeout = 0
RETURN pg_advisory_xact_lock(hashtextextended('{{chain}} partitions', 0)) IS NOT NULL;

-- The tables that are partitioned by block, each with the column that says so.
CREATE FUNCTION {{schema}}.partitioned_tables(OUT parent name, OUT block_column name) RETURNS SETOF record
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $function$
  SELECT tables.relname, columns.attname
  FROM pg_partitioned_table AS partitioned
  JOIN pg_class AS tables ON tables.oid = partitioned.partrelid
  JOIN pg_attribute AS columns ON columns.attrelid = tables.oid AND columns.attnum = partitioned.partattrs[0]
  WHERE partitioned.partstrat = 'r' AND tables.relnamespace = '{{schema}}'::regnamespace
$function$;

-- Makes the tables of a partition, each by itself: nothing sees them yet. Their check spares attaching a look at their rows.
CREATE FUNCTION {{schema}}.create_partition(first_block bigint, end_block bigint, suffix text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  whole record;
  made integer := 0;
BEGIN
  IF first_block < 0 OR end_block <= first_block OR suffix !~ '^_[a-z][0-9]+$' THEN
    RAISE EXCEPTION 'no partition to make: % to %, %', first_block, end_block, suffix;
  END IF;
  FOR whole IN SELECT * FROM {{schema}}.partitioned_tables() LOOP
    CONTINUE WHEN to_regclass(format('{{schema}}.%I', whole.parent || suffix)) IS NOT NULL;
    EXECUTE format('CREATE TABLE {{schema}}.%I (LIKE {{schema}}.%I INCLUDING ALL)', whole.parent || suffix, whole.parent);
    EXECUTE format('ALTER TABLE {{schema}}.%I ADD CONSTRAINT partition_bounds CHECK (%I >= %s AND %I < %s)',
                   whole.parent || suffix, whole.block_column, first_block, whole.block_column, end_block);
    made := made + 1;
  END LOOP;
  RETURN made;
END
$function$;

-- Makes the tables of a partition parts of theirs. CREATE TABLE ... PARTITION OF would wait until each reader of the table has
-- ended its transaction, and every later reader would wait behind it; attaching waits for no reader or writer. A lock is waited
-- for 2 s.
CREATE FUNCTION {{schema}}.attach_partition(first_block bigint, end_block bigint, suffix text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = 0
AS $function$
DECLARE
  whole record;
  part oid;
  attached integer := 0;
BEGIN
  PERFORM {{schema}}.lock_partitions();
  PERFORM set_config('lock_timeout', '2s', true);
  FOR whole IN SELECT * FROM {{schema}}.partitioned_tables() LOOP
    part := format('{{schema}}.%I', whole.parent || suffix)::regclass;
    CONTINUE WHEN EXISTS (SELECT FROM pg_inherits WHERE inhrelid = part);
    EXECUTE format('ALTER TABLE {{schema}}.%I ATTACH PARTITION {{schema}}.%I FOR VALUES FROM (%s) TO (%s)',
                   whole.parent, whole.parent || suffix, first_block, end_block);
    EXECUTE format('ALTER TABLE {{schema}}.%I DROP CONSTRAINT IF EXISTS partition_bounds', whole.parent || suffix);
    attached := attached + 1;
  END LOOP;
  RETURN attached;
END
$function$;

GRANT EXECUTE ON FUNCTION {{schema}}.lock_partitions(), {{schema}}.partitioned_tables(),
  {{schema}}.create_partition(bigint, bigint, text), {{schema}}.attach_partition(bigint, bigint, text) TO gateway_writer;

-- The first partition, of usual width.
SELECT {{schema}}.create_partition(0, 100000, '_r0');

SELECT {{schema}}.attach_partition(0, 100000, '_r0');

-- Where transactions are, of the newest 16 partitions below a block. If there are older ones, and not all were found, a last
-- row without a hash has the first block that was looked at.
CREATE FUNCTION {{schema}}.find_transactions(
  hashes bytea[], below bigint, OUT hash bytea, OUT block_number bigint, OUT tx_index integer
) RETURNS SETOF record
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off
AS $function$
DECLARE
  max_partitions CONSTANT integer := 16;
  part record;
  lowest bigint;
  looked integer := 0;
  sought bytea[] := hashes;
BEGIN
  FOR part IN
    SELECT from_block, 'transactions' || suffix AS name FROM {{schema}}.partitions
    WHERE from_block < below ORDER BY from_block DESC LIMIT max_partitions + 1
  LOOP
    EXIT WHEN sought = '{}';
    IF looked = max_partitions THEN
      hash := NULL;
      block_number := lowest;
      tx_index := NULL;
      RETURN NEXT;
      EXIT;
    END IF;
    FOR hash, block_number, tx_index IN EXECUTE format(
      'SELECT stored.* FROM unnest($1) AS sought (hash) CROSS JOIN LATERAL (
         SELECT hash, block_number, tx_index FROM {{schema}}.%I AS stored
         WHERE {{schema}}.index_key(stored.hash) = {{schema}}.index_key(sought.hash) AND stored.hash = sought.hash LIMIT 1
       ) AS stored', part.name) USING sought
    LOOP
      RETURN NEXT;
      sought := array_remove(sought, hash);
    END LOOP;
    looked := looked + 1;
    lowest := part.from_block;
  END LOOP;
END
$function$;

GRANT EXECUTE ON FUNCTION {{schema}}.find_transactions(bytea[], bigint) TO gateway_reader, gateway_writer;
