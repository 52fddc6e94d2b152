import { ServiceError } from '../processes/json-endpoint.ts';
import type { DataApiLimits } from './data-api-limits.ts';
import { type BoundParameter, bindParameters, numberParameters } from './parameter-values.ts';
import type { PostgresLogin } from './postgres.ts';
import type { RememberedSecrets } from './remembered-secrets.ts';
import { fieldJson } from './result-fields.ts';
import { type ResultType, resultType } from './result-types.ts';
import type { Statement, StatementResult } from './run-statement.ts';
import type { Sessions } from './sessions.ts';

const DEFAULT_DATABASE = 'postgres';
/** Members of requests that a local run understands, which are those that the gateway sends. */
const MEMBERS: ReadonlySet<string> = new Set([
  'resourceArn',
  'secretArn',
  'database',
  'sql',
  'parameters',
  'transactionId',
  'includeResultMetadata',
  'continueAfterTimeout',
]);

/** A request's members. */
type Input = Readonly<Record<string, unknown>>;

interface DataApi {
  readonly sessions: Sessions;
  readonly limits: DataApiLimits;
  /** Where PostgreSQL listens. */
  readonly server: Pick<PostgresLogin, 'host' | 'port'>;
  /** ARNs of the clusters that there are. */
  readonly clusters: ReadonlySet<string>;
  readonly secrets: RememberedSecrets;
}

/** One operation: answers JSON text, or rejects with a ServiceError. */
type Operation = (api: DataApi, input: Input) => Promise<string>;

/** The operations of the RDS Data API by path. */
export const DATA_API_OPERATIONS: Readonly<Record<string, Operation>> = {
  '/Execute': executeStatement,
  '/BeginTransaction': async (api, input) =>
    JSON.stringify({ transactionId: await api.sessions.begin(loginOf(api, input)) }),
  '/CommitTransaction': (api, input) => finish(api, input, 'COMMIT', 'Transaction Committed'),
  '/RollbackTransaction': (api, input) => finish(api, input, 'ROLLBACK', 'Rollback Complete'),
};

async function executeStatement(api: DataApi, input: Input): Promise<string> {
  const login = loginOf(api, input);
  const statement = toStatement(sqlOf(api, input), bindParameters(input.parameters));
  const result = await run(api, login, input, statement);
  const updated = `"numberOfRecordsUpdated":${result.updated}`;
  if (result.columns.length === 0) return `{"generatedFields":[],${updated}}`;
  const types = await typesOf(api, result);
  const names = result.columns.map(({ name }) => ({ name, label: name }));
  const metadata = input.includeResultMetadata === true ? `"columnMetadata":${JSON.stringify(names)},` : '';
  return `{${metadata}"records":${records(result, types)},${updated}}`;
}

async function finish(
  api: DataApi,
  input: Input,
  how: 'COMMIT' | 'ROLLBACK',
  transactionStatus: string,
): Promise<string> {
  const login = loginOf(api, input);
  const id = transactionIdOf(input);
  if (id === undefined) throw new ServiceError('ValidationException', 'transactionId is required');
  // The database of a transaction is known from its beginning; a request to end it names none.
  await api.sessions.finish(id, login, how);
  return JSON.stringify({ transactionStatus });
}

function run(
  { sessions }: DataApi,
  login: PostgresLogin,
  input: Input,
  statement: Statement,
): Promise<StatementResult> {
  const options = { continueAfterTimeout: input.continueAfterTimeout === true };
  const id = transactionIdOf(input);
  return id === undefined
    ? sessions.run(login, statement, options)
    : sessions.runIn(id, login, statement, options);
}

/** Role and database of the request's secret. @throws ServiceError also for a member that would be ignored */
function loginOf(api: DataApi, input: Input): PostgresLogin {
  const unknown = Object.keys(input).find((name) => !MEMBERS.has(name));
  if (unknown !== undefined)
    throw new ServiceError('ValidationException', `The ${unknown} parameter isn't supported`);
  if (!api.clusters.has(String(input.resourceArn)))
    throw new ServiceError('NotFoundException', `Cluster ${input.resourceArn} is not found`, 404);
  const secret = api.secrets.get(String(input.secretArn));
  if (secret === undefined)
    throw new ServiceError('SecretsErrorException', `Secret ${input.secretArn} is not found`);
  const { username, password } = JSON.parse(secret) as Record<string, unknown>;
  if (typeof username !== 'string' || typeof password !== 'string')
    throw new ServiceError('InvalidSecretException', 'The secret has no username and password');
  return { ...api.server, user: username, password, database: String(input.database ?? DEFAULT_DATABASE) };
}

function transactionIdOf({ transactionId }: Input): string | undefined {
  return typeof transactionId === 'string' ? transactionId : undefined;
}

function sqlOf({ limits }: DataApi, { sql }: Input): string {
  if (typeof sql !== 'string' || sql.trim() === '')
    throw new ServiceError('ValidationException', 'sql is required');
  if (sql.length > limits.statementLength) {
    throw new ServiceError(
      'ValidationException',
      `Value at 'sql' failed to satisfy constraint: Member must have length less than or equal to ${limits.statementLength}`,
    );
  }
  return sql;
}

/** Parameters are declared by their types, as the RDS Data API does: a string is a text, and no uuid. */
function toStatement(sql: string, parameters: ReadonlyMap<string, BoundParameter>): Statement {
  const find = (name: string) => {
    const parameter = parameters.get(name);
    if (parameter === undefined) throw badRequest(`Cannot find parameter: ${name}`);
    return parameter;
  };
  const { text, names } = numberParameters(sql, (name, number) => {
    const { type } = find(name);
    return type === undefined ? `$${number}` : `($${number}::${type})`;
  });
  const unused = [...parameters.keys()].find((name) => !names.includes(name));
  if (unused !== undefined) throw badRequest(`The statement has no parameter ${unused}`);
  return { text, values: names.map((name) => find(name).value) };
}

function typesOf({ sessions }: DataApi, { columns }: StatementResult): Promise<ResultType[]> {
  return Promise.all(columns.map(({ typeId }) => resultType(typeId, (oid) => sessions.typeName(oid))));
}

function records({ rows }: StatementResult, types: readonly ResultType[]): string {
  const fields = (row: readonly (string | null)[]) =>
    types.map((type, index) => fieldJson(type, row[index] ?? null));
  return `[${rows.map((row) => `[${fields(row)}]`)}]`;
}

function badRequest(message: string): ServiceError {
  return new ServiceError('BadRequestException', message);
}
