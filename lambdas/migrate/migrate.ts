import type { ChainDatabase, Queries } from '../shared/chain-database/chain-database.ts';
import { connectionTo } from '../shared/chain-database/chain-queries.ts';
import { chainSchema } from '../shared/chain-database/chain-schema.ts';
import {
  DatabaseUnavailableError,
  isDatabaseAway,
  StatementTimeoutError,
} from '../shared/chain-database/database-error.ts';
import { GATEWAY_SCHEMA } from '../shared/chain-database/names.ts';
import { sql } from '../shared/chain-database/sql.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import type { Sleep } from '../shared/runtime/sleep.ts';
import { type Credentials, prepareRoles } from './login-roles.ts';
import type { Migration } from './read-migrations.ts';
import { splitStatements } from './scan-sql.ts';

/** Key of the advisory lock that one migration run holds at a time; any number that nothing else uses. */
const LOCK_KEY = 7_205_759_403;
const RECORDS = `${GATEWAY_SCHEMA}.migrations`;
/**
 * Time for which a database that cannot be reached is tried again, from the first failure, in milliseconds: longer than the
 * three minutes for which the RDS Data API keeps a transaction, and its locks, whose client was lost.
 */
const PATIENCE_MS = 240_000;
/** Pause before each further attempt, in milliseconds. */
const PAUSE_MS = 3_000;

/**
 * What imports files of the bulk path, for the owner of the schemas alone. Where the extension is not to be had, as in a local
 * database, functions of its names are there instead, or nothing is imported.
 */
const IMPORT_EXTENSION = `DO $extension$ BEGIN
  IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'aws_s3') THEN
    CREATE EXTENSION IF NOT EXISTS aws_s3 CASCADE;
    GRANT USAGE ON SCHEMA aws_s3, aws_commons TO CURRENT_USER;
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA aws_s3, aws_commons TO CURRENT_USER;
  END IF;
END $extension$`;

interface MigrationPlan {
  readonly chains: readonly string[];
  readonly migrations: readonly Migration[];
  readonly credentials: Credentials;
}

/** A migration that was applied has been changed since. */
class ChangedMigrationError extends Error {
  override readonly name = 'ChangedMigrationError';
}

/** A chain was made by migrations that are none of these. */
class StrangeMigrationError extends Error {
  override readonly name = 'StrangeMigrationError';
}

/**
 * Brings the roles and every chain's schema up to date. Each migration of each chain is one transaction under one lock,
 * so that runs at the same time apply each once, and one that fails leaves no trace.
 * @returns the migrations that this run applied, as `chain/name`
 * @throws {ChangedMigrationError | StrangeMigrationError} before anything is changed
 */
export async function migrate(database: ChainDatabase, plan: MigrationPlan): Promise<string[]> {
  const pending = await database.transaction(async (queries) => {
    await prepare(queries, plan.credentials);
    const records = await readRecords(queries);
    return plan.chains.map((chain) => ({
      chain,
      migrations: pendingMigrations(chain, plan.migrations, records.get(chain) ?? new Map()),
    }));
  });
  const done: string[] = [];
  for (const { chain, migrations } of pending) {
    for (const migration of migrations) {
      if (await applyOnce(database, chain, migration)) done.push(`${chain}/${migration.name}`);
    }
  }
  return done;
}

/**
 * Drops all that is indexed of a chain that was migrated once, and the record of its migrations: the next {@link migrate} makes it
 * anew. False if none is recorded, and nothing is dropped.
 */
export function dropChain(database: ChainDatabase, chain: string): Promise<boolean> {
  const schema = chainSchema(chain);
  return database.transaction(async (queries) => {
    await lock(queries);
    const { updated } = await queries.query(`DELETE FROM ${RECORDS} WHERE chain = :chain`, { chain });
    if (updated === 0) return false;
    await queries.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    return true;
  });
}

/** Lets the index of a chain go on where it was halted; false if it is not halted. */
export async function resumeChain(database: ChainDatabase, chain: string): Promise<boolean> {
  const { updated } = await connectionTo(database, chain).query(
    sql`UPDATE {{schema}}.cursors SET halted = NULL
     WHERE name = 'indexed' AND halted IS NOT NULL`,
  );
  return updated === 1;
}

/**
 * What is not recorded yet. Recorded names that are none of these are those of a newer version, which began with all of
 * these; where one of these is missing too, something else made the chain.
 */
function pendingMigrations(
  chain: string,
  migrations: readonly Migration[],
  recorded: ReadonlyMap<string, string>,
): Migration[] {
  const pending = migrations.filter(({ name, checksum }) => {
    const known = recorded.get(name);
    if (known !== undefined && known !== checksum)
      throw new ChangedMigrationError(`migration ${name} of ${chain} was changed after it was applied`);
    return known === undefined;
  });
  const [strange] = [...recorded.keys()].filter((name) => migrations.every((own) => own.name !== name));
  const [missing] = pending;
  if (strange !== undefined && missing !== undefined)
    throw new StrangeMigrationError(
      `${chain} was made by migration ${strange}, which this version does not have, and without ${missing.name}`,
    );
  return pending;
}

/** Applies a migration, unless another run has done so in the meantime. */
function applyOnce(database: ChainDatabase, chain: string, migration: Migration): Promise<boolean> {
  return database.transaction(async (queries) => {
    await lock(queries);
    const key = { chain, name: migration.name };
    const found = await queries.query(
      `SELECT 1 AS one FROM ${RECORDS} WHERE chain = :chain AND name = :name`,
      key,
    );
    if (found.rows.length > 0) return false;
    for (const statement of statementsFor(chain, migration)) await queries.query(statement);
    await queries.query(`INSERT INTO ${RECORDS} (chain, name, checksum) VALUES (:chain, :name, :checksum)`, {
      ...key,
      checksum: migration.checksum,
    });
    return true;
  });
}

/** The statements of a migration for a chain. */
export function statementsFor(chain: string, { script }: Migration): string[] {
  const schema = chainSchema(chain);
  return splitStatements(script.replaceAll('{{schema}}', schema).replaceAll('{{chain}}', chain));
}

/** The roles that functions log in as, and the record of what was applied. */
async function prepare(queries: Queries, credentials: Credentials): Promise<void> {
  await lock(queries);
  await prepareRoles(queries, credentials);
  await queries.query(IMPORT_EXTENSION);
  await queries.query(`CREATE SCHEMA IF NOT EXISTS ${GATEWAY_SCHEMA}`);
  await queries.query(
    `CREATE TABLE IF NOT EXISTS ${RECORDS} (
      chain text NOT NULL, name text NOT NULL, checksum text NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (chain, name))`,
  );
}

/**
 * Takes a lock that keeps other runs out until the transaction ends. The cast is for the RDS Data API, which cannot return a
 * `void`. The holder may be an earlier attempt that could not be rolled back: the RDS Data API ends its transaction after
 * three minutes.
 * @throws {DatabaseUnavailableError} if another holds it for longer than a statement may take
 */
export async function lock(queries: Queries): Promise<void> {
  try {
    await queries.query('SELECT pg_advisory_xact_lock(:key)::text AS locked', { key: LOCK_KEY });
  } catch (error) {
    if (!(error instanceof StatementTimeoutError)) throw error;
    throw new DatabaseUnavailableError(`another run holds the lock: ${error.message}`, error);
  }
}

/** Checksums of what was applied, by chain and name, in their order. */
async function readRecords(queries: Queries): Promise<Map<string, Map<string, string>>> {
  const { rows } = await queries.query(`SELECT chain, name, checksum FROM ${RECORDS} ORDER BY chain, name`);
  const records = new Map<string, Map<string, string>>();
  for (const { chain, name, checksum } of rows) {
    const ofChain = records.get(String(chain)) ?? new Map<string, string>();
    records.set(String(chain), ofChain.set(String(name), String(checksum)));
  }
  return records;
}

interface WaitParts {
  readonly clock: Clock;
  readonly pause: Sleep;
}

/**
 * Does work that may be done again from its beginning, also on a database that is new, wakes or fails over: for four
 * minutes, whatever it says in the meantime. Rejects as the last attempt.
 */
export async function whenAvailable<Result>(
  work: () => Promise<Result>,
  { clock, pause }: WaitParts,
): Promise<Result> {
  let failingSince: number | undefined;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      failingSince ??= clock.now();
      if (clock.now() - failingSince > PATIENCE_MS) throw error;
    }
    await pause(PAUSE_MS);
  }
}
