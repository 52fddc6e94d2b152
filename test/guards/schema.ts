import pg from 'pg';
import { startPostgres } from '../../local/database/postgres.ts';

const OURS = `n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'`;
/** Each reads a kind of thing: its name, and all that says what it is. `pg_dump` is not part of the packaged server. */
const CATALOG: Readonly<Record<string, string>> = {
  schema: `SELECT n.nspname AS name, n.nspacl AS grants, obj_description(n.oid) AS comment FROM pg_namespace n WHERE ${OURS}`,
  relation: `SELECT format('%s.%s', n.nspname, c.relname) AS name, c.relkind, c.relpersistence, c.relacl AS grants,
      c.reloptions, c.relrowsecurity, pg_get_partkeydef(c.oid) AS key, pg_get_expr(c.relpartbound, c.oid) AS bound,
      (SELECT array_agg(a.attname ORDER BY a.attnum) FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
      CASE WHEN c.relkind IN ('v', 'm') THEN pg_get_viewdef(c.oid) END AS view, obj_description(c.oid) AS comment
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ${OURS} AND c.relkind NOT IN ('i', 'I', 't')`,
  column: `SELECT format('%s.%s.%s', n.nspname, c.relname, a.attname) AS name, format_type(a.atttypid, a.atttypmod) AS type,
      a.attnotnull, a.attidentity, a.attgenerated, a.attstorage, a.attcompression, a.attacl AS grants,
      a.attstattarget, pg_get_expr(d.adbin, d.adrelid) AS value, col_description(c.oid, a.attnum) AS comment
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
      LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE ${OURS} AND a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'v', 'm', 'c', 'f')`,
  index: `SELECT format('%s.%s', schemaname, indexname) AS name, indexdef FROM pg_indexes WHERE schemaname !~ '^pg_'`,
  constraint: `SELECT format('%s.%s.%s', n.nspname, k.conrelid::regclass, k.conname) AS name, k.convalidated,
      pg_get_constraintdef(k.oid) AS text FROM pg_constraint k JOIN pg_namespace n ON n.oid = k.connamespace WHERE ${OURS}`,
  trigger: `SELECT format('%s.%s.%s', n.nspname, c.relname, t.tgname) AS name, pg_get_triggerdef(t.oid) AS text, t.tgenabled
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE ${OURS} AND NOT t.tgisinternal`,
  function: `SELECT format('%s.%s(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)) AS name,
      p.proacl AS grants, pg_get_functiondef(p.oid) AS text
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE ${OURS} AND p.prokind <> 'a'`,
  type: `SELECT format('%s.%s', n.nspname, t.typname) AS name, t.typtype, t.typacl AS grants,
      format_type(t.typbasetype, t.typtypmod) AS base, t.typnotnull, t.typdefault,
      (SELECT array_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = t.oid) AS labels
    FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE ${OURS} AND t.typtype IN ('d', 'e', 'r')`,
  role: `SELECT rolname AS name, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication,
      rolbypassrls, rolconnlimit, (SELECT array_agg(setconfig::text ORDER BY setconfig::text) FROM pg_db_role_setting s
        WHERE s.setrole = r.oid) AS settings,
      (SELECT array_agg(m.roleid::regrole::text ORDER BY 1) FROM pg_auth_members m WHERE m.member = r.oid) AS member_of
    FROM pg_roles r WHERE rolname !~ '^pg_'`,
  default: `SELECT format('%s %s %s', d.defaclrole::regrole, d.defaclnamespace::regnamespace, d.defaclobjtype) AS name,
      d.defaclacl AS grants FROM pg_default_acl d`,
  extension: `SELECT extname AS name, extversion FROM pg_extension`,
};
/** What a migration was called and when it was applied says nothing of what it made. */
const SEEDED = `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ${OURS} AND c.relkind = 'r' AND c.relname <> 'migrations'`;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.]*(?:[+-]\d\d:\d\d|Z)/g;

type Definition = Readonly<Record<string, unknown>> & { readonly name: string };

/** All that is defined, granted and seeded in the database of a folder (`make-cluster.ts`), by kind and name. */
export async function readSchema(folder: string): Promise<Readonly<Record<string, unknown>>> {
  const { process: server, superuser } = await startPostgres(folder);
  const client = new pg.Client({ ...superuser });
  try {
    await client.connect();
    const schema: Record<string, unknown> = {};
    for (const [kind, query] of Object.entries(CATALOG)) {
      const { rows } = await client.query<Definition>(query);
      for (const { name, ...definition } of rows) schema[`${kind} ${name}`] = definition;
    }
    const { rows: tables } = await client.query<Definition>(SEEDED);
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`SELECT to_json(t)::text AS row FROM ${name} t`);
      for (const { row } of rows) schema[`seed ${name} ${row.replaceAll(TIME, 'TIME')}`] = '';
    }
    return schema;
  } finally {
    await client.end();
    await server.stop();
  }
}
