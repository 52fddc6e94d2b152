import type { Field, SqlParameter } from '@aws-sdk/client-rds-data';

/**
 * A value of a statement's parameter. A whole number is a `bigint` of PostgreSQL, any other a `double precision`; a
 * JavaScript bigint is a `numeric`, which no index on a `bigint` column serves. There is no null: it would have no type.
 */
export type ParameterValue = string | number | bigint | boolean | Uint8Array;

/** Parameters of a statement by name. */
export type SqlParameters = Readonly<Record<string, ParameterValue>>;

/** Parameters as the RDS Data API takes them. */
export function toSqlParameters(parameters: SqlParameters): SqlParameter[] {
  return Object.entries(parameters).map(([name, value]) =>
    typeof value === 'bigint'
      ? { name, value: { stringValue: value.toString() }, typeHint: 'DECIMAL' }
      : { name, value: toField(value) },
  );
}

function toField(value: Exclude<ParameterValue, bigint>): Field {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { booleanValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { longValue: value } : { doubleValue: value };
  return { blobValue: value };
}
