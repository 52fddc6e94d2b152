import type { LocalSecrets } from '../secrets/secrets.ts';
import type { Resolver } from '../template/intrinsics.ts';
import type { Template } from '../template/template.ts';
import { openClusters } from './clusters.ts';
import { startDataApiEndpoint } from './data-api-endpoint.ts';
import { installObjectImport } from './object-import.ts';
import { type Postgres, type PostgresLogin, startPostgres } from './postgres.ts';

/** The chain database of a run: PostgreSQL, and before it what functions reach it through. */
export interface DatabasePart {
  readonly postgres: Postgres;
  /** URLs of the services by the SDK's service identifier. */
  readonly endpoints: { readonly rds_data: string };
  /**
   * Makes the clusters of a template real, once its secrets are known.
   * @returns the URL of the cluster for people, with the master user's password
   */
  open(template: Template, resolve: Resolver): Promise<string | undefined>;
}

interface DatabaseEvents {
  /** Takes how to stop each piece, as soon as it runs. */
  onStarted(stop: () => Promise<void>): void;
  /** Takes a line for people when PostgreSQL ends by itself, and when it runs again. */
  tell(line: string): void;
}

/**
 * Starts the chain database of a run.
 * @param folder where the data are kept, and the objects that it may import
 * @param secrets those of the template, to be filled before it is opened
 * @param accessKeyId the only access key that its services know
 */
export async function startDatabase(
  folder: { readonly database: string; readonly objects: string },
  secrets: LocalSecrets,
  accessKeyId: string,
  { onStarted, tell }: DatabaseEvents,
): Promise<DatabasePart> {
  const postgres = await startPostgres(folder.database, tell);
  onStarted(postgres.process.stop);
  const clusters = new Set<string>();
  const dataApi = await startDataApiEndpoint({
    superuser: postgres.superuser,
    clusters,
    secrets,
    accessKeyId,
  });
  onStarted(dataApi.close);
  return {
    postgres,
    endpoints: { rds_data: dataApi.url },
    async open(template, resolve) {
      const opened = await openClusters(template, resolve, postgres.superuser, secrets);
      for (const { arn, login } of opened) {
        const { database } = login;
        await installObjectImport({ ...postgres.superuser, database }, folder.objects, login.user);
        clusters.add(arn);
      }
      return opened.map(({ login }) => postgresUrl(login))[0];
    },
  };
}

function postgresUrl({ host, port, user, password, database }: PostgresLogin): string {
  return `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`;
}
