import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { BulkBucket } from '../../lambdas/backfill/bulk/write-files.ts';
import { type ChainConnection, connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { startDataApiEndpoint } from '../../local/database/data-api-endpoint.ts';
import { installObjectImport } from '../../local/database/object-import.ts';
import { type Postgres, type PostgresLogin, startPostgres } from '../../local/database/postgres.ts';
import { ImportedFolder } from '../../test/backfill/bulk-fill.ts';
import { addChains, connectAs } from '../../test/database/migrated-database.ts';
import { ACCESS_KEY_ID } from '../../test/local/access-key.ts';
import { CLUSTER_ARN, PASSWORDS, SECRET_ARNS } from '../../test/local/database/test-database.ts';
import { copyCluster } from '../../test/support/postgres-cluster.ts';
import { parentOf, processorSeconds } from '../processor-seconds.ts';

/** Statements of a benchmark itself that run at a time. */
const MAX_SESSIONS = 4;

/** Settings of PostgreSQL by name. */
export type ServerSettings = Readonly<Record<string, string>>;

/** Connects to a chain as a function does. The RDS Data API is in the process that asks: none waits for another's requests. */
export async function connectFill(login: PostgresLogin, chain: string): Promise<ChainConnection> {
  const secret = JSON.stringify({ username: 'gateway_writer', password: PASSWORDS.writer });
  const dataApi = await startDataApiEndpoint({
    superuser: login,
    clusters: new Set([CLUSTER_ARN]),
    secrets: new Map([[SECRET_ARNS.writer, secret]]),
    accessKeyId: ACCESS_KEY_ID,
  });
  return connectionTo(connectAs({ dataApi }, 'writer'), chain);
}

/** The bucket of imports, as files below a folder. */
export function bucketOf(folder: string): BulkBucket {
  return { objects: new ImportedFolder(folder), name: 'imports', region: 'us-east-1' };
}

/** A PostgreSQL server that can be started anew with other settings. */
export class FillServer {
  readonly #folder: string;
  #server: Postgres | undefined;
  #pool: pg.Pool | undefined;

  /** @param parent where its files are */
  constructor(parent: string) {
    this.#folder = mkdtempSync(join(parent, 'bench-fill-'));
    copyCluster(this.#folder);
  }

  get login(): PostgresLogin {
    if (this.#server === undefined) throw new Error('the server is not started');
    return this.#server.superuser;
  }

  async start(settings: ServerSettings): Promise<void> {
    await this.#stop();
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
    appendFileSync(join(this.#folder, 'cluster', 'postgresql.auto.conf'), lines.join(''));
    this.#server = await startPostgres(this.#folder);
    this.#pool = new pg.Pool({ ...this.login, max: MAX_SESSIONS });
    // An idle session may learn that its server ends.
    this.#pool.on('error', () => undefined);
  }

  async query(text: string): Promise<Readonly<Record<string, unknown>>[]> {
    const result = await this.#pool?.query(text);
    return result?.rows ?? [];
  }

  /** @param folder of the objects that it imports */
  async addChain(chain: string, folder: string): Promise<void> {
    await installObjectImport(this.login, folder, this.login.user);
    await addChains(this.login, [chain]);
  }

  /** Processor time of all its processes, in seconds. */
  async processorSeconds(): Promise<number> {
    const [backend] = await this.query('SELECT pg_backend_pid() AS pid');
    return processorSeconds(parentOf(Number(backend?.pid)));
  }

  async close(): Promise<void> {
    await this.#stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #stop(): Promise<void> {
    await this.#pool?.end();
    await this.#server?.process.stop();
  }
}
