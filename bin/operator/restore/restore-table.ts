import { type RetryPolicy, withStoreRetries } from '../../../lambdas/access/store/query-items.ts';
import type { Item, Key, Store } from '../../../lambdas/access/store/store.ts';
import type { Table } from '../../../lambdas/access/store/tables.ts';
import type { Clock } from '../../../lambdas/shared/runtime/clock.ts';
import { inParallel } from '../../../lambdas/shared/runtime/in-parallel.ts';
import type { Sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import { MAX_KEYS_AT_ONCE, type TableReader } from './table-reader.ts';
import { differingAttributes, hasExpired, keyOf, RESTORE_RULES, verdictOn } from './table-rules.ts';

/** Parts in which a table is read at once. */
const SEGMENTS = 8;
/** Writes at once in a segment: with those of all segments, fewer than the connections of one client. */
const WRITES_AT_ONCE = 6;
/** Times that the gateway may raise an item between a look at it and the write of an older state of it. */
const ATTEMPTS = 5;
/** Most differences that are named. */
const MAX_NAMED_DIFFERENCES = 20;
/** Time between two reports of progress, in milliseconds. */
const REPORT_EVERY_MS = 5_000;

/** Items of a restored table by what became of them. */
export interface RestoreCounts {
  read: number;
  /** The stage has none; in a dry run they would be put. */
  absent: number;
  /** The stage has an older one; in a dry run it would be replaced. */
  older: number;
  /** The stage has the same. */
  present: number;
  /** The stage has a newer one, which stays. */
  newer: number;
  /** DynamoDB would delete them at once: left out. */
  expired: number;
  /** The stage has another, and no rule says which one is true: it stays. */
  differing: number;
}

/** An item of the stage that is neither the restored one nor older or newer by the rule of its table. */
export interface Difference {
  readonly key: Key;
  /** Attributes that are not the same. */
  readonly attributes: readonly string[];
}

export interface RestoreRun {
  readonly table: Table;
  /** Physical names of the restored table, and of the stage's. */
  readonly from: string;
  readonly to: string;
  readonly reader: TableReader;
  /** Takes the items. */
  readonly store: Store;
  /** Writes nothing. */
  readonly dryRun: boolean;
  readonly clock: Clock;
  readonly pause: Sleep;
  /** Called now and then with how far the run has come. */
  readonly report: (counts: RestoreCounts) => void;
}

/** The outcome for one item. */
type Outcome = Exclude<keyof RestoreCounts, 'read'>;

/**
 * Copies what the stage's table lacks from a restored table, by the rule of the table: a conditional put for each item, as
 * the gateway itself writes, so it may run while requests are served, be interrupted anywhere and be repeated.
 *
 *   restored   segment 0 ─ page ─ page ─ ...   what the stage has of a page is read at once: what is there costs no write
 *              segment 7 ─ page ─ ...          a page is done when all of it is put; then it is counted
 *
 * Resolves to the counts and the differences, the first {@link MAX_NAMED_DIFFERENCES} of them. Rejects with
 * `StoreUnavailableError` for a failure that does not end by itself; everything before is kept.
 */
export async function restoreTable(
  run: RestoreRun,
): Promise<{ readonly counts: RestoreCounts; readonly differences: readonly Difference[] }> {
  const counts = { read: 0, absent: 0, older: 0, present: 0, newer: 0, expired: 0, differing: 0 };
  const differences: Difference[] = [];
  const failure = new AbortController();
  let reportedMs = run.clock.now();
  const patience = {
    pause: (pauseMs: number) => run.pause(pauseMs, failure.signal),
    giveUp: () => failure.signal.aborted,
  };
  const copying: Copying = { run, patience, signal: failure.signal, counts, differences };
  const copyPages = async (segment: number): Promise<void> => {
    let after: Key | undefined;
    do {
      const page = await withStoreRetries(patience, () =>
        run.reader.scan({
          table: run.from,
          segment,
          segments: SEGMENTS,
          after,
          limit: MAX_KEYS_AT_ONCE,
        }),
      );
      await copyItems(copying, page.items);
      after = page.next && keyOf(run.table, page.next);
      if (run.clock.now() - reportedMs < REPORT_EVERY_MS) continue;
      reportedMs = run.clock.now();
      run.report(counts);
    } while (after !== undefined && !failure.signal.aborted);
  };
  const segments = Array.from({ length: SEGMENTS }, (_, segment) =>
    copyPages(segment).catch((error: unknown) => {
      // One failure ends the run: the other segments stop waiting and finish their pages at most.
      failure.abort();
      throw error;
    }),
  );
  const ended = await Promise.allSettled(segments);
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return { counts, differences };
}

/** The values that all pages of a run share. */
interface Copying {
  readonly run: RestoreRun;
  readonly patience: RetryPolicy;
  /** Aborted once one page has failed. */
  readonly signal: AbortSignal;
  /** Items of the pages that are done. */
  readonly counts: RestoreCounts;
  /** Collects what differs. */
  readonly differences: Difference[];
}

/** Copies the items of one page, and counts them when each is done. */
async function copyItems(
  { run, patience, signal, counts, differences }: Copying,
  items: readonly Item[],
): Promise<void> {
  const stored = await storedItems(run, patience, items);
  const outcomes: Outcome[] = [];
  const copy = async (item: Item): Promise<void> => {
    const key = keyOf(run.table, item);
    const { outcome, stands } = await copyItem(run, patience, item, stored.get(nameOf(key)));
    outcomes.push(outcome);
    if (outcome !== 'differing' || differences.length >= MAX_NAMED_DIFFERENCES) return;
    differences.push({ key, attributes: differingAttributes(stands ?? {}, item) });
  };
  await inParallel(items, WRITES_AT_ONCE, copy, () => signal.aborted);
  signal.throwIfAborted();
  counts.read += items.length;
  for (const outcome of outcomes) counts[outcome] += 1;
}

/** The stage's version of some items, by their keys. */
async function storedItems(
  { table, to, reader }: RestoreRun,
  patience: RetryPolicy,
  items: readonly Item[],
): Promise<ReadonlyMap<string, Item>> {
  const stored = new Map<string, Item>();
  let keys: readonly Key[] = items.map((item) => keyOf(table, item));
  while (keys.length > 0) {
    const wanted = keys;
    const { items: found, left } = await withStoreRetries(patience, () => reader.getMany(to, wanted));
    for (const item of found) stored.set(nameOf(keyOf(table, item)), item);
    // Keys are left out where the table is throttled; fewer each time.
    keys = left;
  }
  return stored;
}

/** Puts one item where it may be. `stored`: what the stage has of it, as last seen. */
async function copyItem(
  run: RestoreRun,
  patience: RetryPolicy,
  item: Item,
  stored: Item | undefined,
): Promise<{ readonly outcome: Outcome; readonly stands?: Item | undefined }> {
  const { table, store, dryRun, clock } = run;
  if (stored === undefined && hasExpired(table, item, clock.now())) return { outcome: 'expired' };
  let stands = stored;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const verdict = stands === undefined ? 'absent' : verdictOn(table, stands, item);
    if (verdict === 'same') return { outcome: 'present' };
    if (verdict === 'newer' || verdict === 'differing') return { outcome: verdict, stands };
    if (dryRun) return { outcome: verdict };
    const put = { table, item, when: RESTORE_RULES[table].when(item) };
    const result = await withStoreRetries(patience, () => store.put(put));
    // A put whose response was lost is refused by itself when it is repeated: then the item stands as it is to be.
    if (result.applied || (result.item !== undefined && verdictOn(table, result.item, item) === 'same'))
      return { outcome: verdict };
    stands = result.item;
  }
  return { outcome: 'differing', stands };
}

function nameOf(key: Key): string {
  return JSON.stringify(Object.entries(key).sort());
}
