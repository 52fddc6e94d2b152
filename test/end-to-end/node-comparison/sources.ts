import { type AnvilCall, callNode } from '../../../local/processes/node-calls.ts';

/** Rows of a page: the most that every list has. */
const PAGE_ROWS = 200;
/** Pages of one list, so that a cursor that leads nowhere ends. */
const MAX_PAGES = 10_000;
const CALLS_AT_ONCE = 50;

export type Row = Readonly<Record<string, unknown>>;

/** The two that are compared. */
export interface Sources {
  /** Base URL of the gateway. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** URL of the node. */
  readonly node: string;
}

interface JsonBody {
  readonly data: unknown;
  readonly next_cursor?: string;
  readonly meta: { readonly as_of_block: number; readonly finalized_block: number };
}

/**
 * An answer of the Data API for the default chain.
 * @throws Error for any status but 200
 */
export async function ask({ baseUrl, apiKey }: Sources, path: string): Promise<JsonBody> {
  const response = await fetch(`${baseUrl}/v1${path}`, { headers: { 'x-api-key': apiKey } });
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${body}`);
  return JSON.parse(body) as JsonBody;
}

/** All rows of a list, page by page. */
export async function rowsOf(sources: Sources, path: string): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor = '';
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const separator = path.includes('?') ? '&' : '?';
    const response = await ask(sources, `${path}${separator}limit=${PAGE_ROWS}${cursor}`);
    rows.push(...(response.data as Row[]));
    if (response.next_cursor === undefined) return rows;
    cursor = `&cursor=${response.next_cursor}`;
  }
  throw new Error(`${path} has more than ${MAX_PAGES} pages`);
}

/** Results of the node, in the order of the calls, however many they are. */
export async function resultsOf({ node }: Sources, calls: readonly AnvilCall[]): Promise<unknown[]> {
  const results: unknown[] = [];
  for (let first = 0; first < calls.length; first += CALLS_AT_ONCE)
    results.push(...(await callNode(node, calls.slice(first, first + CALLS_AT_ONCE))));
  return results;
}

/** A quantity as decimal digits; null where there is none. */
export function decimal(quantity: unknown): string | null {
  return typeof quantity === 'string' ? BigInt(quantity).toString() : null;
}

/** A quantity as a number; null where there is none. */
export function integer(quantity: unknown): number | null {
  return typeof quantity === 'string' ? Number(quantity) : null;
}

/** A time of a block as the Data API writes it. */
export function instant(quantity: unknown): string {
  return new Date(Number(quantity) * 1_000).toISOString().replace('.000Z', 'Z');
}

/** A height as nodes take it. */
export function height(block: number): string {
  return `0x${block.toString(16)}`;
}
