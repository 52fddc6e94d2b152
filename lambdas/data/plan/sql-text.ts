/** `0x` and hex digits of a `bytea`. */
export function hex(column: string): string {
  return `'0x' || encode(${column}, 'hex')`;
}

/** ISO 8601 of a `timestamptz`, in UTC; no literal has a colon, which the RDS Data API takes for a parameter's. */
export function iso(column: string): string {
  return `(to_json(date_trunc('milliseconds', ${column}) AT TIME ZONE 'UTC') #>> '{}') || 'Z'`;
}

/** Decimal digits of a whole number. */
export function digits(column: string): string {
  return `${column}::text`;
}

/** The largest integer that every client reads exactly. */
export const MAX_SAFE_INTEGER = '9007199254740991';

/** A whole number as JSON: a number, or its decimal digits as a string where clients would round it. */
export function whole(column: string): string {
  return `CASE WHEN ${column} <= ${MAX_SAFE_INTEGER} THEN to_json(${column}) ELSE to_json(${column}::text) END`;
}

/** A decimal fraction without needless zeros. */
export function fraction(column: string): string {
  return `trim_scale(${column})::text`;
}

/** Decimals of an amount in USD that is worked out of prices: its inputs have no more that mean anything. */
const USD_DECIMALS = 6;

/** A value in USD that is worked out of prices. */
export function usd(column: string): string {
  return fraction(`round(${column}, ${USD_DECIMALS})`);
}
