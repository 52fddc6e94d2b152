import { withStoreRetries } from '../../../lambdas/access/store/query-items.ts';
import type { Store } from '../../../lambdas/access/store/store.ts';
import { registeredAccounts } from '../../../lambdas/settlement/settlement-ledger.ts';
import { sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import type { Outcome } from './command.ts';
import { renderTable } from './text-table.ts';

/** A list that a command prints, once it is read to its end. */
interface List<Entry> {
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
  readonly entries: AsyncIterable<Entry> | Iterable<Entry>;
  /** An entry for people, as cells under the headings. */
  readonly row: (entry: Entry) => readonly string[];
  /** The last row. @default no further one */
  readonly total?: (entries: readonly Entry[]) => readonly string[];
}

/** Columns by which what is inside stands out, in all JSON that is printed. */
export const JSON_INDENT = 2;
/** Times that a read is begun again, within a second: an operator waits for the list, or for the failure. */
const MAX_RETRIES = 4;

/** The whole list, for programs and for people. Rejects if a part of it cannot be read: a part never passes for the whole. */
export async function listOutcome<Entry>(list: List<Entry>): Promise<Outcome> {
  const entries = await Array.fromAsync(list.entries);
  const json = { ...list.head, [list.name]: entries };
  if (entries.length === 0 && list.empty !== undefined) return { json, text: list.empty };
  const rows = entries.map(list.row);
  if (list.total !== undefined) rows.push(list.total(entries));
  return { json, text: renderTable(list.headings, rows) };
}

/** Ids of all accounts, in their order. */
export async function* accountIds(store: Store): AsyncGenerator<string> {
  for await (const page of registeredAccounts({ store })) yield* page;
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
