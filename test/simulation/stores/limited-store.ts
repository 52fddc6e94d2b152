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
import { TABLES, type Table } from '../../../lambdas/access/store/tables.ts';
import { itemSize } from './item-size.ts';
import { actionTarget, identity, type MemoryStore, type StoredItem } from './memory-store.ts';
import { MAX_PAGE_SIZE } from './store-limits.ts';

type Delete = Parameters<Store['delete']>[0];

const WRITE_UNIT_BYTES = 1_024;
const READ_UNIT_BYTES = 4_096;
const WRITE_UNITS_PER_SECOND = 1_000;
const READ_UNITS_PER_SECOND = 3_000;
/** A transaction prepares and commits each item. */
const TRANSACTION_FACTOR = 2;
/** Time for which a transaction holds its items, in milliseconds. */
export const TRANSACTION_MS = 8;

export interface LimitedStoreOptions {
  readonly store: MemoryStore;
  /** Milliseconds, of the world's clock. */
  readonly nowMs: () => number;
}

/** Units that were consumed of a table, and requests that were refused. */
export interface TableFigures {
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly writes: number;
  readonly throttledReads: number;
  readonly throttledWrites: number;
  readonly conflicts: number;
}

type Counts = { -readonly [name in keyof TableFigures]: number };
type Kind = 'read' | 'write';

/**
 * The store in memory with DynamoDB's limits: units by size, a number of them each second for each partition key (the
 * worst case: no partition is shared by two), throttled requests, items that are in a transaction. Each
 * call is carried out before it returns: latency is for others to add.
 */
export class LimitedStore implements Store {
  readonly #options: LimitedStoreOptions;
  readonly #store: MemoryStore;
  readonly #credits = new Map<string, Credit>();
  readonly #heldUntilMs = new Map<string, number>();
  readonly #figures = new Map<Table, Counts>();
  #throttledUntilMs = 0;
  #throttledPartition: { readonly value: string; readonly untilMs: number } | undefined;

  constructor(options: LimitedStoreOptions) {
    this.#options = options;
    this.#store = options.store;
  }

  /** Every write is refused until a time. */
  throttleWrites(untilMs: number): void {
    this.#throttledUntilMs = untilMs;
  }

  /** Every request to a partition key is refused until a time. */
  throttlePartition(value: string, untilMs: number): void {
    this.#throttledPartition = { value, untilMs };
  }

  /** Figures of the requests to a table so far. */
  figures(table: Table): TableFigures {
    return this.#counts(table);
  }

  #counts(table: Table): Counts {
    const known = this.#figures.get(table);
    if (known !== undefined) return known;
    const none = {
      readUnits: 0,
      writeUnits: 0,
      writes: 0,
      throttledReads: 0,
      throttledWrites: 0,
      conflicts: 0,
    };
    this.#figures.set(table, none);
    return none;
  }

  async get(table: Table, key: Key, { eventual = false }: ReadOptions = {}): Promise<Item | undefined> {
    const stored = this.#store.stored(table, key);
    this.#take('read', table, key, readUnits(stored?.size ?? 0, eventual));
    return stored?.item;
  }

  async query(query: Query): Promise<Page> {
    const { page, size } = this.#store.read(query);
    const units = readUnits(
      Math.min(size, MAX_PAGE_SIZE),
      query.index !== undefined || query.eventual === true,
    );
    this.#take('read', query.table, { [TABLES[query.table].partitionKey]: query.partition.value }, units);
    return page;
  }

  async put(put: Put): Promise<WriteResult> {
    const before = this.#store.stored(put.table, put.item);
    this.#takeWrite(put.table, put.item, before, itemSize(put.item));
    return this.#store.put(put);
  }

  async update(update: Update): Promise<WriteResult> {
    const before = this.#store.stored(update.table, update.key);
    this.#takeWrite(update.table, update.key, before, sizeAfter(update, before));
    return this.#store.update(update);
  }

  async delete(target: Delete): Promise<boolean> {
    this.#takeWrite(target.table, target.key, this.#store.stored(target.table, target.key), 0);
    return this.#store.delete(target);
  }

  async transact(actions: readonly Action[]): Promise<TransactionResult> {
    const targets = actions.map(actionTarget);
    for (const { table, key } of targets) this.#refuseHeld(table, key);
    for (const [index, { table, key }] of targets.entries()) {
      const before = this.#store.stored(table, key);
      this.#takeWrite(table, key, before, sizeOf(actions[index], before), TRANSACTION_FACTOR);
    }
    for (const { table, key } of targets) {
      this.#heldUntilMs.set(table + identity(table, key), this.#options.nowMs() + TRANSACTION_MS);
    }
    return this.#store.transact(actions);
  }

  /** The larger of an item before a write and after it counts. */
  #takeWrite(table: Table, key: Item, before: StoredItem | undefined, after: number, factor = 1): void {
    this.#refuseHeld(table, key);
    const size = Math.max(before?.size ?? 0, after);
    const units = factor * Math.max(1, Math.ceil(size / WRITE_UNIT_BYTES));
    this.#take('write', table, key, units);
    this.#counts(table).writes += 1;
  }

  #take(kind: Kind, table: Table, key: Item, units: number): void {
    const now = this.#options.nowMs();
    const perSecond = kind === 'read' ? READ_UNITS_PER_SECOND : WRITE_UNITS_PER_SECOND;
    const place = `${kind} ${table} ${key[TABLES[table].partitionKey]}`;
    const credit = this.#credits.get(place) ?? new Credit(perSecond, now);
    this.#credits.set(place, credit);
    const figures = this.#counts(table);
    const partition = this.#throttledPartition;
    const stopped =
      (kind === 'write' && now < this.#throttledUntilMs) ||
      (partition !== undefined && place.endsWith(` ${partition.value}`) && now < partition.untilMs);
    if (stopped || !credit.take(units, now)) {
      figures[kind === 'read' ? 'throttledReads' : 'throttledWrites'] += 1;
      throw new StoreUnavailableError(`throttled: ${place}`, false);
    }
    figures[kind === 'read' ? 'readUnits' : 'writeUnits'] += units;
  }

  /** An item that is in a transaction takes no other write. */
  #refuseHeld(table: Table, key: Item): void {
    if (this.#heldUntilMs.size === 0) return;
    const name = table + identity(table, key);
    const untilMs = this.#heldUntilMs.get(name);
    if (untilMs === undefined) return;
    if (this.#options.nowMs() < untilMs) {
      this.#counts(table).conflicts += 1;
      throw new StoreUnavailableError(`an item of ${table} is in a transaction`, false);
    }
    this.#heldUntilMs.delete(name);
  }
}

/** Units of one partition: so many a second. */
class Credit {
  readonly #perSecond: number;
  #units: number;
  #seenMs: number;

  constructor(perSecond: number, nowMs: number) {
    this.#perSecond = perSecond;
    this.#units = perSecond;
    this.#seenMs = nowMs;
  }

  take(units: number, nowMs: number): boolean {
    const refill = ((nowMs - this.#seenMs) * this.#perSecond) / 1_000;
    this.#units = Math.min(this.#perSecond, this.#units + refill);
    this.#seenMs = nowMs;
    if (this.#units < units) return false;
    this.#units -= units;
    return true;
  }
}

function readUnits(size: number, eventual: boolean): number {
  const units = Math.max(1, Math.ceil(size / READ_UNIT_BYTES));
  return eventual ? units / 2 : units;
}

function sizeOf(action: Action | undefined, before: StoredItem | undefined): number {
  if (action === undefined) return 0;
  return 'put' in action ? itemSize(action.put.item) : sizeAfter(action.update, before);
}

/** Size of an item after an update, without what that adds to numbers. */
function sizeAfter({ key, set }: Update, before: StoredItem | undefined): number {
  return itemSize({ ...before?.item, ...key, ...set });
}
