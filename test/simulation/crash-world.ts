import { parseEntry } from '../../lambdas/access/charge/lane.ts';
import { decodeLane } from '../../lambdas/access/charge/lane-message.ts';
import { type Item, type Store, StoreUnavailableError } from '../../lambdas/access/store/store.ts';
import type { Table } from '../../lambdas/access/store/tables.ts';
import { auditAccounts } from '../../lambdas/audit/audit.ts';
import { storeLanes } from '../../lambdas/charges/handler.ts';
import type { SettlementBooks } from '../../lambdas/settlement/evidence.ts';
import { settleAccount } from '../../lambdas/settlement/settle-account.ts';
import type { Clock } from '../../lambdas/shared/runtime/clock.ts';
import { UNKEPT, workList } from '../support/kept-leaves.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';
import { MemoryStore } from './stores/memory-store.ts';

/** Where a process dies: around its n-th call to the outside, counted from 0. */
export interface CrashPoint {
  readonly call: number;
  readonly when: 'before' | 'after';
}

/** Faults of a write of a lane or a mark. */
export type WriteFault = 'throttled' | 'request lost' | 'answer lost';

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

/** The parts that outlive the processes: store, queue and time. */
export class CrashWorld {
  readonly store: MemoryStore;
  /** Bodies of messages with lanes that no consumer has worked yet. */
  readonly lanes: string[] = [];
  readonly clock: Clock & { timeMs: number } = { timeMs: START_MS, now: () => this.clock.timeMs };
  /** Faults of the next writes of lanes and marks, in order. */
  readonly writeFaults: (WriteFault | undefined)[] = [];
  #randomNumbers = 0;

  constructor() {
    this.store = new MemoryStore((table, before, after) => see(table, before, after));
  }

  /** Bytes that were never given out before. */
  readonly randomBytes = (count: number): Uint8Array => {
    this.#randomNumbers += 1;
    const bytes = Buffer.alloc(count);
    bytes.writeUInt32LE(this.#randomNumbers);
    return bytes;
  };

  /** The store as one life sees it. */
  storeOf(life: Life): Store {
    const { store } = this;
    return {
      get: (table, key) => life.call(() => store.get(table, key)),
      query: (query) => life.call(() => store.query(query)),
      put: (put) => life.call(() => this.#write(put.table === 'unsettled', () => store.put(put))),
      update: (update) => life.call(() => this.#write(update.table === 'lanes', () => store.update(update))),
      delete: (target) => life.call(() => store.delete(target)),
      transact: (actions) => life.call(() => store.transact(actions)),
    };
  }

  readonly telemetry = new RecordedTelemetry();

  books(life: Life): SettlementBooks {
    return {
      store: this.storeOf(life),
      clock: this.clock,
      pause: async () => {},
      telemetry: this.telemetry,
      ...UNKEPT,
    };
  }

  /** Delivers the lanes in the queue until a consumer has worked them; the first life may end. */
  async consume(life = new Life()): Promise<void> {
    const messages = this.lanes.map((body, place) => ({ messageId: `m${place}`, body }));
    const { clock, randomBytes } = this;
    const result = await life.live(
      storeLanes({ store: this.storeOf(life), clock, randomBytes, telemetry: this.telemetry }, messages),
    );
    if (result === 'died') return this.consume();
    expect(result.batchItemFailures).toEqual([]);
    this.lanes.length = 0;
  }

  /** Settles every account that is on the work list; the life may end meanwhile. */
  async settle(life = new Life()): Promise<void> {
    const entries = workList(this.store).map(({ entry, mark }) => ({
      ...parseEntry(String(entry)),
      mark: String(mark),
    }));
    const settleAll = async () => {
      for (const [account, marks] of Map.groupBy(entries, (entry) => entry.account)) {
        const { failure } = await settleAccount(this.books(life), account, marks);
        if (failure !== undefined) throw failure;
      }
    };
    await life.live(settleAll());
  }

  /** Ends all that is under way, a day later, and looks through the books. */
  async close(): Promise<void> {
    await this.consume();
    for (let run = 0; run < 2; run += 1) {
      this.clock.timeMs += DAY_MS;
      await this.settle();
    }
    await this.#audit();
    const settled = this.store.items('ledger').filter((item) => item.settled_cu !== undefined);
    expect(sum(settled, 'settled_cu')).toBe(this.chargedCu());
    expect(sum(settled, 'billing_units')).toBe(unitsByHour(settled));
    expect(workList(this.store)).toEqual([]);
    expect(sum(this.store.items('accounts'), 'settled')).toBe(this.chargedCu());
  }

  /** Compute units that lanes hold. */
  chargedCu(): bigint {
    return sum(this.store.items('lanes'), 'total');
  }

  /** Compute units of the lanes in the queue. */
  queuedCu(): bigint {
    return this.lanes.reduce((total, body) => total + (decodeLane(body)?.total ?? 0n), 0n);
  }

  async #audit(): Promise<void> {
    const run = { accountsAtOnce: ACCOUNTS_AT_ONCE, outOfTime: () => false };
    const report = await auditAccounts(this.books(new Life()), undefined, run);
    expect(report.invariants.flatMap(({ violations }) => violations)).toEqual([]);
    expect(report.accounts).toBe(this.store.items('accounts').length);
  }

  async #write<T>(mayFail: boolean, write: () => Promise<T>): Promise<T> {
    const fault = mayFail ? this.writeFaults.shift() : undefined;
    if (fault === 'throttled') throw new StoreUnavailableError('throttled', false);
    if (fault === 'request lost') throw new StoreUnavailableError('no answer', true);
    const result = await write();
    if (fault === 'answer lost') throw new StoreUnavailableError('no answer', true);
    return result;
  }
}

/** No record is written twice, and no lane falls. */
function see(table: Table, before: Item | undefined, after: Item | undefined): void {
  if (table === 'ledger') expect(before).toBeUndefined();
  if (table === 'lanes') expect(BigInt(after?.total ?? 0)).toBeGreaterThan(BigInt(before?.total ?? 0));
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
