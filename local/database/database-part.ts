import { join } from 'node:path';
import type { Resolver } from '../template/intrinsics.ts';
import type { Template } from '../template/template.ts';
import { openClusters } from './clusters.ts';
import { startDataApiEndpoint } from './data-api-endpoint.ts';
import { type Postgres, type PostgresLogin, startPostgres } from './postgres.ts';
import { withSecrets } from './secret-references.ts';
import { keepSecret, openSecrets } from './secrets.ts';
import { startSecretsEndpoint } from './secrets-endpoint.ts';

/** The chain database of a run: PostgreSQL, and before it what functions reach it through. */
export interface DatabasePart {
  readonly postgres: Postgres;
  /** URLs of the services by the SDK's service identifier. */
  readonly endpoints: { readonly rds_data: string; readonly secrets_manager: string };
  /**
   * Makes the clusters and secrets of a template known, and real.
   * @returns the URL of the cluster for people, with the master user's password
   */
  open(template: Template, resolve: Resolver): Promise<string | undefined>;
  /** Resolves references to the template's secrets as well, once it has been opened. */
  withSecrets(resolve: Resolver): Resolver;
}

/**
 * Starts the chain database of a run.
 * @param folder where the data and the secrets are kept
 * @param accessKeyId the only access key that its services know
 * @param onStarted told how to stop each piece as soon as it runs
 */
export async function startDatabase(
  folder: string,
  accessKeyId: string,
  onStarted: (stop: () => Promise<void>) => void,
): Promise<DatabasePart> {
  const postgres = await startPostgres(folder);
  onStarted(postgres.process.stop);
  const secrets = new Map<string, string>();
  const clusters = new Set<string>();
  const dataApi = await startDataApiEndpoint({
    superuser: postgres.superuser,
    clusters,
    secrets,
    accessKeyId,
  });
  onStarted(dataApi.close);
  let keep = async (_secret: readonly [string, string]): Promise<void> => undefined;
  const secretsManager = await startSecretsEndpoint(secrets, accessKeyId, async (arn, value) => {
    await keep([arn, value]);
    secrets.set(arn, value);
  });
  onStarted(secretsManager.close);
  return {
    postgres,
    endpoints: { rds_data: dataApi.url, secrets_manager: secretsManager.url },
    async open(template, resolve) {
      const file = join(folder, 'secrets.json');
      for (const [arn, value] of await openSecrets(template, resolve, file)) secrets.set(arn, value);
      keep = (secret) => keepSecret(template, resolve, file, secret);
      const opened = await openClusters(template, resolve, postgres.superuser, secrets);
      for (const { arn } of opened) clusters.add(arn);
      return opened.map(({ login }) => postgresUrl(login))[0];
    },
    withSecrets: (resolve) => withSecrets(resolve, secrets),
  };
}

function postgresUrl({ host, port, user, password, database }: PostgresLogin): string {
  return `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`;
}
