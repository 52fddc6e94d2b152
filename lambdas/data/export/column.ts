/** What a column is that is no plain text: `time` is ISO 8601 in UTC, `day` is `YYYY-MM-DD`, `json` a list or an object. */
export type ColumnKind = 'integer' | 'boolean' | 'json' | 'time' | 'day';

/** A column of a list. Any may be null. */
export interface Column {
  readonly name: string;
  /** @default a text */
  readonly kind?: ColumnKind;
  /** A whole number that may exceed 64 bits. @default false */
  readonly isWide?: boolean;
  /** Parameter and value without which rows do not have it. @default it is in each row */
  readonly onlyWith?: readonly string[];
}

export type ColumnKinds = Readonly<Record<string, ColumnKind | undefined>>;

/** The columns that a request's rows have. @param parameters values of its parameters */
export function columnsFor(
  columns: readonly Column[],
  parameters: Readonly<Record<string, unknown>>,
): readonly Column[] {
  return columns.filter(
    ({ onlyWith: [name, value] = [] }) => name === undefined || String(parameters[name]) === value,
  );
}

/** The kinds of columns, by their names. */
export function kindsOf(columns: readonly Column[]): ColumnKinds {
  return Object.fromEntries(columns.map(({ name, kind }) => [name, kind]));
}
