import { join } from 'node:path';
import pg from 'pg';
import type { Credentials } from '../../lambdas/migrate/login-roles.ts';
import { migrate, statementsFor } from '../../lambdas/migrate/migrate.ts';
import { type Migration, readMigrations } from '../../lambdas/migrate/read-migrations.ts';
import { connectRdsData } from '../../lambdas/shared/aws/rds-data.ts';
import {
  type ChainDatabase,
  createChainDatabase,
} from '../../lambdas/shared/chain-database/chain-database.ts';
import { GATEWAY_SCHEMA } from '../../lambdas/shared/chain-database/names.ts';
import { localClientConfig } from '../../local/client-config.ts';
import type { PostgresLogin } from '../../local/database/postgres.ts';
import { ACCESS_KEY_ID } from '../local/access-key.ts';
import {
  CLUSTER_ARN,
  DATABASE_NAME,
  PASSWORDS,
  SECRET_ARNS,
  startTestDatabase,
  type TestDatabase,
} from '../local/database/test-database.ts';
import { connectInProcess } from './in-process.ts';

/** The migrations of the product. */
export const MIGRATIONS: readonly Migration[] = readMigrations(
  join(import.meta.dirname, '..', '..', 'database', 'migrations'),
);

/** Chains that each database of the tests has from the beginning, empty: to make one takes a tenth of a second. */
export const MADE_CHAINS = ['chain_0', 'chain_1'] as const;

/** The role that the tests log in as. */
export const CREDENTIALS: Credentials = {
  writer: { username: 'gateway_writer', password: PASSWORDS.writer },
  reader: { username: 'gateway_reader', password: PASSWORDS.reader },
};

/** A database as functions use it, in each of their roles. */
export interface MigratedDatabase extends TestDatabase {
  readonly admin: ChainDatabase;
  readonly writer: ChainDatabase;
  readonly reader: ChainDatabase;
  /** Makes chains as {@link migrate} does, each in one request; not those that are there from the beginning. */
  addChains(chains: readonly string[]): Promise<void>;
  /** Migrates chains and names what was applied. */
  migrate(chains: readonly string[], migrations?: readonly Migration[]): Promise<string[]>;
}

/** A Data API of this process, or one that is reached by HTTP. */
type SomeDataApi = Pick<TestDatabase['dataApi'], 'url'> & Partial<Pick<TestDatabase['dataApi'], 'answer'>>;

/** A database as functions use it, in a role. */
export function connectAs(
  { dataApi: { url, answer } }: { readonly dataApi: SomeDataApi },
  role: keyof typeof SECRET_ARNS,
): ChainDatabase {
  return createChainDatabase({
    resourceArn: CLUSTER_ARN,
    secretArn: SECRET_ARNS[role],
    database: DATABASE_NAME,
    connect: answer === undefined ? connectRdsData : connectInProcess(answer),
    clientConfig: localClientConfig(url, ACCESS_KEY_ID),
  });
}

/** A login of PostgreSQL itself as the Data API's, whose settings its statements have. */
export function readerLogin(superuser: PostgresLogin): PostgresLogin {
  return { ...superuser, user: CREDENTIALS.reader.username, password: CREDENTIALS.reader.password };
}

/** Starts a database with these chains. */
export async function startMigratedDatabase(chains: readonly string[]): Promise<MigratedDatabase> {
  const database = await startTestDatabase();
  const admin = connectAs(database, 'admin');
  const migrated: MigratedDatabase = {
    ...database,
    admin,
    writer: connectAs(database, 'writer'),
    reader: connectAs(database, 'reader'),
    addChains: (names) => addChains(database.postgres.superuser, names.filter(isToBeMade)),
    migrate: (names, migrations = MIGRATIONS) =>
      migrate(admin, { chains: names, migrations, credentials: CREDENTIALS }),
  };
  await migrated.addChains(chains);
  return migrated;
}

function isToBeMade(chain: string): boolean {
  return !MADE_CHAINS.some((made) => made === chain);
}

/** The migrations of each chain as one script, with the record that they were applied. */
export async function addChains(superuser: PostgresLogin, chains: readonly string[]): Promise<void> {
  if (chains.length === 0) return;
  const client = new pg.Client(superuser);
  await client.connect();
  try {
    for (const chain of chains) await client.query(chainScript(chain));
  } finally {
    await client.end();
  }
}

function chainScript(chain: string): string {
  const records = MIGRATIONS.map(({ name, checksum }) => `('${chain}', '${name}', '${checksum}')`);
  const statements = MIGRATIONS.flatMap((migration) => statementsFor(chain, migration));
  return [
    ...statements,
    `INSERT INTO ${GATEWAY_SCHEMA}.migrations (chain, name, checksum) VALUES ${records.join(', ')}`,
  ].join(';\n');
}
