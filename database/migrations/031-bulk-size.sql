-- The size of files goes down when their imports are slow, and up again when they are quick; indexes are made with less work.

ALTER TABLE {{schema}}.bulk_partitions
  -- Bytes of a file before they were ever made fewer; null until then.
  ADD COLUMN usual_file_bytes bigint,
  -- Files of the present size that were imported quickly, one after the other.
  ADD COLUMN quick_imports integer NOT NULL DEFAULT 0;

-- Learns from an import how many bytes the next files are to have.
CREATE FUNCTION {{schema}}.bulk_learn(partition bigint, bytes bigint, seconds numeric) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  min_file_bytes CONSTANT bigint := 1048576;
  slow_seconds CONSTANT numeric := 20;
  -- Twice as long is still far from slow, so the size does not swing.
  quick_seconds CONSTANT numeric := 5;
  quick_in_a_row CONSTANT integer := 8;
BEGIN
  IF seconds > slow_seconds THEN
    -- Of files that were slow together, the first one halves.
    UPDATE {{schema}}.bulk_partitions
    SET usual_file_bytes = coalesce(usual_file_bytes, file_bytes),
        file_bytes = least(file_bytes, greatest(min_file_bytes, bytes / 2)), quick_imports = 0
    WHERE from_block = partition;
  ELSIF seconds > quick_seconds THEN
    UPDATE {{schema}}.bulk_partitions SET quick_imports = 0 WHERE from_block = partition AND quick_imports > 0;
  ELSE
    -- The last file of a message is smaller, and says nothing.
    UPDATE {{schema}}.bulk_partitions
    SET quick_imports = (quick_imports + 1) % quick_in_a_row,
        file_bytes = CASE WHEN quick_imports + 1 = quick_in_a_row THEN least(usual_file_bytes, 2 * file_bytes) ELSE file_bytes END
    WHERE from_block = partition AND file_bytes < usual_file_bytes AND bytes >= file_bytes;
  END IF;
END
$function$;

-- Imports a file. It is refused whole for anything that is wrong with it.
CREATE OR REPLACE FUNCTION {{schema}}.bulk_import(file_from bigint, bucket text, region text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  file {{schema}}.bulk_files;
  part record;
  said text;
  found record;
  started timestamptz := clock_timestamp();
  took numeric;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('{{chain}} bulk import ' || file_from, 0)) THEN RETURN 'running'; END IF;
  SELECT * INTO file FROM {{schema}}.bulk_files WHERE from_block = file_from;
  IF file.from_block IS NULL THEN RETURN 'gone'; END IF;
  IF file.imported_at IS NOT NULL THEN RETURN 'done'; END IF;
  IF file.refused IS NOT NULL THEN RETURN 'refused: ' || file.refused; END IF;
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
  took := extract(epoch FROM clock_timestamp() - started);
  UPDATE {{schema}}.bulk_files SET imported_at = now(), import_seconds = took WHERE from_block = file_from;
  PERFORM {{schema}}.bulk_learn(file.partition, file.bytes, took);
  RETURN 'done';
END
$function$;

-- As many are made at a time as there are processors for: to divide the sorting of one among several takes a third more work.
ALTER FUNCTION {{schema}}.bulk_build(bigint, name) SET max_parallel_maintenance_workers = 0;
ALTER FUNCTION {{schema}}.bulk_build(bigint, name) SET maintenance_work_mem = '128MB';
