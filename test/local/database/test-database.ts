import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RDSDataClient } from '@aws-sdk/client-rds-data';
import { localClientConfig } from '../../../local/client-config.ts';
import { startDataApiEndpoint } from '../../../local/database/data-api-endpoint.ts';
import type { DataApiLimits } from '../../../local/database/data-api-limits.ts';
import { type Postgres, startPostgres } from '../../../local/database/postgres.ts';
import { Closers } from '../../../local/processes/closers.ts';
import { noteMade } from '../../support/figures/made-counts.ts';
import { copyCluster } from '../../support/postgres-cluster.ts';
import { ACCESS_KEY_ID } from '../access-key.ts';

type DataApiEndpoint = Awaited<ReturnType<typeof startDataApiEndpoint>>;

/** ARNs of the cluster, and of the secrets of its roles. */
export const CLUSTER_ARN = 'arn:aws:rds:us-east-1:000000000000:cluster:test';
export const SECRET_ARNS = {
  admin: 'arn:aws:secretsmanager:us-east-1:000000000000:secret:admin',
  writer: 'arn:aws:secretsmanager:us-east-1:000000000000:secret:writer',
  reader: 'arn:aws:secretsmanager:us-east-1:000000000000:secret:reader',
} as const;

/** Passwords that the secrets of the writer and the reader hold. */
export const PASSWORDS = { writer: 'w-Password-1', reader: 'r-Password-1' } as const;
export const DATABASE_NAME = 'postgres';

/** A PostgreSQL server of its own behind the RDS Data API; the admin is its superuser. */
export interface TestDatabase {
  readonly postgres: Postgres;
  readonly dataApi: DataApiEndpoint;
  readonly secrets: Map<string, string>;
  /** A client of the SDK, as a function makes one. */
  readonly client: RDSDataClient;
  close(): Promise<void>;
}

/** Starts a database with the users of functions, and no chain. */
export async function startTestDatabase(limits: Partial<DataApiLimits> = {}): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'database-'));
  copyCluster(folder);
  const database = await serveDatabase(folder, limits);
  const close = async () => {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...database, close };
}

/** Starts the database of a folder. */
export async function serveDatabase(
  folder: string,
  limits: Partial<DataApiLimits> = {},
): Promise<TestDatabase> {
  noteMade('clusters');
  const closers = new Closers();
  const postgres = await startPostgres(folder);
  closers.add(postgres.process.stop);
  const { user, password } = postgres.superuser;
  const secrets = new Map<string, string>([
    [SECRET_ARNS.admin, JSON.stringify({ username: user, password })],
    [SECRET_ARNS.writer, JSON.stringify({ username: 'gateway_writer', password: PASSWORDS.writer })],
    [SECRET_ARNS.reader, JSON.stringify({ username: 'gateway_reader', password: PASSWORDS.reader })],
  ]);
  const clusters = new Set([CLUSTER_ARN]);
  const dataApi = await startDataApiEndpoint({
    superuser: postgres.superuser,
    clusters,
    secrets,
    limits,
    accessKeyId: ACCESS_KEY_ID,
  });
  closers.add(dataApi.close);
  const client = new RDSDataClient({ ...localClientConfig(dataApi.url, ACCESS_KEY_ID), maxAttempts: 1 });
  closers.add(() => client.destroy());
  return { postgres, dataApi, secrets, client, close: () => closers.closeAll() };
}
