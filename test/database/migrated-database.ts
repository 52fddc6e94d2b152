import { join } from 'node:path';
import { type ChainDatabase, createChainDatabase } from '../../lambdas/chain-data/chain-database.ts';
import type { Credentials } from '../../lambdas/migrate/login-roles.ts';
import { migrate } from '../../lambdas/migrate/migrate.ts';
import { type Migration, readMigrations } from '../../lambdas/migrate/read-migrations.ts';
import { localClientConfig } from '../../local/client-config.ts';
import {
  CLUSTER_ARN,
  DATABASE_NAME,
  PASSWORDS,
  SECRET_ARNS,
  startTestDatabase,
  type TestDatabase,
} from '../local/database/test-database.ts';

/** The migrations of the product. */
export const MIGRATIONS: readonly Migration[] = readMigrations(
  join(import.meta.dirname, '..', '..', 'database', 'migrations'),
);

const CREDENTIALS: Credentials = {
  writer: { username: 'gateway_writer', password: PASSWORDS.writer },
  reader: { username: 'gateway_reader', password: PASSWORDS.reader },
};

/** A database as functions use it, in each of their roles. */
export interface MigratedDatabase extends TestDatabase {
  readonly admin: ChainDatabase;
  readonly writer: ChainDatabase;
  readonly reader: ChainDatabase;
  /** Migrates chains and names what was applied. */
  migrate(chains: readonly string[], migrations?: readonly Migration[]): Promise<string[]>;
}

/** Starts a database and migrates it for these chains. */
export async function startMigratedDatabase(chains: readonly string[]): Promise<MigratedDatabase> {
  const database = await startTestDatabase();
  const as = (role: keyof typeof SECRET_ARNS) =>
    createChainDatabase({
      resourceArn: CLUSTER_ARN,
      secretArn: SECRET_ARNS[role],
      database: DATABASE_NAME,
      clientConfig: localClientConfig(database.dataApi.url),
    });
  const admin = as('admin');
  const migrated: MigratedDatabase = {
    ...database,
    admin,
    writer: as('writer'),
    reader: as('reader'),
    migrate: (names, migrations = MIGRATIONS) =>
      migrate(admin, { chains: names, migrations, credentials: CREDENTIALS }),
  };
  await migrated.migrate(chains);
  return migrated;
}
