import { type Bookkeeping, retried } from './bookkeeping.ts';
import { inParallel } from './in-parallel.ts';
import { settleAccount } from './settle-account.ts';
import { lastClosedHour, type SettlementScope } from './settlement-hours.ts';
import type { SettlementRecord } from './settlement-record.ts';
import type { Item, Page, Store } from './store.ts';
import { PENDING_ACCOUNTS_INDEX, PENDING_SHARDS } from './tables.ts';

const ACCOUNTS_PER_PAGE = 100;

/** A place in one partition of the pending index. */
export interface PendingPosition {
  readonly hour: string;
  readonly account: string;
}

/** One partition of the pending index, from a position on. */
export interface ShardWork {
  /** 0 to 15. */
  readonly shard: number;
  /** Last position already worked; absent: from the start. */
  readonly after?: PendingPosition;
}

/** Accounts as they were some time ago, as far as they could be read. */
export type ReadAhead = (accounts: readonly string[]) => Promise<ReadonlyMap<string, Item>>;

/** How a run works and whom it tells. */
export interface SettlementRun {
  readonly scope: SettlementScope;
  /** Accounts worked at once, in each partition. */
  readonly accountsAtOnce: number;
  /** Whether it is time to stop: accounts that were begun are ended, no further one is begun. */
  readonly outOfTime: () => boolean;
  /** @default - each account is read by itself */
  readonly readAhead?: ReadAhead;
  readonly settled: (records: readonly SettlementRecord[]) => void;
  readonly failed: (account: string, error: unknown) => void;
}

/** What became of the work on one partition. */
export interface ShardProgress {
  readonly accounts: number;
  readonly failures: number;
  /** What is left when the time ran out. */
  readonly rest?: ShardWork;
}

/** Every partition of the pending index, from its start. */
export const ALL_SHARDS: readonly ShardWork[] = Array.from({ length: PENDING_SHARDS }, (_, shard) => ({
  shard,
}));

/**
 * Settles the accounts of one partition that have a due hour, page by page. The index only says whom to look
 * at: it may lag behind, so each account is read as well. An account that fails does not stop the others.
 * Rejects with `StoreUnavailableError` if the index cannot be read.
 */
export async function settlePendingShard(
  books: Bookkeeping,
  work: ShardWork,
  run: SettlementRun,
): Promise<ShardProgress> {
  let accounts = 0;
  let failures = 0;
  let after = work.after;
  let known: ReadonlyMap<string, Item> = new Map();
  const settle = async ({ account }: PendingPosition) => {
    try {
      run.settled(await settleAccount(books, account, run.scope, known.get(account)));
    } catch (error) {
      failures += 1;
      run.failed(account, error);
    }
  };
  const { store, clock, pause } = books;
  for (;;) {
    const left = shardWork(work.shard, after);
    if (run.outOfTime()) return { accounts, failures, rest: left };
    const page = await retried(pause, () => readPage(store, left, clock.now(), run.scope));
    const positions = page.items.map(toPosition);
    known = (await run.readAhead?.(positions.map(({ account }) => account))) ?? known;
    const begun = await inParallel(positions, run.accountsAtOnce, settle, run.outOfTime);
    accounts += begun;
    if (begun < positions.length) {
      return { accounts, failures, rest: shardWork(work.shard, positions[begun - 1] ?? after) };
    }
    if (page.next === undefined) return { accounts, failures };
    after = toPosition(page.next);
  }
}

function readPage(
  store: Store,
  { shard, after }: ShardWork,
  nowMs: number,
  scope: SettlementScope,
): Promise<Page> {
  return store.query({
    table: 'accounts',
    index: PENDING_ACCOUNTS_INDEX.name,
    partition: { attribute: PENDING_ACCOUNTS_INDEX.partitionKey, value: BigInt(shard) },
    ...dueRange(nowMs, scope),
    limit: ACCOUNTS_PER_PAGE,
    ...(after && { after: toIndexKey(shard, after) }),
  });
}

/**
 * An account may also hold usage of an hour before its position (a late charge), or, when one hour is asked for,
 * after it: such runs look at the whole partition.
 */
function dueRange(nowMs: number, scope: SettlementScope) {
  if (scope.force === true || scope.hour !== undefined) return {};
  return { sort: { attribute: PENDING_ACCOUNTS_INDEX.sortKey, to: lastClosedHour(nowMs) } };
}

function shardWork(shard: number, after: PendingPosition | undefined): ShardWork {
  return after === undefined ? { shard } : { shard, after };
}

function toPosition(item: Item): PendingPosition {
  return { hour: String(item[PENDING_ACCOUNTS_INDEX.sortKey]), account: String(item.account) };
}

function toIndexKey(shard: number, { hour, account }: PendingPosition): Item {
  return {
    [PENDING_ACCOUNTS_INDEX.partitionKey]: BigInt(shard),
    [PENDING_ACCOUNTS_INDEX.sortKey]: hour,
    account,
  };
}
