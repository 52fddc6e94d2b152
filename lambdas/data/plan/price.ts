/** Rows that the price of an operation includes. */
const INCLUDED_ROWS = 100;
/** Rows beyond these that one CU pays for: by what they take of the database (`npm run bench -- prices`). */
const ROWS_PER_CU = 20;
/** Bytes that each row of a price pays for, of those of the rows before they are compressed. */
export const BYTES_PER_ROW = 1_000;

/** How an operation is priced. */
export interface OperationPrice {
  /** Of the first hundred rows of an answer, or of each item. */
  readonly computeUnits: number;
  readonly isPerItem: boolean;
}

/** How much an answer has. */
export interface ResponseSize {
  readonly rows: number;
  /** Of its rows, before they are compressed. */
  readonly bytes: number;
}

/**
 * What an answer costs, in CU: one more for each twenty rows that are begun beyond the first hundred. Rows that are longer than a
 * kilobyte on average count as one for each kilobyte. What is priced by its items costs that of one look-up for each, and
 * of one at least: an answer without any tells something too.
 */
export function computeUnitsOf(
  { computeUnits, isPerItem }: OperationPrice,
  { rows, bytes }: ResponseSize,
): number {
  if (isPerItem) return computeUnits * Math.max(rows, 1);
  const counted = Math.max(rows, Math.ceil(bytes / BYTES_PER_ROW));
  return computeUnits + Math.ceil(Math.max(counted - INCLUDED_ROWS, 0) / ROWS_PER_CU);
}

/** Bytes that the price of so many rows pays for. */
export function paidBytes(rows: number): number {
  return Math.max(rows, INCLUDED_ROWS) * BYTES_PER_ROW;
}

/** Both together. */
export function added(one: ResponseSize, other: ResponseSize): ResponseSize {
  return { rows: one.rows + other.rows, bytes: one.bytes + other.bytes };
}
