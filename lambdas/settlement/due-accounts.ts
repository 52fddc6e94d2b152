import type { Bookkeeping } from '../access/account-work.ts';
import { entryOf, parseEntry, slotName } from '../access/charge/lane.ts';
import { queryItems } from '../access/store/query-items.ts';
import type { Item } from '../access/store/store.ts';
import { AFTER_ALL, UNSETTLED_SLOTS } from '../access/store/tables.ts';
import type { MarkedHour } from './settle-account.ts';
import { dueHours, type SettlementScope } from './settlement-step.ts';

const ENTRIES_PER_PAGE = 500;
/** Entries of one slot that are held at once: over all slots, some 60 MB. */
const ENTRIES_PER_ROUND = 4_000;
/** Entries of one message, of at most 120 bytes each: SQS takes 256 KiB. */
const ENTRIES_PER_MESSAGE = 1_000;
/** Sorts before every hour. */
const FIRST_HOUR = '0';

/** The marked hours of one account, of all its shards. */
export type DueAccount = readonly [MarkedHour, ...MarkedHour[]];

/**
 * The accounts that have due hours on the work list, each with all of them, though its shards are in several slots. What
 * one round cannot hold comes in the next, which may name an account again.
 *
 * A slot that cannot be read does not hold the others: rejects with its `StoreUnavailableError` at the end.
 */
export async function* dueAccounts(
  { store, pause, clock }: Pick<Bookkeeping, 'store' | 'pause' | 'clock'>,
  scope: SettlementScope,
): AsyncGenerator<DueAccount[]> {
  const due = dueHours(FIRST_HOUR, clock.now(), scope);
  if (due === undefined) return;
  const sort = { attribute: 'entry', from: due.from, to: `${due.to}#${AFTER_ALL}` };
  let slots = Array.from({ length: UNSETTLED_SLOTS }, (_, slot) =>
    queryItems(
      { store, pause },
      {
        table: 'unsettled',
        partition: { attribute: 'slot', value: slotName(slot) },
        sort,
        limit: ENTRIES_PER_PAGE,
      },
    ),
  );
  const failures: unknown[] = [];
  while (slots.length > 0) {
    const taken = await Promise.all(slots.map((slot) => take(slot, failures)));
    yield byAccount(taken.flat());
    slots = slots.filter((_, place) => taken[place]?.length === ENTRIES_PER_ROUND);
  }
  if (failures.length > 0) throw failures[0];
}

/** Bodies of queue messages that together name some accounts; of what is very much, the oldest hours. */
export function toMessages(accounts: readonly DueAccount[]): object[] {
  const messages: { entries: (readonly [string, string])[] }[] = [];
  for (const marks of accounts) {
    const entries = marks.slice(0, ENTRIES_PER_MESSAGE).map((hour) => [entryOf(hour), hour.mark] as const);
    const last = messages.at(-1);
    if (last === undefined || last.entries.length + entries.length > ENTRIES_PER_MESSAGE)
      messages.push({ entries });
    else last.entries.push(...entries);
  }
  return messages;
}

/** Reads the body of a queue message. Throws an Error if it is not one of ours. */
export function parseMessage(body: string): DueAccount[] {
  const { entries } = JSON.parse(body) as { readonly entries?: unknown };
  if (!Array.isArray(entries) || entries.length === 0) throw new Error('the message names no accounts');
  return byAccount(
    entries.map((pair: unknown) => {
      const [entry, mark] = Array.isArray(pair) ? pair : [];
      if (typeof mark !== 'string') throw new Error('the message has an entry without a mark');
      return toMark({ entry, mark });
    }),
  );
}

/** Takes the entries of a round; fewer: there are no more, or the rest cannot be read. */
async function take(items: AsyncGenerator<Item>, failures: unknown[]): Promise<MarkedHour[]> {
  const marks: MarkedHour[] = [];
  try {
    while (marks.length < ENTRIES_PER_ROUND) {
      const { value, done } = await items.next();
      if (done === true) break;
      marks.push(toMark(value));
    }
  } catch (failure) {
    failures.push(failure);
  }
  return marks;
}

function byAccount(marks: readonly MarkedHour[]): DueAccount[] {
  const accounts = Map.groupBy(marks, ({ account }) => account);
  return [...accounts.values()].flatMap(([first, ...others]) => (first ? [[first, ...others]] : []));
}

function toMark({ entry, mark }: Item): MarkedHour {
  return { ...parseEntry(String(entry)), mark: String(mark) };
}
