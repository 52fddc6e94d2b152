import {
  type Action,
  type Item,
  type Key,
  type Page,
  type Put,
  type Query,
  type ReadOptions,
  type Store,
  StoreUnavailableError,
  type TransactionResult,
  type Update,
  type WriteResult,
} from '../../../lambdas/access/store/store.ts';
import type { Table } from '../../../lambdas/access/store/tables.ts';
import type { Machine, SimulatedProcess } from '../actors/simulated-process.ts';
import type { Weather } from '../weather.ts';
import { exchange, type RemoteFault } from './exchange.ts';
import type { MemoryStore } from './memory-store.ts';

type Delete = Parameters<Store['delete']>[0];

/** Chance that a reading which may be old is: of a table by a second at most, of an index by any time. */
const STALE_RATE = 0.2;
const MAX_LAG_MS = 1_000;

/** Reads and writes of each table have troubles of their own, as partitions of DynamoDB have. */
export type StorePlace = `${Table} ${'read' | 'write'}`;

/** Where what a charge writes is. */
const CHARGE_PLACES: readonly StorePlace[] = ['lanes write', 'unsettled write'];

/** The store's end of the network. */
export interface StoreSite {
  readonly machine: Machine;
  readonly store: MemoryStore;
  readonly weather: Readonly<Record<StorePlace, Weather<RemoteFault>>>;
  /** What was read before, by what was asked for: a reading that need not be consistent may be an older one. */
  readonly readings: Map<string, Reading>;
  /** Called with every lane that a process of the gateway sends. */
  readonly onLane: (process: SimulatedProcess, key: Key) => void;
}

interface Reading {
  readonly readMs: number;
  readonly result: unknown;
}

/** The store as one process sees it: over a network that loses, delays, doubles and reorders. */
export class RemoteStore implements Store {
  readonly #site: StoreSite;
  readonly #process: SimulatedProcess;

  constructor(site: StoreSite, process: SimulatedProcess) {
    this.#site = site;
    this.#process = process;
  }

  get(table: Table, key: Key, { eventual = false }: ReadOptions = {}): Promise<Item | undefined> {
    const asked = `${table} ${JSON.stringify(key)}`;
    return this.#exchange(`${table} read`, () => {
      const read = () => this.#site.store.get(table, key);
      return eventual ? this.#readEventually(asked, MAX_LAG_MS, read) : read();
    });
  }

  query(query: Query): Promise<Page> {
    const { index, eventual = false } = query;
    return this.#exchange(`${query.table} read`, () => {
      const read = () => this.#site.store.query(query);
      if (index === undefined && !eventual) return read();
      const asked = JSON.stringify(query, (_name, value) =>
        typeof value === 'bigint' ? String(value) : value,
      );
      return this.#readEventually(asked, index === undefined ? MAX_LAG_MS : Number.POSITIVE_INFINITY, read);
    });
  }

  put(put: Put): Promise<WriteResult> {
    return this.#exchange(`${put.table} write`, () => this.#site.store.put(put));
  }

  update(update: Update): Promise<WriteResult> {
    if (update.table === 'lanes' && this.#process.role === 'gateway')
      this.#site.onLane(this.#process, update.key);
    return this.#exchange(`${update.table} write`, () => this.#site.store.update(update));
  }

  delete(target: Delete): Promise<boolean> {
    return this.#exchange(`${target.table} write`, () => this.#site.store.delete(target));
  }

  transact(actions: readonly Action[]): Promise<TransactionResult> {
    return this.#exchange(`${tableOf(actions[0])} write`, () => this.#site.store.transact(actions));
  }

  #exchange<T>(place: StorePlace, apply: () => Promise<T>): Promise<T> {
    const { machine, weather } = this.#site;
    return exchange<T>({
      machine,
      process: this.#process,
      nextFault: () => {
        const fault = this.#process.isExpired ? 'throttled' : weather[place].next();
        if (fault !== undefined && CHARGE_PLACES.includes(place)) this.#process.faults.store += 1;
        return fault;
      },
      failure: (message, maybeApplied) => new StoreUnavailableError(message, maybeApplied),
      apply,
    });
  }

  async #readEventually<T>(asked: string, maxLagMs: number, read: () => Promise<T>): Promise<T> {
    const { machine, weather, readings } = this.#site;
    const { nowMs } = machine.time;
    const before = readings.get(asked);
    const isNearEnough = before !== undefined && nowMs - before.readMs <= maxLagMs;
    if (isNearEnough && !weather['accounts read'].isClear && machine.random.chance(STALE_RATE)) {
      return before.result as T;
    }
    const result = await read();
    readings.set(asked, { readMs: nowMs, result });
    return result;
  }
}

function tableOf(action: Action | undefined): Table {
  if (action === undefined) throw new Error('a transaction has no action');
  if ('put' in action) return action.put.table;
  return action.update.table;
}
