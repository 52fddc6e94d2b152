import { queryItems, withStoreRetries } from '../../../lambdas/access/store/query-items.ts';
import type { Store } from '../../../lambdas/access/store/store.ts';
import { ACCOUNT_REGISTRY } from '../../../lambdas/settlement/settlement-ledger.ts';
import { sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import { TextTable } from './text-table.ts';

/** A list of any length, printed page by page while it is read. */
export interface Listing {
  /** Name of the list in the JSON. */
  readonly name: string;
  /** Fields of the JSON before the list. */
  readonly head?: Readonly<Record<string, unknown>>;
  readonly headings: readonly string[];
  /**
   * Text that is printed in place of an empty table.
   * @default the headings
   */
  readonly empty?: string;
  readonly pages: AsyncIterable<ListedPage>;
}

/** Some entries of a list, for programs and for people. */
export interface ListedPage {
  readonly items: readonly unknown[];
  readonly rows: readonly (readonly string[])[];
  /** Arguments that list what comes behind this page, such as `--after acme`. */
  readonly goOn?: string;
}

/** A list of which some pages were printed and the next one could not be read: that is the cause. */
export class UnfinishedListError extends Error {
  override readonly name = 'UnfinishedListError';
  /** Arguments that list the rest, where the command has some. */
  readonly goOn: string | undefined;

  constructor(goOn: string | undefined, cause: unknown) {
    super('the list is incomplete', { cause });
    this.goOn = goOn;
  }
}

/** Columns by which what is inside stands out, in all JSON that is printed. */
export const JSON_INDENT = 2;
const ITEM_INDENT = ' '.repeat(2 * JSON_INDENT);
/** Times that a read is begun again, within a second: an operator waits for the list, or for the failure. */
const MAX_RETRIES = 4;
const ACCOUNTS_PER_READ = 100;
/** How the JSON of an object ends whose last field is an empty list. */
const EMPTY_LIST_END = '[]\n}';

/** The lines for people, page by page. Rejects with {@link UnfinishedListError}, or as the first page does. */
export async function* listingText(listing: Listing): AsyncGenerator<string> {
  const table = new TextTable(listing.headings);
  let begun = false;
  for await (const { rows } of pagesOf(listing)) {
    if (rows.length === 0) continue;
    yield `${table.render(rows)}\n`;
    begun = true;
  }
  if (!begun) yield `${listing.empty ?? table.render([])}\n`;
}

/**
 * One JSON object, page by page, to the letter as if it was written at once. A partial one is not JSON, so it
 * cannot pass for the whole. Rejects as {@link listingText} does.
 */
export async function* listingJson(listing: Listing): AsyncGenerator<string> {
  const empty = JSON.stringify({ ...listing.head, [listing.name]: [] }, undefined, JSON_INDENT);
  let begun = false;
  for await (const { items } of pagesOf(listing)) {
    if (items.length === 0) continue;
    const before = begun ? ',\n' : `${empty.slice(0, -EMPTY_LIST_END.length)}[\n`;
    yield before + items.map(listedJson).join(',\n');
    begun = true;
  }
  yield begun ? `\n${' '.repeat(JSON_INDENT)}]\n}\n` : `${empty}\n`;
}

/** Ids of all accounts, in their order. */
export async function* accountIds(store: Store): AsyncGenerator<string> {
  const partition = { attribute: 'account', value: ACCOUNT_REGISTRY };
  const entries = queryItems({ store }, { table: 'ledger', partition, limit: ACCOUNTS_PER_READ });
  for await (const { record } of entries) yield String(record);
}

/** What comes one by one, in pages of `size`; the last one may be smaller. */
export async function* inPages<T>(entries: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[]> {
  let page: T[] = [];
  for await (const entry of entries) {
    page.push(entry);
    if (page.length < size) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** A page of entries, and behind which id the next one is. */
interface PageOf<Entry> {
  readonly entries: readonly Entry[];
  readonly next?: string | undefined;
}

/** What is read page by page, from an id on, as a list that `--after` continues with. */
export async function* pagesAfter<Entry>(
  after: string | undefined,
  read: (after: string | undefined) => Promise<PageOf<Entry>>,
  row: (entry: Entry) => string[],
): AsyncGenerator<ListedPage> {
  let next = after;
  do {
    const page = await read(next);
    next = page.next;
    yield {
      items: page.entries,
      rows: page.entries.map(row),
      ...(next !== undefined && { goOn: `--after ${next}` }),
    };
  } while (next !== undefined);
}

async function* pagesOf({ pages }: Listing): AsyncGenerator<ListedPage> {
  let printed: ListedPage | undefined;
  try {
    for await (const page of pages) {
      yield page;
      printed = page;
    }
  } catch (error) {
    throw printed === undefined ? error : new UnfinishedListError(printed.goOn, error);
  }
}

function listedJson(item: unknown): string {
  return ITEM_INDENT + JSON.stringify(item, undefined, JSON_INDENT).replaceAll('\n', `\n${ITEM_INDENT}`);
}

/** The store, with each read begun again when it fails: a list of many pages should not end with one time-out. */
export function retriedReads(store: Store): Store {
  return {
    get: (table, key, options) => readPatiently(() => store.get(table, key, options)),
    query: (query) => readPatiently(() => store.query(query)),
    put: (put) => store.put(put),
    update: (update) => store.update(update),
    delete: (target) => store.delete(target),
    transact: (actions) => store.transact(actions),
  };
}

function readPatiently<Result>(work: () => Promise<Result>): Promise<Result> {
  let failures = 0;
  const giveUp = () => {
    failures += 1;
    return failures > MAX_RETRIES;
  };
  return withStoreRetries({ pause: sleep, giveUp }, work);
}
