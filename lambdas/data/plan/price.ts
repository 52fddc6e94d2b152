/** Rows that the price of an operation includes. */
const INCLUDED_ROWS = 100;
/** Further rows that one CU pays for, by their cost in the database (`npm run bench -- prices`). */
const ROWS_PER_CU = 20;
/** Bytes that the price of each row includes, before compression. */
const BYTES_PER_ROW = 1_000;

/** How an operation is priced. */
export interface OperationPrice {
  /** Of the first hundred rows of a response, or of each item. */
  readonly computeUnits: number;
  readonly isPerItem: boolean;
}

/** The size of a response. */
export interface ResponseSize {
  readonly rows: number;
  /** Of its rows, before they are compressed. */
  readonly bytes: number;
}

/**
 * The price of a response in CU: that of the operation, and one more for each twenty rows (or part of them) beyond the first hundred.
 * Rows that are longer than a kilobyte on average count as one for each kilobyte. A batch costs one look-up for each item, and
 * one at least: an empty response is an answer too.
 */
export function computeUnitsOf(
  { computeUnits, isPerItem }: OperationPrice,
  { rows, bytes }: ResponseSize,
): number {
  if (isPerItem) return computeUnits * Math.max(rows, 1);
  const counted = Math.max(rows, Math.ceil(bytes / BYTES_PER_ROW));
  return computeUnits + Math.ceil(Math.max(counted - INCLUDED_ROWS, 0) / ROWS_PER_CU);
}

/** Bytes that the price of a number of rows includes. */
export function paidBytes(rows: number): number {
  return Math.max(rows, INCLUDED_ROWS) * BYTES_PER_ROW;
}

/** The sum of two sizes. */
export function added(one: ResponseSize, other: ResponseSize): ResponseSize {
  return { rows: one.rows + other.rows, bytes: one.bytes + other.bytes };
}
