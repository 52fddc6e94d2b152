import pg from 'pg';
import type { PostgresLogin } from './postgres.ts';

/** Bucket and key, as the endpoint of objects takes them: no segment leads out of the folder. */
const BUCKET = '^[a-z0-9][a-z0-9.-]{2,62}$';
const KEY = '^[A-Za-z0-9][A-Za-z0-9_.-]*(/[A-Za-z0-9][A-Za-z0-9_.-]*){0,9}$';

/**
 * Gives a database the function that Aurora's extension `aws_s3` has for imports, under its name: it copies an object of a local
 * bucket, a file below one folder, into a table. It writes with the rights of a superuser, so only a database
 * user with the grant may call it.
 * @param login the superuser, in that database
 * @param folder where objects are kept, by bucket and key
 * @param importer the database user that may call it
 */
export async function installObjectImport(
  login: PostgresLogin,
  folder: string,
  importer: string,
): Promise<void> {
  const client = new pg.Client(login);
  await client.connect();
  try {
    await client.query(script(folder, pg.escapeIdentifier(importer)));
  } finally {
    await client.end();
  }
}

function script(folder: string, importer: string): string {
  return `
BEGIN;
SELECT pg_advisory_xact_lock(hashtextextended('object import', 0));
CREATE SCHEMA IF NOT EXISTS aws_commons;
CREATE SCHEMA IF NOT EXISTS aws_s3;
DO $types$ BEGIN
  IF to_regtype('aws_commons._s3_uri_1') IS NULL THEN
    CREATE TYPE aws_commons._s3_uri_1 AS (bucket text, file_path text, region text);
  END IF;
END $types$;
CREATE OR REPLACE FUNCTION aws_commons.create_s3_uri(bucket text, file_path text, region text) RETURNS aws_commons._s3_uri_1
LANGUAGE sql IMMUTABLE AS $body$ SELECT ROW(bucket, file_path, region)::aws_commons._s3_uri_1 $body$;
CREATE OR REPLACE FUNCTION aws_s3.table_import_from_s3(
  table_name text, column_list text, options text, bucket text, file_path text, region text
) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  imported bigint;
  file text := ${pg.escapeLiteral(folder)} || '/' || bucket || '/' || file_path;
BEGIN
  IF bucket !~ ${pg.escapeLiteral(BUCKET)} OR file_path !~ ${pg.escapeLiteral(KEY)} THEN
    RAISE EXCEPTION 'no such bucket, or no key';
  END IF;
  EXECUTE format('COPY %s %s FROM %L WITH %s', table_name::regclass,
    CASE column_list WHEN '' THEN '' ELSE '(' || column_list || ')' END, file, options);
  GET DIAGNOSTICS imported = ROW_COUNT;
  RETURN format('%s rows imported into relation "%s" from file %s of %s bytes', imported, table_name, file_path,
    (pg_stat_file(file)).size);
END $body$;
CREATE OR REPLACE FUNCTION aws_s3.table_import_from_s3(
  table_name text, column_list text, options text, s3_info aws_commons._s3_uri_1
) RETURNS text LANGUAGE sql AS $body$
  SELECT aws_s3.table_import_from_s3(table_name, column_list, options, s3_info.bucket, s3_info.file_path, s3_info.region)
$body$;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA aws_s3 FROM PUBLIC;
GRANT USAGE ON SCHEMA aws_s3, aws_commons TO ${importer};
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA aws_s3, aws_commons TO ${importer};
COMMIT`;
}
