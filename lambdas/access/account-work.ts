import type { WorkQueue } from '../shared/aws/work-queue.ts';
import { inParallel } from '../shared/runtime/in-parallel.ts';
import { errorField } from '../shared/runtime/log.ts';
import { type Bookkeeping, withStoreRetry } from './bookkeeping.ts';
import type { Item, Query } from './store/store.ts';
import { TABLES } from './store/tables.ts';

/** Accounts that one run works at once, over all its slots. */
const ACCOUNTS_AT_ONCE = 64;
/** Time reserved for running accounts and for handing on the rest, in milliseconds. */
const HAND_ON_BEFORE_END_MS = 30_000;

/** What a function that works through accounts works with. */
export interface WorkParts {
  readonly books: Bookkeeping;
  readonly queue: WorkQueue;
  /** Time that is left to this run, in milliseconds. */
  readonly remainingMs: () => number;
}

/** The schedule sends no records; a queue delivers slots that were handed on. */
export interface WorkEvent {
  readonly Records?: readonly { readonly body: string }[];
}

/** One slot of the accounts, from a place on. */
export interface SlotWork {
  /** From 0 on. */
  readonly slot: number;
  /** Sort key after which the work goes on; absent: from the start. */
  readonly after?: string | undefined;
}

/** How fast a run works. */
export interface Pace {
  /** Accounts worked at once, in each slot. */
  readonly accountsAtOnce: number;
  /** Whether it is time to stop: running accounts are finished, no further one is started. */
  readonly outOfTime: () => boolean;
}

/** What became of the work on one slot. */
export interface SlotProgress {
  readonly accounts: number;
  readonly failures: number;
  /** What is left when the time ran out. */
  readonly rest?: SlotWork;
}

/**
 * One run of a function: all its slots, or one that was handed on. Work that does not fit the time goes to the queue,
 * with the number of failed accounts. Rejects at the end if a slot could not be read, or if an account of a finished
 * slot failed, so that the event is retried and then kept.
 */
export async function runSlots(
  { books, queue, remainingMs }: WorkParts,
  event: WorkEvent,
  slots: readonly SlotWork[],
  work: (slot: SlotWork, pace: Pace) => Promise<SlotProgress>,
): Promise<void> {
  const works =
    event.Records?.map(({ body }) => parseWork(body, slots.length)) ??
    slots.map((slot) => ({ ...slot, failures: 0 }));
  const pace: Pace = {
    accountsAtOnce: Math.ceil(ACCOUNTS_AT_ONCE / works.length),
    outOfTime: () => remainingMs() < HAND_ON_BEFORE_END_MS,
  };
  const results = await Promise.allSettled(
    works.map(async (handedOn) => {
      const { accounts, failures, rest } = await work(handedOn, pace);
      const failed = handedOn.failures + failures;
      if (rest === undefined && failed > 0)
        throw new Error(`${failed} accounts of slot ${handedOn.slot} failed`);
      if (rest === undefined) return;
      // Work that came from the queue and was not even begun is not sent round again: it would never end.
      if (event.Records !== undefined && accounts === 0) throw new Error(`slot ${rest.slot} got no time`);
      await queue.send({ ...rest, failures: failed });
      books.telemetry.log('info', 'work_handed_on', { count: accounts });
    }),
  );
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (failures.length > 0) throw new AggregateError(failures, failures.map(errorField).join('; '));
}

/** Reads the body of a queue message. Throws an Error if it is not one of ours. */
export function parseWork(body: string, slots: number): SlotWork & Pick<SlotProgress, 'failures'> {
  const { slot, after, failures } = JSON.parse(body) as Readonly<Record<string, unknown>>;
  if (!isCount(slot) || slot >= slots || !isCount(failures)) throw new Error('the message has no valid slot');
  if (after === undefined) return { slot, failures };
  if (typeof after !== 'string' || after === '') throw new Error('the message has no valid position');
  return { slot, failures, after };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/**
 * Works the accounts of a slot that a query finds, page by page, each with its items of the page. Rejects with
 * `StoreUnavailableError` if the query fails, and with the first error of `work`.
 */
export async function workAccounts(
  { store, pause }: Pick<Bookkeeping, 'store' | 'pause'>,
  { slot, after }: SlotWork,
  { accountsAtOnce, outOfTime }: Pace,
  query: Omit<Query, 'after'>,
  accountOf: (item: Item) => string,
  work: (account: string, items: readonly Item[]) => Promise<void>,
): Promise<Pick<SlotProgress, 'accounts' | 'rest'>> {
  const sortKey = TABLES[query.table].sortKey ?? '';
  const { attribute, value } = query.partition;
  let accounts = 0;
  for (let last = after; ; ) {
    const rest = { slot, ...(last !== undefined && { after: last }) };
    if (outOfTime()) return { accounts, rest };
    const from = last === undefined ? {} : { after: { [attribute]: value, [sortKey]: last } };
    const page = await withStoreRetry(pause, () => store.query({ ...query, ...from }));
    const groups = [...Map.groupBy(page.items, accountOf)];
    const begun = await inParallel(groups, accountsAtOnce, (group) => work(...group), outOfTime);
    accounts += begun;
    const unbegun = groups[begun]?.[1][0];
    if (unbegun !== undefined) {
      // All accounts of the entries before were begun.
      const before = page.items[page.items.indexOf(unbegun) - 1]?.[sortKey];
      return { accounts, rest: before === undefined ? rest : { slot, after: String(before) } };
    }
    if (page.next === undefined) return { accounts };
    last = String(page.next[sortKey]);
  }
}
