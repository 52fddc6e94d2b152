import type { MethodUsage } from 'gateway-access';
import type { HourPrices } from '../../shared/methods/method-facts.ts';
import { CACHED_CU } from '../../shared/methods/method-table.ts';

/** What usage counts rows beyond the included ones as. */
export const FURTHER_ROWS = 'rows';
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

/** What a response is billed for: what is counted is what is priced. */
export interface BilledCalls {
  /** One, or one for each item. */
  readonly calls: number;
  /** Compute units of each. */
  readonly computeUnits: number;
  /** Calls at 1 CU: the twenties of rows that are begun beyond the included hundred. */
  readonly twenties: number;
}

/** Of a response that costs nothing. */
export const NO_CALLS: BilledCalls = { calls: 0, computeUnits: 0, twenties: 0 };

/**
 * What a response is billed for: a call, and one more at 1 CU for each twenty rows (or part of them) beyond the first hundred.
 * Rows that are longer than a kilobyte on average count as one for each kilobyte. A batch costs one look-up for each item, and
 * one at least: an empty response is an answer too.
 */
export function billedCalls(
  { computeUnits, isPerItem }: OperationPrice,
  { rows, bytes }: ResponseSize,
): BilledCalls {
  if (isPerItem) return { calls: Math.max(rows, 1), computeUnits, twenties: 0 };
  const counted = Math.max(rows, Math.ceil(bytes / BYTES_PER_ROW));
  const twenties = Math.ceil(Math.max(counted - INCLUDED_ROWS, 0) / ROWS_PER_CU);
  return { calls: 1, computeUnits, twenties };
}

/** The price of a response in CU. */
export function computeUnitsOf(price: OperationPrice, size: ResponseSize): number {
  return cuOf(billedCalls(price, size));
}

/** Compute units of what is billed. */
export function cuOf({ calls, computeUnits, twenties }: BilledCalls): number {
  return calls * computeUnits + twenties;
}

/** What is billed at the prices of an hour. */
export function listedCalls(
  billed: BilledCalls,
  operationId: string,
  hourly: Pick<HourPrices, 'operationCu'> | undefined,
): BilledCalls {
  const { computeUnits } = billed;
  return { ...billed, computeUnits: hourly?.operationCu(operationId, computeUnits) ?? computeUnits };
}

/** The lines of usage of what is billed. */
export function usageOf(
  chain: string,
  operationId: string,
  { calls, computeUnits, twenties }: BilledCalls,
): readonly MethodUsage[] {
  const lines = [
    { method: `data/${operationId}`, calls, cu: calls * computeUnits },
    { method: FURTHER_ROWS, calls: twenties, cu: twenties },
  ];
  return lines.filter(({ cu }) => cu > 0).map((line) => ({ chain, ...line, cached: 0, errors: 0 }));
}

/** What one page of a file is billed for, of `due` compute units by its plan: the first one pays for the request as well. */
export function pageCalls(
  { computeUnits }: Pick<OperationPrice, 'computeUnits'>,
  due: number,
  isFirst: boolean,
): BilledCalls {
  return isFirst
    ? { calls: 1, computeUnits, twenties: due - computeUnits }
    : { calls: 0, computeUnits, twenties: due };
}

/** The line of a response that its client has kept. */
export function cachedUsage(chain: string, operationId: string): MethodUsage {
  return { chain, method: `data/${operationId}`, calls: 1, cu: CACHED_CU, cached: 1, errors: 0 };
}

/** Bytes that the price of a number of rows includes. */
export function paidBytes(rows: number): number {
  return Math.max(rows, INCLUDED_ROWS) * BYTES_PER_ROW;
}

/** The sum of two sizes. */
export function added(one: ResponseSize, other: ResponseSize): ResponseSize {
  return { rows: one.rows + other.rows, bytes: one.bytes + other.bytes };
}

/** The smaller of two sizes, in rows and in bytes. */
export function smaller(one: ResponseSize, other: ResponseSize): ResponseSize {
  return { rows: Math.min(one.rows, other.rows), bytes: Math.min(one.bytes, other.bytes) };
}
