import {
  type Action,
  holds,
  type Item,
  type Key,
  type Page,
  type Put,
  type Query,
  type Store,
  StoreUnavailableError,
  type TransactionResult,
  type Update,
  type Value,
  type WriteResult,
} from '../../../lambdas/access/store/store.ts';
import { KEYS_BY_ACCOUNT_INDEX, TABLES, type Table } from '../../../lambdas/access/store/tables.ts';
import { itemSize } from './item-size.ts';
import {
  checkCondition,
  checkItem,
  checkKey,
  checkQuery,
  checkTransaction,
  checkUpdate,
  checkValues,
  compareValues,
  MAX_PAGE_SIZE,
  refuse,
} from './store-limits.ts';

type Delete = Parameters<Store['delete']>[0];

interface IndexShape {
  readonly partitionKey: string;
  readonly sortKey: string;
  /** Attributes beside the keys of index and table. */
  readonly attributes?: readonly string[];
}

const INDEXES: Readonly<Record<string, IndexShape>> = {
  [KEYS_BY_ACCOUNT_INDEX.name]: KEYS_BY_ACCOUNT_INDEX,
};

/** Called with a write, with the item as it was and as it is. */
export type OnWrite = (table: Table, before: Item | undefined, after: Item | undefined) => void;

/** An item and its size in bytes, which every reading counts. */
export interface StoredItem {
  readonly item: Item;
  readonly size: number;
}

/** Items of one partition in the order of their sort keys. */
type Partitions = Map<Value, StoredItem[]>;

/**
 * The store in memory: the same data, interpreted, and what DynamoDB refuses for its size refused. Each call is
 * atomic, and carried out before it returns; indexes are computed when asked.
 */
export class MemoryStore implements Store {
  readonly #onWrite: OnWrite;
  readonly #tables: Readonly<Record<Table, Partitions>> = {
    keys: new Map(),
    accounts: new Map(),
    lanes: new Map(),
    unsettled: new Map(),
    balances: new Map(),
    ledger: new Map(),
  };

  constructor(onWrite: OnWrite = () => {}) {
    this.#onWrite = onWrite;
  }

  /** A store of its own with the same items. */
  copy(): MemoryStore {
    const copied = new MemoryStore();
    for (const table of Object.keys(TABLES) as Table[]) {
      for (const [partition, items] of this.#tables[table]) copied.#tables[table].set(partition, [...items]);
    }
    return copied;
  }

  /** All items of a table, in no particular order. */
  items(table: Table): readonly Item[] {
    return [...this.#tables[table].values()].flatMap((items) => items.map(({ item }) => item));
  }

  /** An item as it is now. */
  peek(table: Table, key: Item): Item | undefined {
    return this.stored(table, key)?.item;
  }

  /** An item as it is now, with its size. */
  stored(table: Table, key: Item): StoredItem | undefined {
    const { items, place, found } = this.#find(table, key);
    return found ? items[place] : undefined;
  }

  /** Puts an item back to an earlier state, or away, as a restore of a backup does. */
  restore(table: Table, key: Key, item: Item | undefined): void {
    if (item === undefined) this.#remove(table, key);
    else this.#write(table, item);
  }

  async get(table: Table, key: Key): Promise<Item | undefined> {
    checkKey(table, key);
    return this.peek(table, key);
  }

  async query(query: Query): Promise<Page> {
    return this.read(query).page;
  }

  /** Carries out a query. `size`: bytes that are read for its page, whatever it brings of them. */
  read(query: Query): { readonly page: Page; readonly size: number } {
    checkQuery(query);
    const found = query.index === undefined ? this.#range(query) : this.#indexed(query);
    const { sortKey, brought } = queriedShape(query);
    const items: Item[] = [];
    let size = 0;
    for (const read of found) {
      if (items.length === query.limit || size >= MAX_PAGE_SIZE) break;
      size += read.size;
      items.push(brought(read.item));
    }
    const last = found[items.length - 1]?.item;
    const isWhole = last === undefined || found.length === items.length;
    return { page: isWhole ? { items } : { items, next: cursor(query, sortKey, last) }, size };
  }

  async put(put: Put): Promise<WriteResult> {
    checkItem(put.table, put.item);
    checkCondition(put.when);
    const item = this.peek(put.table, put.item);
    if (!holds(put.when, item)) return { applied: false, item };
    return { applied: true, item: this.#write(put.table, put.item) };
  }

  async update(update: Update): Promise<WriteResult> {
    checkUpdate(update);
    const item = this.peek(update.table, update.key);
    if (!holds(update.when, item)) return { applied: false, item };
    return { applied: true, item: this.#write(update.table, updated(item, update)) };
  }

  async delete({ table, key, when }: Delete): Promise<boolean> {
    checkKey(table, key);
    checkCondition(when);
    if (!holds(when, this.peek(table, key))) return false;
    this.#remove(table, key);
    return true;
  }

  async transact(actions: readonly Action[]): Promise<TransactionResult> {
    const targets = actions.map(actionTarget);
    if (new Set(targets.map(({ table, key }) => table + identity(table, key))).size < targets.length) {
      refuse('a transaction names one item twice');
    }
    for (const action of actions) checkAction(action);
    const refused = targets.map(({ table, key, when }) => {
      const item = this.peek(table, key);
      return holds(when, item) ? undefined : { item };
    });
    if (refused.some((refusal) => refusal !== undefined)) return { applied: false, refused };
    const written = actions.flatMap((action) => this.#result(action));
    checkTransaction(
      actions,
      written.map(({ item }) => item),
    );
    for (const { table, item } of written) this.#write(table, item);
    return { applied: true };
  }

  #result(action: Action): { table: Table; item: Item }[] {
    if ('put' in action) return [action.put];
    const { table, key } = action.update;
    return [{ table, item: updated(this.peek(table, key), action.update) }];
  }

  /** Items of a query of a table, in their order, from where it continues. */
  #range(query: Query): readonly StoredItem[] {
    const { table, partition, sort, after, descending = false } = query;
    const items = this.#tables[table].get(partition.value) ?? [];
    const { sortKey } = TABLES[table];
    if (sortKey === undefined) return after === undefined ? items : [];
    let from = sort === undefined ? 0 : placeOf(items, sortKey, sort.from).place;
    let to = sort === undefined ? items.length : endOf(items, sortKey, sort.to);
    const cursorKey = after?.[sortKey];
    if (cursorKey !== undefined && descending) to = Math.min(to, placeOf(items, sortKey, cursorKey).place);
    if (cursorKey !== undefined && !descending) from = Math.max(from, endOf(items, sortKey, cursorKey));
    const found = items.slice(from, Math.max(from, to));
    return descending ? found.reverse() : found;
  }

  /** The items of a query, as far as an index holds them. */
  #indexed(query: Query): readonly StoredItem[] {
    const { table, partition, sort, after, descending } = query;
    const { sortKey, held } = queriedShape(query);
    const direction = descending === true ? -1 : 1;
    const order = (left: Item, right: Item) => direction * compareItems(table, sortKey, left, right);
    return this.items(table)
      .filter((item) => item[partition.attribute] === partition.value)
      .filter((item) => sortKey === undefined || item[sortKey] !== undefined)
      .filter((item) => sort === undefined || inRange(item[sort.attribute], sort))
      .filter((item) => after === undefined || order(item, after) > 0)
      .sort(order)
      .map(held)
      .map((item) => ({ item, size: itemSize(item) }));
  }

  #find(table: Table, key: Item): { items: StoredItem[]; place: number; found: boolean } {
    const { partitionKey, sortKey } = TABLES[table];
    const items = this.#tables[table].get(key[partitionKey] ?? '') ?? [];
    if (sortKey === undefined) return { items, place: 0, found: items.length > 0 };
    return { items, ...placeOf(items, sortKey, key[sortKey] ?? '') };
  }

  #write(table: Table, item: Item): Item {
    const { items, place, found } = this.#find(table, item);
    const before = found ? items[place]?.item : undefined;
    const stored = { item, size: itemSize(item) };
    // `splice` would do for both, and takes many times as long for the first, which most writes are.
    if (found) items[place] = stored;
    else items.splice(place, 0, stored);
    this.#tables[table].set(item[TABLES[table].partitionKey] ?? '', items);
    this.#onWrite(table, before, item);
    return item;
  }

  #remove(table: Table, key: Key): void {
    const { items, place, found } = this.#find(table, key);
    const [before] = found ? items.splice(place, 1) : [];
    if (before !== undefined) this.#onWrite(table, before.item, undefined);
  }
}

/** Table and key of what an action is about, with its condition. */
export function actionTarget(action: Action): Pick<Delete, 'table' | 'when'> & { readonly key: Item } {
  if ('put' in action) return { ...action.put, key: action.put.item };
  return action.update;
}

/** Names an item of a table. */
export function identity(table: Table, item: Item): string {
  return JSON.stringify(keyAttributes(table).map((attribute) => item[attribute]));
}

function keyAttributes(table: Table): string[] {
  const { partitionKey, sortKey } = TABLES[table];
  return sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
}

function checkAction(action: Action): void {
  checkCondition(actionTarget(action).when);
  if ('update' in action) checkUpdate(action.update);
  else checkItem(action.put.table, action.put.item);
}

/** An item after an update. */
export function updated(item: Item | undefined, update: Update): Item {
  const result: Record<string, Value> = { ...(item ?? update.key), ...update.set };
  for (const [attribute, increment] of Object.entries(update.add ?? {})) {
    const sum = addable(attribute, item?.[attribute]) + increment;
    checkValues([sum]);
    result[attribute] = sum;
  }
  checkItem(update.table, result);
  return result;
}

function addable(attribute: string, stored: Value = 0n): bigint {
  return typeof stored === 'bigint' ? stored : refuse(`${attribute} is not a number`);
}

/** Where a sort key is among the items of a partition, or belongs. */
function placeOf(
  items: readonly StoredItem[],
  sortKey: string,
  value: Value,
): { place: number; found: boolean } {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareValues(items[middle]?.item[sortKey] ?? '', value) < 0) low = middle + 1;
    else high = middle;
  }
  return { place: low, found: items[low]?.item[sortKey] === value };
}

/** The place after a sort key. */
function endOf(items: readonly StoredItem[], sortKey: string, value: Value): number {
  const { place, found } = placeOf(items, sortKey, value);
  return found ? place + 1 : place;
}

/** Order of an index; equal sort keys are distinguished by the table's own key. */
function compareItems(table: Table, sortKey: string | undefined, left: Item, right: Item): number {
  const attributes = sortKey === undefined ? keyAttributes(table) : [sortKey, ...keyAttributes(table)];
  for (const attribute of attributes) {
    const order = compareValues(left[attribute] ?? '', right[attribute] ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

function inRange(stored: Value | undefined, range: NonNullable<Query['sort']>): boolean {
  if (stored === undefined) return false;
  return compareValues(stored, range.from) >= 0 && compareValues(stored, range.to) <= 0;
}

/** What a query reads: by which order, what the table or index holds of an item, and what the query brings of that. */
function queriedShape({ table, index, attributes }: Query): {
  readonly sortKey: string | undefined;
  held(item: Item): Item;
  brought(item: Item): Item;
} {
  const asked = attributes && new Set(attributes);
  const brought = (item: Item) => (asked === undefined ? item : pick(item, asked));
  if (index === undefined) return { sortKey: TABLES[table].sortKey, held: (item) => item, brought };
  const shape = INDEXES[index];
  if (shape === undefined) throw new StoreUnavailableError(`there is no index ${index}`, false);
  const { partitionKey, sortKey, attributes: others = [] } = shape;
  const projected = new Set([partitionKey, sortKey, ...others, ...keyAttributes(table)]);
  if (attributes?.some((attribute) => !projected.has(attribute)))
    refuse(`${index} does not hold what is asked`);
  return { sortKey, held: (item) => pick(item, projected), brought };
}

function cursor(query: Query, sortKey: string | undefined, last: Item): Item {
  const sort = sortKey === undefined ? [] : [sortKey];
  return pick(last, new Set([query.partition.attribute, ...sort, ...keyAttributes(query.table)]));
}

function pick(item: Item, attributes: ReadonlySet<string>): Item {
  const picked: Record<string, Value> = {};
  for (const attribute of attributes) {
    const value = item[attribute];
    if (value !== undefined) picked[attribute] = value;
  }
  return picked;
}
