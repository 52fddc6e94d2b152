import { toStoredAccount } from '../../lambdas/access/accounts/account-item.ts';
import { entryOf, laneUpdate, slotOf } from '../../lambdas/access/charge/lane.ts';
import { encodeUsage, usageCu } from '../../lambdas/access/charge/usage-text.ts';
import type { MethodUsage } from '../../lambdas/access/contract/metering.ts';
import type { Query, Store, Value } from '../../lambdas/access/store/store.ts';
import type { SettlementBooks } from '../../lambdas/settlement/evidence.ts';
import { runSettlement } from '../../lambdas/settlement/handler.ts';
import { HOUR_MS, hourOf } from '../../lambdas/shared/runtime/clock.ts';
import { LimitedStore, TRANSACTION_MS } from '../simulation/stores/limited-store.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { passOn } from '../simulation/stores/pass-on.ts';
import { VirtualTime } from '../simulation/virtual-time.ts';
import { UNKEPT } from '../support/kept-leaves.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

export const ACCOUNT = 'acme';
/** 15 minutes after the end of the youngest hour. */
export const NOW_MS = Date.UTC(2026, 10, 20, 12, 15);
const EXCHANGE_MS = 5;
const FUNCTION_MS = 300_000;
const CHAIN = 'example_mainnet';
const METHOD_CU = 20;
/** Of a call of a method without a price of its own. */
const DEFAULT_CU = 10;
const UNIT_BYTES = 4_096;

/** What an account used and settlement has not seen. */
export interface Usage {
  readonly hours: number;
  /** Lanes of each hour, over all shards. */
  readonly lanes: number;
  readonly shards?: number;
  /** About as many bytes of usage text has each lane. */
  readonly bytes: number;
}

/** Compute units of one lane, and its text, of so many bytes at most. */
function laneOf(bytes: number): { readonly total: bigint; readonly used: string } {
  const usage: MethodUsage[] = [];
  for (;;) {
    const more = {
      chain: CHAIN,
      method: `eth_method${usage.length}`,
      calls: METHOD_CU / DEFAULT_CU,
      cu: METHOD_CU,
      cached: 0,
      errors: 0,
    };
    const text = encodeUsage([...usage, more], Number.POSITIVE_INFINITY);
    if (text.length > bytes && usage.length > 0) break;
    usage.push(more);
  }
  return { total: BigInt(usageCu(usage)), used: encodeUsage(usage) };
}

/** An account with usage that waits for settlement, as processes leave it behind; a balance as its usage needs. */
export function storeWith({ hours, lanes, shards = 1, bytes }: Usage): {
  readonly store: MemoryStore;
  readonly chargedCu: bigint;
} {
  const store = new MemoryStore();
  const lane = laneOf(bytes);
  const chargedCu = lane.total * BigInt(hours * lanes);
  const first = hourOf(NOW_MS - hours * HOUR_MS);
  const account = {
    account: ACCOUNT,
    plan: 'standard',
    planRevision: 1n,
    shards,
    keys: 0,
    enabledKeys: 0,
    disabledAtMs: 0,
    granted: chargedCu + 1_000n,
    debited: 0n,
    settled: 0n,
    openFrom: first,
    closed: 0n,
    createdAt: '2026-11-01T00:00:00.000Z',
  };
  store.restore('accounts', { account: ACCOUNT }, toStoredAccount(account));
  const ledger: { readonly account: string; readonly record: string; readonly [more: string]: Value }[] = [
    { account: '#accounts', record: ACCOUNT, created_at: account.createdAt },
    { account: ACCOUNT, record: 'credit#opening', cu: account.granted },
    { account: ACCOUNT, record: 'plan#000001', plan: 'standard', revision: 1n, shards: BigInt(shards) },
  ];
  for (const item of ledger) store.restore('ledger', { account: item.account, record: item.record }, item);
  for (let place = 0; place < hours; place += 1) {
    const hourMs = NOW_MS - (hours - place) * HOUR_MS;
    const hour = hourOf(hourMs);
    for (let shard = 0; shard < shards; shard += 1) {
      const mark = { account: ACCOUNT, shard, hour };
      const key = { slot: slotOf(mark), entry: entryOf(mark) };
      store.restore('unsettled', key, { ...key, mark: `${hourMs}.mark` });
    }
    for (let number = 0; number < lanes; number += 1) {
      const name = `lane${String(number).padStart(7, '0')}`;
      const { key, set } = laneUpdate({
        account: ACCOUNT,
        shard: number % shards,
        hour,
        lane: name,
        charges: 1,
        ...lane,
      });
      store.restore('lanes', key, { ...key, ...set });
    }
  }
  return { store, chargedCu };
}

/** What runs of settlement have come to. */
export interface CatchUpFigures {
  readonly runs: number;
  readonly settledCu: bigint;
  /** Virtual time of the longest run. */
  readonly longestMs: number;
  readonly laneReadUnits: number;
  /** Read units of the lanes that were to be settled, if they were read at once. */
  readonly dataUnits: number;
  readonly throttled: number;
}

/** Runs of functions, one after the other, over a store with DynamoDB's limits and no burst credit, in virtual time. */
export class CatchUpWorld {
  readonly time = new VirtualTime(NOW_MS);
  readonly store: MemoryStore;
  readonly limited: LimitedStore;
  readonly telemetry = new RecordedTelemetry();
  readonly #dataUnits: number;
  #runs = 0;
  #longestMs = 0;

  constructor(store: MemoryStore) {
    this.store = store;
    this.limited = new LimitedStore({ store, nowMs: () => this.time.nowMs });
    const bytes = store
      .items('lanes')
      .reduce((sum, lane) => sum + (store.stored('lanes', lane)?.size ?? 0), 0);
    this.#dataUnits = bytes / UNIT_BYTES;
  }

  /** Books of one process. `onPage`: what happens to it after a page of lanes. */
  books(onPage: (query: Query) => Promise<void> = async () => {}): SettlementBooks {
    const { limited, time, telemetry } = this;
    const { pause } = time;
    const exchange = async <T>(carryOut: () => Promise<T>): Promise<T> => {
      await pause(EXCHANGE_MS);
      return carryOut();
    };
    const store: Store = {
      ...passOn(limited, exchange),
      query: async (query) => {
        const page = await exchange(() => limited.query(query));
        if (query.table === 'lanes') await onPage(query);
        return page;
      },
      transact: async (actions) => {
        const result = await exchange(() => limited.transact(actions));
        await pause(TRANSACTION_MS);
        return result;
      },
    };
    return { store, clock: time, pause, telemetry, ...UNKEPT };
  }

  /** Lets work go on until it ends, and all that it began. */
  async whole<Result>(work: Promise<Result>): Promise<Result> {
    const [result] = await Promise.all([work, this.time.run()]);
    return result;
  }

  /** One hourly run, with what it hands on; resolves to the failures. The next hour begins after it. */
  settle(books = this.books()): Promise<readonly unknown[]> {
    return this.whole(this.hourlyRun(books));
  }

  /** The same, while something else lets time pass. */
  async hourlyRun(books = this.books()): Promise<readonly unknown[]> {
    const failures: unknown[] = [];
    const sent: object[] = [];
    const queue = { send: async (work: object) => void sent.push(work) };
    const run = (event: Parameters<typeof runSettlement>[1]) => {
      const endMs = this.time.nowMs + FUNCTION_MS;
      const remainingMs = () => endMs - this.time.nowMs;
      return runSettlement({ books, queue, remainingMs }, event).catch((error) => failures.push(error));
    };
    const startMs = this.time.nowMs;
    this.#runs += 1;
    await run({});
    this.#longestMs = Math.max(this.#longestMs, this.time.nowMs - startMs);
    for (let work = sent.shift(); work !== undefined; work = sent.shift()) {
      await run({ Records: [{ body: JSON.stringify(work) }] });
    }
    await this.time.pause(startMs + HOUR_MS - this.time.nowMs);
    return failures;
  }

  /** Runs every hour until all is settled, three times at most. */
  async catchUp(chargedCu: bigint): Promise<CatchUpFigures> {
    for (let run = 0; run < 3 && this.settledCu < chargedCu; run += 1) await this.settle();
    return this.figures;
  }

  get settledCu(): bigint {
    return BigInt(this.store.peek('accounts', { account: ACCOUNT })?.settled ?? 0n);
  }

  get figures(): CatchUpFigures {
    const { readUnits, throttledReads, throttledWrites } = this.limited.figures('lanes');
    return {
      runs: this.#runs,
      settledCu: this.settledCu,
      longestMs: this.#longestMs,
      laneReadUnits: readUnits,
      dataUnits: Math.ceil(this.#dataUnits),
      throttled: throttledReads + throttledWrites,
    };
  }
}

/** Figures for the output of a test. */
export function shown(figures: CatchUpFigures): string {
  return JSON.stringify({ ...figures, settledCu: Number(figures.settledCu) });
}
