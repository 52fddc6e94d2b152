import { scanSql, UnterminatedSqlError } from '../../lambdas/migrate/scan-sql.ts';
import { ServiceError } from '../processes/json-endpoint.ts';
import { isTemplateObject } from '../template/template.ts';

/** A cast or an assignment, which are no parameters, or a parameter. */
const COLON = /::|:=|:(\w+)/g;
/** A statement whose named parameters have become those of PostgreSQL's protocol. */
interface NumberedStatement {
  readonly text: string;
  /** Names of the parameters that the statement uses, in the order of their numbers from 1. */
  readonly names: readonly string[];
}

/** A parameter as PostgreSQL gets it. */
export interface BoundParameter {
  /** Its type, which is declared as the RDS Data API does; undefined: PostgreSQL is to find out. */
  readonly type: string | undefined;
  readonly value: string | Buffer | null;
}

/** The one hint about a string that the gateway gives, and the form that it asks for. */
const DECIMAL_HINT = 'DECIMAL';
const DECIMAL = /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/;

/**
 * The parameters of a request by name.
 * @throws ServiceError for what the RDS Data API does not take
 */
export function bindParameters(parameters: unknown): ReadonlyMap<string, BoundParameter> {
  const bound = new Map<string, BoundParameter>();
  if (parameters === undefined || parameters === null) return bound;
  if (!Array.isArray(parameters)) throw badRequest('parameters must be a list');
  for (const parameter of parameters) {
    if (!isTemplateObject(parameter) || typeof parameter.name !== 'string')
      throw badRequest('a parameter has no name');
    if (bound.has(parameter.name)) throw badRequest(`Duplicate parameter: ${parameter.name}`);
    bound.set(parameter.name, bindParameter(parameter.value, parameter.typeHint));
  }
  return bound;
}

function bindParameter(field: unknown, typeHint: unknown): BoundParameter {
  const members = isTemplateObject(field) ? Object.entries(field).filter(([, value]) => value !== null) : [];
  const [member] = members;
  if (member === undefined || members.length > 1) throw badRequest('a parameter needs exactly one value');
  const [kind, value] = member;
  if (typeHint !== undefined && typeHint !== null) {
    if (typeHint !== DECIMAL_HINT) throw badRequest(`unknown type hint ${typeHint}`);
    if (kind !== 'stringValue' || typeof value !== 'string' || !DECIMAL.test(value))
      throw badRequest(`a value does not have the form of ${typeHint}`);
    return { type: 'numeric', value };
  }
  if (kind === 'isNull' && value === true) return { type: undefined, value: null };
  if (kind === 'stringValue' && typeof value === 'string') return { type: 'text', value };
  if (kind === 'longValue' && Number.isInteger(value)) return { type: 'bigint', value: String(value) };
  if (kind === 'doubleValue' && (typeof value === 'number' || typeof value === 'string'))
    return { type: 'float8', value: String(value) };
  if (kind === 'booleanValue' && typeof value === 'boolean') return { type: 'boolean', value: String(value) };
  if (kind === 'blobValue' && typeof value === 'string')
    return { type: 'bytea', value: Buffer.from(value, 'base64') };
  if (kind === 'arrayValue') throw badRequest('Array parameters are not supported.');
  throw badRequest(`${kind} is not a value of a parameter`);
}

function badRequest(message: string): ServiceError {
  return new ServiceError('BadRequestException', message);
}

/**
 * Puts what `expression` makes of a name and its number in the place of each `:name`. Comments, strings, quoted names and
 * casts are left alone.
 * @throws ServiceError if a comment or string does not end
 */
export function numberParameters(
  sql: string,
  expression: (name: string, number: number) => string,
): NumberedStatement {
  const names: string[] = [];
  const replace = (match: string, name: string | undefined) => {
    if (name === undefined) return match;
    if (!names.includes(name)) names.push(name);
    return expression(name, names.indexOf(name) + 1);
  };
  try {
    const parts = [...scanSql(sql)].map(({ kind, text }) =>
      kind === 'code' ? text.replaceAll(COLON, replace) : text,
    );
    return { text: parts.join(''), names };
  } catch (error) {
    if (error instanceof UnterminatedSqlError)
      throw new ServiceError('DatabaseErrorException', error.message);
    throw error;
  }
}
