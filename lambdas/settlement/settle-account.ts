import { type AccountItem, damagedAccount, readAccountItem } from '../access/accounts/account-item.ts';
import { sumLanes, UnreadableHour } from '../access/accounts/lane-hours.ts';
import type { LaneRange } from '../access/accounts/read-lanes.ts';
import { entryOf, mayTakeOff, slotOf, type UnsettledHour } from '../access/charge/lane.ts';
import { withStoreRetries } from '../access/store/query-items.ts';
import { isStoreUnavailable } from '../access/store/store.ts';
import { AFTER_ALL } from '../access/store/tables.ts';
import { hourAfter } from '../shared/runtime/clock.ts';
import type { SettlementBooks } from './evidence.ts';
import { type HourLeaves, hourLeaves, packPart, ShardLeaves } from './hour-leaves.ts';
import { type KeyRange, lastRecords, type SettlementRecord, statementOf } from './settlement-ledger.ts';
import {
  dueHours,
  isClosed,
  knowsRecords,
  nextRecord,
  nextStep,
  type SettlementScope,
  type SettlementState,
} from './settlement-step.ts';

/** Times in a row that another settlement comes between and closes no hour, before the account is left. */
const MAX_REFUSALS = 64;
/** Sorts before every hour. */
const FIRST_HOUR = '0';
const SALT_BYTES = 16;

/** An entry of the work list, as it was read. */
export interface MarkedHour extends UnsettledHour {
  readonly mark: string;
}

/** How an account is settled. */
interface AccountScope {
  /** @default every closed hour */
  readonly scope?: SettlementScope;
  /** Whether it is time to stop. @default never */
  readonly outOfTime?: () => boolean;
}

/** What became of the settlement of an account. */
interface AccountOutcome {
  /** Records that are sure to be written: one whose write was not acknowledged is written once, but not among them. */
  readonly records: readonly SettlementRecord[];
  /** Why an hour, or all that was left, could not be settled: the first reason. */
  readonly failure: unknown;
  /** Marked hours that could not be settled, or for which there was no time. */
  readonly rest: readonly MarkedHour[];
}

/**
 * Settles the due hours of one account, oldest first: an hour is read, its record written, and the next one read. What
 * is written stays, whatever comes next; an hour that cannot be read stays open, and younger ones get their records.
 * Marked hours leave the work list if they are closed and have nothing new, once no lane of them can be on its way. It
 * may be repeated, run at once with itself, or stopped between any two writes.
 *
 * The failure is a `StoreUnavailableError`, or an Error if the account item is gone or older than its ledger, changed at
 * every attempt, or if an hour cannot be read.
 */
export async function settleAccount(
  books: SettlementBooks,
  account: string,
  marks: readonly MarkedHour[],
  { scope = {}, outOfTime = () => false }: AccountScope = {},
): Promise<AccountOutcome> {
  const run = new AccountRun(books, account, marks, { scope, outOfTime });
  await run.settle().catch((error) => run.fail(error));
  return run;
}

/** One settlement of an account. */
class AccountRun implements AccountOutcome {
  readonly records: SettlementRecord[] = [];
  failure: unknown;
  readonly #books: SettlementBooks & { readonly giveUp: () => boolean };
  readonly #account: string;
  readonly #marks: readonly MarkedHour[];
  readonly #scope: SettlementScope;
  readonly #nowMs: number;
  /** Hours before this one are done. */
  #from = FIRST_HOUR;
  /** Hours that had something new. */
  readonly #changed = new Set<string>();
  /** Hours that could not be read, or not be written. */
  readonly #failed = new Set<string>();

  constructor(
    books: SettlementBooks,
    account: string,
    marks: readonly MarkedHour[],
    { scope, outOfTime }: Required<AccountScope>,
  ) {
    this.#books = { ...books, giveUp: outOfTime };
    this.#account = account;
    this.#marks = marks;
    this.#scope = scope;
    this.#nowMs = books.clock.now();
  }

  get rest(): readonly MarkedHour[] {
    return this.#marks.filter(({ hour }) => hour >= this.#from || this.#failed.has(hour));
  }

  fail(error: unknown): void {
    this.failure ??= error;
  }

  async settle(): Promise<void> {
    await this.#settleHours();
    for (const { mark, ...hour } of this.#marks) {
      if (this.#books.giveUp()) return;
      if (!this.#hasNothingNew(hour.hour) || !mayTakeOff(mark, this.#nowMs)) continue;
      const key = { slot: slotOf(hour), entry: entryOf(hour) };
      const when = [{ is: '=', attribute: 'mark', value: mark }] as const;
      await withStoreRetries(this.#books, () => this.#books.store.delete({ table: 'unsettled', key, when }));
    }
  }

  /** Whether an hour is closed, was read whole, and had nothing that its records do not say. */
  #hasNothingNew(hour: string): boolean {
    const isRead = hour < this.#from && !this.#failed.has(hour);
    return isRead && !this.#changed.has(hour) && isClosed(hour, this.#nowMs);
  }

  async #settleHours(): Promise<void> {
    let before: AccountItem | undefined;
    for (let refusals = 0; refusals < MAX_REFUSALS; refusals += 1) {
      const { account, records } = await this.#readBooks();
      // If it is as it was, no other settlement came between: there is a record that it does not know of.
      if (account.settled === before?.settled && account.openFrom === before.openFrom) {
        throw damagedAccount(account.account, 'older than its ledger');
      }
      const state = { account, records, unread: FIRST_HOUR };
      if (knowsRecords(state) && (await this.#settleFrom(state))) return;
      if (account.openFrom !== before?.openFrom) refusals = 0;
      before = account;
    }
    throw new Error(`account ${this.#account} changed at each of ${MAX_REFUSALS} attempts to settle it`);
  }

  /** Reads the account, then the last records of late hours, and of open ones if it knows of some. */
  async #readBooks(): Promise<Pick<SettlementState, 'account' | 'records'>> {
    const id = this.#account;
    const item = await withStoreRetries(this.#books, () =>
      this.#books.store.get('accounts', { account: id }),
    );
    if (item === undefined) throw damagedAccount(id, 'gone');
    const account = readAccountItem(item);
    const { openFrom, settled, closed } = account;
    const open = settled === closed ? [] : [{ from: openFrom, to: AFTER_ALL }];
    const records = new Map<string, SettlementRecord>();
    for (const { from, to } of [...this.#lateHours(account), ...open]) {
      for await (const last of lastRecords(this.#books, id, { fromHour: from, toHour: to })) {
        records.set(last.hour, last);
      }
    }
    return { account, records };
  }

  /** Marked hours before those that are due anyway. */
  #lateHours({ openFrom }: AccountItem): KeyRange[] {
    const firstDue = dueHours(openFrom, this.#nowMs, this.#scope)?.from ?? openFrom;
    const hours = this.#marks.map(({ hour }) => hour).filter((hour) => hour < firstDue);
    return [...new Set(hours)].sort().map((hour) => ({ from: hour, to: hour }));
  }

  /**
   * Reads and settles one hour after the other, from where the run is; resolves to whether all writes were applied. All
   * lanes are read after the account item: no lane is older than what is known of it to be settled.
   */
  async #settleFrom(read: SettlementState): Promise<boolean> {
    const { account } = read;
    const due = dueHours(account.openFrom, this.#nowMs, this.#scope);
    let state: SettlementState | undefined = read;
    for (const range of [...this.#lateHours(account), ...(due ? [due] : [])]) {
      for await (const hour of this.#readHours(account, range)) {
        if (this.#from > FIRST_HOUR && this.#books.giveUp()) return this.#close(state);
        state = await this.#settleHour(state, hour);
        if (state === undefined) return false;
        this.#from = hourAfter(hour.hour);
      }
      if (this.#from <= range.to) this.#from = hourAfter(range.to);
    }
    return this.#close(state);
  }

  /** The hours of a range from where the run is; one that cannot be read is named, and those after it follow. */
  async *#readHours(
    { shards, account }: AccountItem,
    { from, to }: KeyRange,
  ): AsyncGenerator<HourLeaves | UnreadableHour> {
    const marked = this.#marks.map(({ shard }) => shard + 1);
    const range: Omit<LaneRange, 'fromHour'> = { account, shards: Math.max(shards, ...marked), toHour: to };
    for (let fromHour = from < this.#from ? this.#from : from; fromHour <= to; ) {
      try {
        const newSink = (shard: number, hour: string) => new ShardLeaves(shard, hour);
        for await (const sum of sumLanes(this.#books, { ...range, fromHour }, newSink))
          yield hourLeaves(account, sum);
        return;
      } catch (error) {
        if (!(error instanceof UnreadableHour)) throw error;
        yield error;
        fromHour = hourAfter(error.hour);
      }
    }
  }

  /** Writes what an hour has more than its records; resolves to what is known then, or undefined if it was refused. */
  async #settleHour(
    before: SettlementState,
    hour: HourLeaves | UnreadableHour,
  ): Promise<SettlementState | undefined> {
    try {
      if (hour instanceof UnreadableHour) throw hour;
      const state = { ...before, unread: this.#firstUnread(before, hourAfter(hour.hour)) };
      const last = state.records.get(hour.hour);
      const missing = (last?.total_cu ?? 0n) - hour.cu;
      if (missing > 0n) {
        const lost = { account: this.#account, hour: hour.hour, cu: Number(missing) };
        this.#books.telemetry.log('warn', 'lanes_behind_ledger', lost);
      }
      if (missing >= 0n) return state;
      return await this.#write(state, await this.#newRecord(state.account, hour, last));
    } catch (error) {
      if (isStoreUnavailable(error)) throw error;
      this.#failed.add(hour.hour);
      this.fail(error);
      return before;
    }
  }

  /** The record of what is new in an hour. What it adds up is kept before it is written, if it can be. */
  async #newRecord(
    account: AccountItem,
    hour: HourLeaves,
    last: SettlementRecord | undefined,
  ): Promise<SettlementRecord> {
    const { leaves, randomBytes } = this.#books.evidence;
    const salt = Buffer.from(randomBytes(SALT_BYTES)).toString('hex');
    const record = nextRecord(account, hour, last, { nowMs: this.#nowMs, salt });
    const kept = { statement: statementOf(record), used: record.used };
    const frozen = await leaves.freeze(packPart(kept, hour.bytes()));
    return { ...record, ...(frozen && { frozen }) };
  }

  /** The hour from which on nothing may be closed, where all lanes before another one were read. */
  #firstUnread({ account }: SettlementState, unread: string): string {
    const failed = [...this.#failed].filter((hour) => hour >= account.openFrom);
    return [...failed, unread].sort()[0] ?? unread;
  }

  /** Closes the hours that were read and had nothing new; resolves to whether it was applied. */
  async #close(state: SettlementState): Promise<boolean> {
    return (await this.#write({ ...state, unread: this.#firstUnread(state, this.#from) })) !== undefined;
  }

  async #write(state: SettlementState, record?: SettlementRecord): Promise<SettlementState | undefined> {
    const next = nextStep(state, record, this.#scope, this.#nowMs);
    if (next === undefined) return state;
    if (record !== undefined) this.#changed.add(record.hour);
    const { applied } = await withStoreRetries(this.#books, () => this.#books.store.transact(next.actions));
    if (!applied) return undefined;
    if (record !== undefined) this.records.push(record);
    return next.after;
  }
}
