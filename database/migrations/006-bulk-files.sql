-- The bulk path: blocks are written to files, imported into tables without indexes, and attached as partitions.
--
-- Each function below does one step of a partition, in one transaction, and notes it there. It may be called any number of
-- times, by any number of callers: one of them works, the others get `running`, and later ones `done`.

-- Partitions that are being made, or were made so.
CREATE TABLE {{schema}}.bulk_partitions (
  from_block bigint PRIMARY KEY,
  to_block bigint NOT NULL CHECK (to_block >= from_block),
  -- What the transfers in the files are derived by.
  transfer_rule text NOT NULL,
  -- Its rows are part of the tables and its blocks are covered; and everything that is derived from them is there.
  attached_at timestamptz,
  finished_at timestamptz,
  EXCLUDE USING gist (int8range(from_block, to_block, '[]') WITH &&)
);

-- The manifest: what was written, object by object, and what of it was imported.
CREATE TABLE {{schema}}.bulk_files (
  from_block bigint PRIMARY KEY,
  to_block bigint NOT NULL CHECK (to_block >= from_block),
  partition bigint NOT NULL REFERENCES {{schema}}.bulk_partitions ON DELETE CASCADE,
  -- An array of objects with `table`, `columns`, `key`, `rows`.
  parts jsonb NOT NULL,
  first_hash bytea NOT NULL,
  last_hash bytea NOT NULL,
  -- How often these blocks were written.
  attempt integer NOT NULL,
  -- How sure its blocks are: what proof_levels gets of them.
  levels jsonb NOT NULL,
  -- Why it was refused; it is written again then.
  refused text,
  imported_at timestamptz,
  written_at timestamptz NOT NULL DEFAULT now(),
  EXCLUDE USING gist (int8range(from_block, to_block, '[]') WITH &&)
);

-- Steps of a partition, and up to which block each is done.
CREATE TABLE {{schema}}.bulk_steps (
  partition bigint NOT NULL REFERENCES {{schema}}.bulk_partitions ON DELETE CASCADE,
  step text NOT NULL,
  done_to bigint NOT NULL,
  noted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (partition, step)
);

-- The tables that are partitioned by block, each with its part of a bulk partition.
CREATE FUNCTION {{schema}}.bulk_tables(partition bigint, OUT parent name, OUT block_column name, OUT child name)
RETURNS SETOF record
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $function$
  SELECT whole.parent, whole.block_column, (whole.parent || '_b' || partition)::name FROM {{schema}}.partitioned_tables() AS whole
$function$;

-- Every index that a part must have to become a partition, and the statement that makes it.
CREATE FUNCTION {{schema}}.bulk_indexes(
  partition bigint, OUT index_name name, OUT parent name, OUT child name, OUT statement text, OUT is_key boolean, OUT is_made boolean
) RETURNS SETOF record
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $function$
  SELECT made.name, tables.parent, tables.child,
         CASE WHEN keys.oid IS NULL
           THEN regexp_replace(pg_get_indexdef(indexes.indexrelid), '^CREATE( UNIQUE)? INDEX \S+ ON ONLY \S+ ',
                               format('CREATE\1 INDEX %I ON {{schema}}.%I ', made.name, tables.child))
           ELSE format('ALTER TABLE {{schema}}.%I ADD CONSTRAINT %I %s', tables.child, made.name, pg_get_constraintdef(keys.oid))
         END,
         keys.oid IS NOT NULL,
         EXISTS (SELECT FROM pg_class WHERE relname = made.name AND relnamespace = '{{schema}}'::regnamespace)
  FROM {{schema}}.bulk_tables(partition) AS tables
  JOIN pg_index AS indexes ON indexes.indrelid = format('{{schema}}.%I', tables.parent)::regclass
  JOIN pg_class AS named ON named.oid = indexes.indexrelid
  LEFT JOIN pg_constraint AS keys ON keys.conindid = indexes.indexrelid AND keys.contype IN ('p', 'u')
  CROSS JOIN LATERAL (SELECT (named.relname || '_b' || partition)::name AS name) AS made
$function$;

-- Opens a partition, unless it is open; returns its last block. Null if it would part a partition that has blocks on both
-- of its sides.
CREATE FUNCTION {{schema}}.bulk_open(first bigint, last bigint, transfer_rule text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  known bigint;
  part record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('{{chain}} bulk partitions', 0));
  SELECT to_block INTO known FROM {{schema}}.bulk_partitions WHERE from_block = first;
  IF known IS NOT NULL THEN RETURN known; END IF;
  IF EXISTS (SELECT FROM {{schema}}.coverage
             WHERE dataset = 'blocks' AND covered && int8multirange(int8range(first, last, '[]'))) THEN
    RAISE EXCEPTION 'some of blocks % to % are stored already', first, last;
  END IF;
  INSERT INTO {{schema}}.bulk_partitions VALUES (first, last, transfer_rule);
  IF EXISTS (
    SELECT FROM {{schema}}.bulk_overlapped(first) JOIN {{schema}}.coverage ON dataset = 'blocks'
    WHERE covered && int8multirange(int8range(lower_bound, greatest(first, lower_bound)))
      AND covered && int8multirange(int8range(least(last + 1, upper_bound), upper_bound))
  ) THEN
    DELETE FROM {{schema}}.bulk_partitions WHERE from_block = first;
    RETURN NULL;
  END IF;
  FOR part IN SELECT * FROM {{schema}}.bulk_tables(first) LOOP
    EXECUTE format(
      'CREATE TABLE {{schema}}.%I (LIKE {{schema}}.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE '
      'INCLUDING COMPRESSION INCLUDING GENERATED)', part.child, part.parent);
    -- What makes attaching it need no look at its rows.
    EXECUTE format('ALTER TABLE {{schema}}.%I ADD CONSTRAINT partition_bounds CHECK (%I >= %s AND %I < %s)',
                   part.child, part.block_column, first, part.block_column, last + 1);
  END LOOP;
  -- It is small, is filled in about its own order, and every file is checked by it.
  EXECUTE (SELECT statement FROM {{schema}}.bulk_indexes(first) WHERE parent = 'blocks' AND is_key);
  EXECUTE format('CREATE TABLE {{schema}}.staged_pools_b%s (LIKE {{schema}}.dex_pools INCLUDING DEFAULTS)', first);
  EXECUTE format('CREATE INDEX ON {{schema}}.staged_pools_b%s (created_block)', first);
  EXECUTE format(
    'CREATE TABLE {{schema}}.staged_swaps_b%s AS SELECT *, NULL::bytea AS emitter FROM {{schema}}.dex_swaps LIMIT 0', first);
  EXECUTE format(
    'CREATE TABLE {{schema}}.staged_liquidity_b%s AS SELECT *, NULL::bytea AS emitter FROM {{schema}}.dex_liquidity_events LIMIT 0',
    first);
  EXECUTE format(
    'CREATE TABLE {{schema}}.staged_multipliers_b%s (LIKE {{schema}}.stock_multipliers INCLUDING DEFAULTS)', first);
  EXECUTE format(
    'CREATE TABLE {{schema}}.staged_gaps_b%s (block_number bigint NOT NULL, reason text NOT NULL, last_error text)', first);
  -- The pools whose tokens the trades of the partition were given.
  EXECUTE format(
    'CREATE TABLE {{schema}}.staged_used_b%s AS SELECT pool_id, protocol, factory FROM {{schema}}.dex_pools LIMIT 0', first);
  RETURN last;
END
$function$;

-- Takes the rows of files out again, which are then written anew.
CREATE FUNCTION {{schema}}.bulk_refuse(partition bigint, block bigint, reason text) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  file {{schema}}.bulk_files;
  part record;
BEGIN
  SELECT * INTO file FROM {{schema}}.bulk_files WHERE block BETWEEN from_block AND to_block FOR UPDATE;
  IF file.imported_at IS NOT NULL THEN
    FOR part IN
      SELECT child, block_column FROM {{schema}}.bulk_tables(partition)
      UNION ALL
      SELECT format('staged_%s_b%s', name, partition), CASE name WHEN 'pools' THEN 'created_block' ELSE 'block_number' END
      FROM unnest(ARRAY['pools', 'swaps', 'liquidity', 'multipliers', 'gaps']) AS name
    LOOP
      EXECUTE format('DELETE FROM {{schema}}.%I WHERE %I BETWEEN %s AND %s',
                     part.child, part.block_column, file.from_block, file.to_block);
    END LOOP;
  END IF;
  UPDATE {{schema}}.bulk_files SET imported_at = NULL, refused = reason WHERE from_block = file.from_block;
  RETURN format('refused: blocks %s to %s: %s', file.from_block, file.to_block, reason);
END
$function$;

-- Imports a file. It is refused whole for anything that is wrong with it.
CREATE FUNCTION {{schema}}.bulk_import(file_from bigint, bucket text, region text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  file {{schema}}.bulk_files;
  part record;
  said text;
  found record;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('{{chain}} bulk import ' || file_from, 0)) THEN RETURN 'running'; END IF;
  SELECT * INTO file FROM {{schema}}.bulk_files WHERE from_block = file_from;
  IF file.from_block IS NULL THEN RETURN 'gone'; END IF;
  IF file.imported_at IS NOT NULL THEN RETURN 'done'; END IF;
  IF file.refused IS NOT NULL THEN RETURN 'refused: ' || file.refused; END IF;
  -- Its objects are deleted after seven days; what the import of one that is gone says has no state of its own.
  IF file.written_at < now() - interval '6 days' THEN
    RETURN {{schema}}.bulk_refuse(file.partition, file.from_block, 'it is too old to be there still');
  END IF;
  BEGIN
    FOR part IN SELECT * FROM jsonb_to_recordset(file.parts)
                  AS part ("table" text, columns text, key text, "rows" bigint) LOOP
      IF part."table" !~ '^[a-z0-9_]+$' OR part.columns !~ '^[a-z0-9_,]+$' THEN
        RAISE EXCEPTION 'the manifest names no table';
      END IF;
      said := aws_s3.table_import_from_s3(
        format('{{schema}}.%I', part."table" || '_b' || file.partition), part.columns, '(FORMAT binary)',
        bucket, part.key, region);
      IF substring(said FROM '^(\d+) rows? ')::bigint IS DISTINCT FROM part."rows" THEN
        RAISE EXCEPTION '% rows of % were to be imported, and the import said: %', part."rows", part."table", said;
      END IF;
    END LOOP;
    EXECUTE format(
      'SELECT count(*) AS blocks, coalesce(sum(tx_count), 0) AS transactions, coalesce(sum(log_count), 0) AS logs,
              (SELECT hash FROM {{schema}}.%1$I WHERE number = $1) AS first_hash,
              (SELECT hash FROM {{schema}}.%1$I WHERE number = $2) AS last_hash,
              (SELECT min(block.number) FROM {{schema}}.%1$I AS block JOIN {{schema}}.%1$I AS parent ON parent.number = block.number - 1
               WHERE block.number BETWEEN $1 AND $2 + 1 AND block.parent_hash <> parent.hash) AS stranger
       FROM {{schema}}.%1$I WHERE number BETWEEN $1 AND $2', 'blocks_b' || file.partition)
    INTO found USING file.from_block, file.to_block;
    IF found.blocks <> file.to_block - file.from_block + 1
       OR found.first_hash <> file.first_hash OR found.last_hash <> file.last_hash THEN
      RAISE EXCEPTION 'it does not hold the blocks of its name';
    END IF;
    IF found.stranger IS NOT NULL THEN
      RAISE EXCEPTION 'block % is no child of the one before', found.stranger;
    END IF;
    IF (SELECT coalesce(sum("rows") FILTER (WHERE "table" = 'transactions'), 0) <> found.transactions
            OR coalesce(sum("rows") FILTER (WHERE "table" = 'logs'), 0) <> found.logs
        FROM jsonb_to_recordset(file.parts) AS part ("table" text, "rows" bigint)) THEN
      RAISE EXCEPTION 'its blocks have % transactions and % logs', found.transactions, found.logs;
    END IF;
  EXCEPTION
    -- What is wrong with the file. A full disk, or a server that goes down, is not: the import fails and is tried again.
    WHEN data_exception OR integrity_constraint_violation OR raise_exception OR undefined_column OR datatype_mismatch
         OR bad_copy_file_format OR undefined_file THEN
      said := SQLERRM;
      RETURN {{schema}}.bulk_refuse(file.partition, file.from_block, said);
  END;
  UPDATE {{schema}}.bulk_files SET imported_at = now() WHERE from_block = file_from;
  RETURN 'done';
END
$function$;

-- Makes one index of a part, or its key. As many are made at a time as there are processors for: to divide the sorting of one
-- among several takes a third more work.
CREATE FUNCTION {{schema}}.bulk_build(partition bigint, wanted name) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET maintenance_work_mem = '128MB'
SET max_parallel_maintenance_workers = 0
AS $function$
DECLARE
  built record;
  doubled bigint;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('{{chain}} bulk build ' || wanted, 0)) THEN RETURN 'running'; END IF;
  SELECT indexes.*, tables.block_column INTO built
  FROM {{schema}}.bulk_indexes(partition) AS indexes JOIN {{schema}}.bulk_tables(partition) AS tables USING (child)
  WHERE index_name = wanted;
  IF built.statement IS NULL THEN RAISE EXCEPTION 'partition % has no index %', partition, wanted; END IF;
  IF built.is_made THEN RETURN 'done'; END IF;
  BEGIN
    EXECUTE built.statement;
  EXCEPTION WHEN unique_violation THEN
    EXECUTE format('SELECT min(%I) FROM (SELECT %I FROM {{schema}}.%I GROUP BY %s HAVING count(*) > 1) AS doubled (%I)',
                   built.block_column, built.block_column, built.child,
                   substring(built.statement FROM '\(([^)]*)\)[^(]*$'), built.block_column)
    INTO doubled;
    RETURN {{schema}}.bulk_refuse(partition, doubled, 'a key of ' || built.parent || ' is there twice, in block ' || doubled);
  END;
  RETURN 'done';
END
$function$;

-- Compares all that was imported of a partition, once every file is there: links, counts of each block, neighbours.
CREATE FUNCTION {{schema}}.bulk_check(partition bigint) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  bounds {{schema}}.bulk_partitions;
  bad bigint;
  counted record;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('{{chain}} bulk check ' || partition, 0)) THEN RETURN 'running'; END IF;
  IF EXISTS (SELECT FROM {{schema}}.bulk_steps AS done WHERE done.partition = bulk_check.partition AND step = 'check') THEN
    RETURN 'done';
  END IF;
  SELECT * INTO bounds FROM {{schema}}.bulk_partitions WHERE from_block = partition;
  EXECUTE format('SELECT min(block.number) FROM {{schema}}.%1$I AS block LEFT JOIN {{schema}}.%1$I AS parent
                    ON parent.number = block.number - 1
                  WHERE block.number > %2$s AND block.parent_hash IS DISTINCT FROM parent.hash', 'blocks_b' || partition, partition)
  INTO bad;
  IF bad IS NOT NULL THEN
    PERFORM {{schema}}.bulk_refuse(partition, bad - 1, 'block ' || bad || ' is no child of its last block');
    RETURN {{schema}}.bulk_refuse(partition, bad, 'block ' || bad || ' is no child of the one before');
  END IF;
  FOR counted IN SELECT * FROM (VALUES ('transactions', 'tx_count'), ('logs', 'log_count')) AS pairs (rows_of, column_of) LOOP
    EXECUTE format('SELECT min(block.number) FROM {{schema}}.%I AS block LEFT JOIN (
                      SELECT block_number, count(*) AS found FROM {{schema}}.%I GROUP BY 1) AS stored ON stored.block_number = block.number
                    WHERE block.%I <> coalesce(found, 0)', 'blocks_b' || partition, counted.rows_of || '_b' || partition, counted.column_of)
    INTO bad;
    IF bad IS NOT NULL THEN
      RETURN {{schema}}.bulk_refuse(partition, bad, 'block ' || bad || ' has not the ' || counted.rows_of || ' that it counts');
    END IF;
  END LOOP;
  INSERT INTO {{schema}}.bulk_steps VALUES (partition, 'check', bounds.to_block);
  RETURN 'done';
END
$function$;

-- Gathers the statistics of the parts, by which their statements are planned from the beginning.
CREATE FUNCTION {{schema}}.bulk_analyze(partition bigint) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  part record;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('{{chain}} bulk analyze ' || partition, 0)) THEN RETURN 'running'; END IF;
  FOR part IN SELECT child FROM {{schema}}.bulk_tables(partition) LOOP
    EXECUTE format('ANALYZE {{schema}}.%I', part.child);
  END LOOP;
  INSERT INTO {{schema}}.bulk_steps SELECT from_block, 'analyze', to_block FROM {{schema}}.bulk_partitions
  WHERE from_block = partition ON CONFLICT DO NOTHING;
  RETURN 'done';
END
$function$;

-- Runs the statements of a step over the next blocks of a partition, $1 to $2, with the rights of the caller.
CREATE FUNCTION {{schema}}.bulk_run(partition bigint, wanted text, first bigint, last bigint, statements text[]) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  reached bigint;
  statement text;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('{{chain}} bulk ' || wanted || ' ' || partition, 0)) THEN
    RETURN 'running';
  END IF;
  SELECT done_to INTO reached FROM {{schema}}.bulk_steps AS done WHERE done.partition = bulk_run.partition AND step = wanted;
  IF reached >= last THEN RETURN 'done'; END IF;
  IF coalesce(reached, partition - 1) <> first - 1 THEN RETURN 'moved'; END IF;
  FOREACH statement IN ARRAY statements LOOP
    EXECUTE statement USING first, last;
  END LOOP;
  INSERT INTO {{schema}}.bulk_steps AS done VALUES (partition, wanted, last)
  ON CONFLICT ON CONSTRAINT bulk_steps_pkey DO UPDATE SET done_to = EXCLUDED.done_to, noted_at = now();
  RETURN 'done';
END
$function$;

-- Partitions that hold blocks of a bulk partition so far, and what each keeps: the side on which it has rows.
CREATE FUNCTION {{schema}}.bulk_overlapped(
  partition bigint, OUT parent name, OUT block_column name, OUT part name, OUT lower_bound bigint, OUT upper_bound bigint,
  OUT keeps_upper boolean, OUT kept_from bigint, OUT kept_to bigint
) RETURNS SETOF record
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $function$
  SELECT tables.parent, tables.block_column, child.relname, bounds.lower_bound, bounds.upper_bound, side.keeps_upper,
         CASE WHEN side.keeps_upper THEN bulk.to_block + 1 ELSE bounds.lower_bound END,
         CASE WHEN side.keeps_upper THEN bounds.upper_bound ELSE bulk.from_block END
  FROM {{schema}}.bulk_partitions AS bulk
  CROSS JOIN LATERAL {{schema}}.bulk_tables(partition) AS tables
  JOIN pg_inherits AS piece ON piece.inhparent = format('{{schema}}.%I', tables.parent)::regclass
  JOIN pg_class AS child ON child.oid = piece.inhrelid
  CROSS JOIN LATERAL (
    SELECT found[1]::bigint AS lower_bound, found[2]::bigint AS upper_bound
    FROM regexp_match(pg_get_expr(child.relpartbound, child.oid), 'FROM \(''?(\d+)''?\) TO \(''?(\d+)''?\)') AS found
  ) AS bounds
  CROSS JOIN LATERAL (
    SELECT NOT coalesce((SELECT covered && int8multirange(int8range(bounds.lower_bound, bulk.from_block))
                         FROM {{schema}}.coverage WHERE dataset = 'blocks'), false)
           AND bounds.upper_bound > bulk.to_block + 1 AS keeps_upper
  ) AS side
  WHERE bulk.from_block = partition AND bulk.attached_at IS NULL
    AND bounds.lower_bound <= bulk.to_block AND bounds.upper_bound > bulk.from_block
$function$;

-- Readies these partitions to be given narrower bounds, by a check of theirs that is proven while others read and write on:
-- attaching them again then looks at no row. The first call adds the checks, the second proves them.
CREATE FUNCTION {{schema}}.bulk_room(partition bigint) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s'
AS $function$
DECLARE
  overlapped record;
  proven boolean;
  added integer := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('{{chain}} bulk room ' || partition, 0)) THEN RETURN 'running'; END IF;
  FOR overlapped IN SELECT * FROM {{schema}}.bulk_overlapped(partition) LOOP
    SELECT convalidated INTO proven FROM pg_constraint
    WHERE conname = 'bulk_room_b' || partition AND conrelid = format('{{schema}}.%I', overlapped.part)::regclass;
    IF proven IS NULL THEN
      EXECUTE format('ALTER TABLE {{schema}}.%I ADD CONSTRAINT %I CHECK (%I >= %s AND %I < %s) NOT VALID',
                     overlapped.part, 'bulk_room_b' || partition, overlapped.block_column, overlapped.kept_from,
                     overlapped.block_column, overlapped.kept_to);
      added := added + 1;
    ELSIF NOT proven AND added = 0 THEN
      EXECUTE format('ALTER TABLE {{schema}}.%I VALIDATE CONSTRAINT %I', overlapped.part, 'bulk_room_b' || partition);
    END IF;
  END LOOP;
  RETURN CASE WHEN added > 0 THEN 'again' ELSE 'done' END;
END
$function$;

-- Makes the parts partitions of their tables, within the transaction that covers their blocks. A lock is waited for 2 s. What an
-- overlapped partition gives up beside, has a partition again when a block comes that belongs there.
CREATE FUNCTION {{schema}}.bulk_attach(partition bigint) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = 0
AS $function$
DECLARE
  last bigint;
  overlapped record;
BEGIN
  -- Until the transaction ends.
  PERFORM {{schema}}.lock_partitions();
  PERFORM set_config('lock_timeout', '2s', true);
  SELECT to_block INTO last FROM {{schema}}.bulk_partitions WHERE from_block = partition AND attached_at IS NULL FOR UPDATE;
  IF last IS NULL THEN RETURN 'done'; END IF;
  FOR overlapped IN SELECT * FROM {{schema}}.bulk_overlapped(partition) LOOP
    EXECUTE format('ALTER TABLE {{schema}}.%I DETACH PARTITION {{schema}}.%I', overlapped.parent, overlapped.part);
    IF overlapped.kept_from < overlapped.kept_to THEN
      EXECUTE format('ALTER TABLE {{schema}}.%I ATTACH PARTITION {{schema}}.%I FOR VALUES FROM (%s) TO (%s)',
                     overlapped.parent, overlapped.part, overlapped.kept_from, overlapped.kept_to);
      EXECUTE format('ALTER TABLE {{schema}}.%I DROP CONSTRAINT %I', overlapped.part, 'bulk_room_b' || partition);
    ELSE
      -- It has no row: what it was for is all in the new partition, or in one that follows below.
      EXECUTE format('DROP TABLE {{schema}}.%I', overlapped.part);
    END IF;
  END LOOP;
  PERFORM {{schema}}.attach_partition(partition, last + 1, '_b' || partition);
  UPDATE {{schema}}.bulk_partitions SET attached_at = now() WHERE from_block = partition;
  RETURN 'attached';
END
$function$;

-- Drops what the partition was derived from, once nothing is left to do; or all of a partition that is not attached.
CREATE FUNCTION {{schema}}.bulk_drop(partition bigint) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s'
AS $function$
DECLARE
  bounds {{schema}}.bulk_partitions;
  part record;
BEGIN
  SELECT * INTO bounds FROM {{schema}}.bulk_partitions WHERE from_block = partition FOR UPDATE;
  IF bounds.from_block IS NULL THEN RETURN 'done'; END IF;
  FOR part IN SELECT format('staged_%s_b%s', name, partition) AS child
              FROM unnest(ARRAY['pools', 'swaps', 'liquidity', 'multipliers', 'gaps', 'used']) AS name
              UNION ALL SELECT child FROM {{schema}}.bulk_tables(partition) WHERE bounds.attached_at IS NULL LOOP
    EXECUTE format('DROP TABLE IF EXISTS {{schema}}.%I', part.child);
  END LOOP;
  IF bounds.attached_at IS NULL THEN
    FOR part IN SELECT relname AS child FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
                WHERE conname = 'bulk_room_b' || partition AND relnamespace = '{{schema}}'::regnamespace LOOP
      EXECUTE format('ALTER TABLE {{schema}}.%I DROP CONSTRAINT %I', part.child, 'bulk_room_b' || partition);
    END LOOP;
    DELETE FROM {{schema}}.bulk_partitions WHERE from_block = partition;
  ELSE
    DELETE FROM {{schema}}.bulk_files AS file WHERE file.partition = bulk_drop.partition;
    UPDATE {{schema}}.bulk_partitions SET finished_at = now() WHERE from_block = partition;
  END IF;
  RETURN 'done';
END
$function$;

GRANT EXECUTE ON FUNCTION
  {{schema}}.bulk_tables(bigint), {{schema}}.bulk_indexes(bigint), {{schema}}.bulk_open(bigint, bigint, text),
  {{schema}}.bulk_import(bigint, text, text), {{schema}}.bulk_build(bigint, name), {{schema}}.bulk_check(bigint),
  {{schema}}.bulk_analyze(bigint), {{schema}}.bulk_run(bigint, text, bigint, bigint, text[]), {{schema}}.bulk_room(bigint),
  {{schema}}.bulk_attach(bigint), {{schema}}.bulk_drop(bigint)
TO gateway_writer;
