import { MADE_CHAINS, type MigratedDatabase } from './migrated-database.ts';

/** Bytes of a table that is truncated: to take out row by row what is in a smaller one is faster. */
const LARGE_TABLE_BYTES = 1_048_576;

/** Chains of the database of a test file that no test has; the one that was used last comes last. */
const idle: string[] = [...MADE_CHAINS];
/** Those of the test that runs. */
const used: string[] = [];
let made = MADE_CHAINS.length;

afterEach(() => {
  idle.push(...used.splice(0));
});

/** A chain that holds nothing, in a schema of its name. When the test that asked has ended, another gets it. */
export async function newSchema(database: MigratedDatabase): Promise<string> {
  const known = idle.pop();
  const schema = known ?? (await untouchedSchema(database));
  used.push(schema);
  if (known !== undefined) await emptySchema(database, schema);
  return schema;
}

/**
 * One that never held anything and is not reused: for a test that changes the schema, or looks at plans. PostgreSQL
 * plans for a chain that was emptied by what it counted there before.
 */
export async function untouchedSchema(database: MigratedDatabase): Promise<string> {
  const schema = `chain_${made++}`;
  await database.addChains([schema]);
  return schema;
}

/** Takes everything out of the tables of a chain: to truncate each of a hundred takes longer than a few rows do. */
export async function emptySchema(database: MigratedDatabase, schema: string): Promise<void> {
  await database.admin.query(
    `DO $empty$ DECLARE filled regclass; BEGIN
       -- No trigger keeps books of what is taken out.
       SET LOCAL session_replication_role = replica;
       FOR filled IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = '"${schema}"'::regnamespace
       LOOP
         IF pg_relation_size(filled) > ${LARGE_TABLE_BYTES} THEN EXECUTE 'TRUNCATE ' || filled;
         ELSE EXECUTE 'DELETE FROM ' || filled;
         END IF;
       END LOOP;
     END $empty$`,
  );
}
