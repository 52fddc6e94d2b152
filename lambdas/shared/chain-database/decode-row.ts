import type { ArrayValue, Field } from '@aws-sdk/client-rds-data';

/** A value of a column. Decimals are strings; an integer that a number cannot hold exactly is refused. */
type ColumnValue = string | number | boolean | null | Uint8Array | readonly ColumnValue[];

/** One row by its columns' names. */
export type DatabaseRow = Readonly<Record<string, ColumnValue>>;

/**
 * One record as a row.
 * @throws RangeError for an integer beyond 2^53: select it as text
 */
export function toRow(names: readonly string[], record: readonly Field[]): DatabaseRow {
  return Object.fromEntries(record.map((field, index) => [names[index] ?? '', toValue(field)]));
}

function toValue(field: Field): ColumnValue {
  if (field.stringValue !== undefined) return field.stringValue;
  if (field.longValue !== undefined) return exact(field.longValue);
  if (field.isNull !== undefined) return null;
  if (field.booleanValue !== undefined) return field.booleanValue;
  if (field.blobValue !== undefined) return field.blobValue;
  if (field.doubleValue !== undefined) return field.doubleValue;
  if (field.arrayValue !== undefined) return toValues(field.arrayValue);
  throw new Error('a field of an unknown kind');
}

function toValues(array: ArrayValue): readonly ColumnValue[] {
  const { stringValues, longValues, doubleValues, booleanValues } = array;
  return (
    stringValues ?? longValues?.map((value) => value && exact(value)) ?? doubleValues ?? booleanValues ?? []
  );
}

function exact(value: number): number {
  if (!Number.isSafeInteger(value)) throw new RangeError('an integer beyond 2^53: select it as text');
  return value;
}

/** A whole number that was selected as text. */
export function bigintOrNull(value: ColumnValue | undefined): bigint | null {
  return value === null || value === undefined ? null : BigInt(String(value));
}

/** A number, whichever way it was selected. */
export function numberOrNull(value: ColumnValue | undefined): number | null {
  return value === null || value === undefined ? null : Number(value);
}
