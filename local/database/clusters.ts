import pg from 'pg';
import { withSecrets } from '../secrets/secret-references.ts';
import type { LocalSecrets } from '../secrets/secrets.ts';
import { LOCAL_ACCOUNT_ID, LOCAL_REGION, type Resolver } from '../template/intrinsics.ts';
import { resourcesOfType, type Template, type TemplateResource, unsupported } from '../template/template.ts';
import type { PostgresLogin } from './postgres.ts';

/** The only engine that a local run has. */
const ENGINE = 'aurora-postgresql';
const ENGINE_MAJOR = '17.';

/** A database cluster of the template, in the embedded server. */
interface OpenCluster {
  readonly arn: string;
  /** Its master user. */
  readonly login: PostgresLogin;
}

/**
 * Opens the database clusters of a template: makes the master user and the database of each, as RDS does when it creates
 * one, unless an earlier run has.
 * @throws UnsupportedTemplateError for another engine or version
 */
export async function openClusters(
  template: Template,
  resolve: Resolver,
  superuser: PostgresLogin,
  secrets: LocalSecrets,
): Promise<OpenCluster[]> {
  const clusters: OpenCluster[] = [];
  for (const resource of resourcesOfType(template, 'AWS::RDS::DBCluster')) {
    const login = { ...superuser, ...masterLogin(resource, resolve, secrets) };
    await createMaster(superuser, login);
    clusters.push({ arn: clusterArn(resource, resolve), login });
  }
  return clusters;
}

function masterLogin(
  resource: TemplateResource,
  resolve: Resolver,
  secrets: LocalSecrets,
): Pick<PostgresLogin, 'user' | 'password' | 'database'> {
  const { Engine, EngineVersion, DatabaseName, EnableHttpEndpoint, MasterUsername } = resource.properties;
  if (Engine !== ENGINE || !String(EngineVersion).startsWith(ENGINE_MAJOR))
    throw unsupported(resource, `${Engine} ${EngineVersion}`);
  if (EnableHttpEndpoint !== true) throw unsupported(resource, 'a cluster without the RDS Data API');
  const user = String(resolve(MasterUsername));
  return { user, password: passwordOf(resource, resolve, secrets), database: String(resolve(DatabaseName)) };
}

/** The master password is a reference to a secret. */
function passwordOf(resource: TemplateResource, resolve: Resolver, secrets: LocalSecrets): string {
  const written = String(resolve(resource.properties.MasterUserPassword));
  const password = String(withSecrets(resolve, secrets)(resource.properties.MasterUserPassword));
  if (password === written) throw unsupported(resource, 'a MasterUserPassword that is in no secret');
  return password;
}

function clusterArn(resource: TemplateResource, resolve: Resolver): string {
  const name = resolve({ Ref: resource.logicalId });
  return `arn:aws:rds:${LOCAL_REGION}:${LOCAL_ACCOUNT_ID}:cluster:${name}`;
}

/** A master user of RDS is no superuser: it may make roles and databases. */
async function createMaster(
  superuser: PostgresLogin,
  { user, password, database }: PostgresLogin,
): Promise<void> {
  const client = new pg.Client(superuser);
  await client.connect();
  try {
    const role = pg.escapeIdentifier(user);
    const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [user]);
    if (rowCount === 0) await client.query(`CREATE ROLE ${role} LOGIN CREATEROLE CREATEDB`);
    await client.query(`ALTER ROLE ${role} PASSWORD ${pg.escapeLiteral(password)}`);
    const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
    if (found.rowCount === 0)
      await client.query(`CREATE DATABASE ${pg.escapeIdentifier(database)} OWNER ${role}`);
  } finally {
    await client.end();
  }
}
