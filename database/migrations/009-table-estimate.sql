-- Tables without partitions have an estimate as well: pg_partition_tree() knows nothing of them.

CREATE OR REPLACE FUNCTION {{schema}}.table_estimate(table_name text, OUT rows_estimate bigint, OUT bytes_estimate bigint)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
AS $function$
  WITH named AS (SELECT to_regclass(format('{{schema}}.%I', table_name)) AS relid),
  parts AS (
    SELECT tree.relid FROM named, pg_partition_tree(named.relid) AS tree WHERE tree.isleaf
    UNION
    SELECT named.relid FROM named JOIN pg_class AS plain ON plain.oid = named.relid AND plain.relkind = 'r'
  )
  SELECT coalesce(sum(greatest(tables.reltuples, 0)), 0)::bigint,
         coalesce(sum(pg_total_relation_size(parts.relid)), 0)::bigint
  FROM parts JOIN pg_class AS tables ON tables.oid = parts.relid
$function$;
