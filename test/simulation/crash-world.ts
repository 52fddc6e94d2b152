import { auditAccounts } from '../../lambdas/access/audit.ts';
import type { Bookkeeping } from '../../lambdas/access/bookkeeping.ts';
import { decodeCharge } from '../../lambdas/access/charge-message.ts';
import { type Item, type Store, StoreUnavailableError, type Update } from '../../lambdas/access/store.ts';
import type { Table } from '../../lambdas/access/tables.ts';
import { applyCharges } from '../../lambdas/charges/handler.ts';
import type { Clock } from '../../lambdas/clock.ts';
import { runSettlement } from '../../lambdas/settlement/handler.ts';
import { MemoryStore } from './memory-store.ts';

/** Where a process dies: around its n-th call to the outside, counted from 0. */
export interface CrashPoint {
  readonly call: number;
  readonly when: 'before' | 'after';
}

/** What happens to an update of the store, where it is not just carried out. */
export type UpdateFault = 'throttled' | 'request lost' | 'answer lost';

const ALL_THE_TIME_MS = 300_000;
const START_MS = Date.UTC(2026, 10, 20, 9, 30);
const DAY_MS = 24 * 3_600_000;
const ACCOUNTS_AT_ONCE = 4;
const BILLING_UNIT_CU = 1_000n;

/** One life of a process: every call to the outside goes through {@link call}, and the life may end around one. */
export class Life {
  calls = 0;
  readonly died: Promise<'died'>;
  readonly #point: CrashPoint | undefined;
  readonly #die: (died: 'died') => void;
  #dead = false;

  constructor(point?: CrashPoint) {
    const { promise, resolve } = Promise.withResolvers<'died'>();
    this.#point = point;
    this.died = promise;
    this.#die = resolve;
  }

  /** Makes a call. A call of a process that is dead is not made, and one that it dies after is not answered. */
  async call<T>(make: () => Promise<T>): Promise<T> {
    const place = this.calls;
    this.calls += 1;
    const ends = this.#point?.call === place ? this.#point.when : undefined;
    if (ends === 'before') this.#end();
    if (this.#dead) return unanswered();
    if (ends === 'after') this.#dead = true;
    const conclude = await make().then(
      (answer) => () => answer,
      (error: unknown) => () => {
        throw error;
      },
    );
    if (ends === 'after') this.#end();
    return this.#dead ? unanswered() : conclude();
  }

  /** Runs work until it ends or the process dies. */
  async live<T>(work: Promise<T>): Promise<T | 'died'> {
    return await Promise.race([work, this.died]);
  }

  #end(): void {
    this.#dead = true;
    this.#die('died');
  }
}

function unanswered(): Promise<never> {
  return new Promise(() => {});
}

/** What outlives the processes: store, queues and time, and a count of what was charged. */
export class CrashWorld {
  readonly store: MemoryStore;
  /** Bodies of messages with charges that no consumer has worked yet. */
  readonly charges: string[] = [];
  /** Bodies of messages with work that a settlement handed on. */
  readonly work: string[] = [];
  readonly clock: Clock & { timeMs: number } = { timeMs: START_MS, now: () => this.clock.timeMs };
  /** Compute units by which `charged` rose, one entry a write. */
  readonly charged: bigint[] = [];
  /** What happens to the next updates of an account, in order. */
  readonly updateFaults: (UpdateFault | undefined)[] = [];

  constructor() {
    this.store = new MemoryStore((table, before, after) => this.#see(table, before, after));
  }

  /** The store as one life sees it. */
  storeOf(life: Life): Store {
    const { store } = this;
    return {
      get: (table, key) => life.call(() => store.get(table, key)),
      query: (query) => life.call(() => store.query(query)),
      put: (put) => life.call(() => store.put(put)),
      update: (update) => life.call(() => this.#update(update)),
      transact: (actions) => life.call(() => store.transact(actions)),
    };
  }

  books(life: Life): Bookkeeping {
    return { store: this.storeOf(life), clock: this.clock, pause: async () => {} };
  }

  /** A queue that keeps what it is sent. */
  queueOf(life: Life, kept: string[]): { send(work: object | string): Promise<void> } {
    return {
      send: (work) =>
        life.call(async () => {
          kept.push(typeof work === 'string' ? work : JSON.stringify(work));
        }),
    };
  }

  /** Delivers the charges in the queue until a consumer has worked them; the first life may end. */
  async consumeCharges(life = new Life()): Promise<void> {
    const messages = this.charges.map((body, place) => ({ messageId: `m${place}`, body }));
    const result = await life.live(applyCharges(this.storeOf(life), messages));
    if (result === 'died') return this.consumeCharges();
    expect(result.batchItemFailures).toEqual([]);
    this.charges.length = 0;
  }

  /** Fires the settlement, and delivers what it hands on. */
  async settle(life: Life, remainingMs = () => ALL_THE_TIME_MS): Promise<void> {
    const parts = { books: this.books(life), queue: this.queueOf(life, this.work), remainingMs };
    await life.live(runSettlement(parts, {}));
    for (const body of this.work.splice(0)) await this.#settleHandedOn(body);
  }

  /** Ends all that is under way, a day later, and looks through the books. */
  async close(): Promise<void> {
    await this.consumeCharges();
    this.clock.timeMs += DAY_MS;
    await this.settle(new Life());
    await this.#audit();
    const settled = this.store.items('ledger').filter((item) => item.settled_cu !== undefined);
    expect(sum(settled, 'settled_cu')).toBe(this.totalCharged());
    expect(sum(settled, 'billing_units')).toBe(unitsByHour(settled));
    for (const account of this.store.items('accounts')) {
      expect(account.pending_hour).toBeUndefined();
      expect(account.charged).toBe(account.settled ?? 0n);
    }
  }

  totalCharged(): bigint {
    return this.charged.reduce((total, cu) => total + cu, 0n);
  }

  /** Compute units of the charges in the queue. */
  queuedCu(): bigint {
    return this.charges.reduce((total, body) => total + (decodeCharge(body)?.cu ?? 0n), 0n);
  }

  async #settleHandedOn(body: string): Promise<void> {
    const life = new Life();
    const parts = {
      books: this.books(life),
      queue: this.queueOf(life, this.work),
      remainingMs: () => ALL_THE_TIME_MS,
    };
    await runSettlement(parts, { Records: [{ body }] });
  }

  async #audit(): Promise<void> {
    const run = { accountsAtOnce: ACCOUNTS_AT_ONCE, outOfTime: () => false };
    const report = await auditAccounts(this.books(new Life()), {}, run);
    expect(report.invariants.flatMap(({ violations }) => violations)).toEqual([]);
    expect(report.accounts).toBe(this.store.items('accounts').length);
  }

  async #update(update: Update): ReturnType<Store['update']> {
    const fault = update.add?.charged === undefined ? undefined : this.updateFaults.shift();
    if (fault === 'throttled') throw new StoreUnavailableError('throttled', false);
    if (fault === 'request lost') throw new StoreUnavailableError('no answer', true);
    const result = await this.store.update(update);
    if (fault === 'answer lost') throw new StoreUnavailableError('no answer', true);
    return result;
  }

  #see(table: Table, before: Item | undefined, after: Item): void {
    if (table === 'ledger') expect(before).toBeUndefined();
    if (table !== 'accounts') return;
    const rise = BigInt(after.charged ?? 0) - BigInt(before?.charged ?? 0);
    if (rise !== 0n) this.charged.push(rise);
  }
}

function sum(items: readonly Item[], attribute: string): bigint {
  return items.reduce((total, item) => total + BigInt(item[attribute] ?? 0), 0n);
}

/** Whole billing units of each account and hour. */
function unitsByHour(records: readonly Item[]): bigint {
  const hours = Map.groupBy(records, ({ account, hour }) => `${account} ${hour}`);
  return [...hours.values()].reduce(
    (units, ofHour) => units + sum(ofHour, 'settled_cu') / BILLING_UNIT_CU,
    0n,
  );
}
