import { scanSql, UnterminatedSqlError } from '../../lambdas/migrate/scan-sql.ts';
import { ServiceError } from '../processes/json-endpoint.ts';

/** A cast or an assignment, which are no parameters, or a parameter. */
const COLON = /::|:=|:(\w+)/g;

/** A statement whose named parameters have become those of PostgreSQL's protocol. */
interface NumberedStatement {
  readonly text: string;
  /** Names of the parameters that the statement uses, in the order of their numbers from 1. */
  readonly names: readonly string[];
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
