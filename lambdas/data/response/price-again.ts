import type { HttpResponse, PriceBounds } from 'gateway-access';
import { listedPrice, type PriceList } from '../../shared/bill/price-list.ts';
import { type DataOperationId, OPERATIONS } from '../operations/operations.ts';

/** Written a second time here: rows that a price includes, and for how many more one compute unit pays. */
const INCLUDED_ROWS = 100;
const ROWS_PER_CU = 20;
const BYTES_PER_ROW = 1_000;
const FREE: PriceBounds = { least: 0, most: 0 };
const OK = 200;
const NOT_MODIFIED = 304;
/** It is of no blocks, so an empty one is an answer. */
const CHAIN_LIST = 'listChains';
const DATA_START = '{"data":';
const META_START = ',"meta":{';

/** What a client reads of a response. */
interface Envelope {
  readonly data: unknown;
  readonly meta: { readonly coverage: string };
}

/** An operation of the Data API, and what it was answered. */
interface AnsweredOperation extends Pick<HttpResponse, 'statusCode' | 'body'> {
  readonly operationId: DataOperationId;
}

/**
 * The price of a response by a list and by nothing of the code that bills. Of a list it is one amount unless its rows are long,
 * and of one object unless that is long, or has a long list within.
 */
export function dataPrice(
  { operationId, statusCode, body }: AnsweredOperation,
  list: PriceList,
): PriceBounds {
  if (statusCode === NOT_MODIFIED) return { least: 0, most: list.cached };
  if (statusCode !== OK) return FREE;
  const text = String(body);
  const { data, meta } = JSON.parse(text) as Envelope;
  const cu = listedPrice(list, `data/${operationId}`) ?? Number.NaN;
  const isPerItem = OPERATIONS[operationId].perItem !== undefined;
  const items = Array.isArray(data) ? data : undefined;
  const rows = isPerItem ? (items ?? []).filter(isFound).length : (items?.length ?? (data === null ? 0 : 1));
  if (rows === 0 && meta.coverage === 'none' && operationId !== CHAIN_LIST) return FREE;
  if (isPerItem) return exactly(Math.max(rows, 1) * cu);
  const bytes = Buffer.byteLength(text.slice(DATA_START.length, text.lastIndexOf(META_START)));
  const most = Math.max(rows, ...(items === undefined ? listLengths(data) : []), bytes / BYTES_PER_ROW);
  return { least: cu + twenties(rows), most: cu + twenties(most) };
}

/** The twenties of rows beyond those that are included. */
function twenties(rows: number): number {
  return Math.ceil(Math.max(Math.ceil(rows) - INCLUDED_ROWS, 0) / ROWS_PER_CU);
}

function exactly(cu: number): PriceBounds {
  return { least: cu, most: cu };
}

/** An item that was not found has an error in its place. */
function isFound(item: { readonly error?: unknown }): boolean {
  return (item.error ?? null) === null;
}

function listLengths(data: unknown): number[] {
  return Object.values(data ?? {}).map((value) => (Array.isArray(value) ? value.length : 0));
}
