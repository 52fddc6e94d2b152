import {
  type Action,
  type Check,
  type Condition,
  type Item,
  type Key,
  type Page,
  type Put,
  type Query,
  type Store,
  StoreUnavailableError,
  type Term,
  type TransactionResult,
  type Update,
  type Value,
  type WriteResult,
} from '../../lambdas/access/store.ts';
import {
  KEYS_BY_ACCOUNT_INDEX,
  PENDING_ACCOUNTS_INDEX,
  TABLES,
  type Table,
} from '../../lambdas/access/tables.ts';

/** DynamoDB keeps this many digits of a number. */
const MAX_NUMBER = 10n ** 38n - 1n;

interface IndexShape {
  readonly partitionKey: string;
  readonly sortKey: string;
  /** Attributes beside the keys of index and table. */
  readonly attributes?: readonly string[];
}

const INDEXES: Readonly<Record<string, IndexShape>> = {
  [KEYS_BY_ACCOUNT_INDEX.name]: KEYS_BY_ACCOUNT_INDEX,
  [PENDING_ACCOUNTS_INDEX.name]: PENDING_ACCOUNTS_INDEX,
};

/** Is told of a write, with the item as it was and as it is. */
export type OnWrite = (table: Table, before: Item | undefined, after: Item) => void;

/** The store in memory: the same data, interpreted. Each call is atomic; indexes are computed when asked. */
export class MemoryStore implements Store {
  readonly #onWrite: OnWrite;
  readonly #tables: Readonly<Record<Table, Map<string, Item>>> = {
    keys: new Map(),
    accounts: new Map(),
    ledger: new Map(),
    usage: new Map(),
  };

  constructor(onWrite: OnWrite = () => {}) {
    this.#onWrite = onWrite;
  }

  /** All items of a table, in no particular order. */
  items(table: Table): readonly Item[] {
    return [...this.#tables[table].values()];
  }

  async get(table: Table, key: Key): Promise<Item | undefined> {
    return this.#item(table, key);
  }

  async query(query: Query): Promise<Page> {
    const { partition, sort, after, limit } = query;
    const { sortKey, project } = queriedShape(query);
    if (sort?.from !== undefined && sort.to !== undefined && compareValues(sort.from, sort.to) > 0) {
      throw new StoreUnavailableError('the range of a query ends before it starts', false);
    }
    const direction = query.descending === true ? -1 : 1;
    const order = (left: Item, right: Item) => direction * compareItems(query.table, sortKey, left, right);
    const found = this.items(query.table)
      .filter((item) => item[partition.attribute] === partition.value)
      .filter((item) => sortKey === undefined || item[sortKey] !== undefined)
      .filter((item) => sort === undefined || inRange(item[sort.attribute], sort))
      .filter((item) => after === undefined || order(item, after) > 0)
      .sort(order);
    const items = found.slice(0, limit);
    const last = items.at(-1);
    if (last === undefined || found.length === items.length) return { items: items.map(project) };
    return { items: items.map(project), next: cursor(query, sortKey, last) };
  }

  async put(put: Put): Promise<WriteResult> {
    const item = this.#item(put.table, put.item);
    if (!holds(put.when, item)) return { applied: false, item };
    return { applied: true, item: this.#write(put.table, put.item) };
  }

  async update(update: Update): Promise<WriteResult> {
    const item = this.#item(update.table, update.key);
    if (!holds(update.when, item)) return { applied: false, item };
    return { applied: true, item: this.#write(update.table, updated(item, update)) };
  }

  async transact(actions: readonly Action[]): Promise<TransactionResult> {
    const targets = actions.map(target);
    if (new Set(targets.map(({ table, key }) => table + identity(table, key))).size < targets.length) {
      throw new StoreUnavailableError('a transaction names one item twice', false);
    }
    const refused = targets.map(({ table, key, when }) => {
      const item = this.#item(table, key);
      return holds(when, item) ? undefined : { item };
    });
    if (refused.some((refusal) => refusal !== undefined)) return { applied: false, refused };
    const written = actions.flatMap((action) => this.#result(action));
    for (const { table, item } of written) this.#write(table, item);
    return { applied: true };
  }

  #result(action: Action): { table: Table; item: Item }[] {
    if ('put' in action) return [action.put];
    if ('check' in action) return [];
    const { table, key } = action.update;
    return [{ table, item: updated(this.#item(table, key), action.update) }];
  }

  #item(table: Table, key: Item): Item | undefined {
    return this.#tables[table].get(identity(table, key));
  }

  #write(table: Table, item: Item): Item {
    const items = this.#tables[table];
    const place = identity(table, item);
    const before = items.get(place);
    items.set(place, item);
    this.#onWrite(table, before, item);
    return item;
  }
}

function keyAttributes(table: Table): string[] {
  const { partitionKey, sortKey } = TABLES[table];
  return sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
}

function identity(table: Table, item: Item): string {
  return JSON.stringify(keyAttributes(table).map((attribute) => item[attribute]));
}

function target(action: Action): Pick<Check, 'table' | 'when'> & { readonly key: Item } {
  if ('put' in action) return { ...action.put, key: action.put.item };
  return 'update' in action ? action.update : action.check;
}

function holds(condition: Condition, item: Item = {}): boolean {
  return condition.every((clause) =>
    'is' in clause ? termHolds(clause, item) : clause.some((term) => termHolds(term, item)),
  );
}

function termHolds(term: Term, item: Item): boolean {
  const stored = item[term.attribute];
  if (!('value' in term)) return (stored !== undefined) === (term.is === 'present');
  if (stored === undefined || typeof stored !== typeof term.value) return false;
  const order = compareValues(stored, term.value);
  if (term.is === '=') return order === 0;
  if (term.is === '<') return order < 0;
  if (term.is === '<=') return order <= 0;
  return term.is === '>' ? order > 0 : order >= 0;
}

function updated(item: Item | undefined, update: Update): Item {
  const result: Record<string, Value> = { ...update.setIfAbsent, ...(item ?? update.key), ...update.set };
  for (const [attribute, increment] of Object.entries(update.add ?? {})) {
    const sum = addable(attribute, item?.[attribute]) + increment;
    if (sum > MAX_NUMBER || sum < -MAX_NUMBER) {
      throw new StoreUnavailableError(`${attribute} would have more than 38 digits`, false);
    }
    result[attribute] = sum;
  }
  for (const attribute of update.remove ?? []) delete result[attribute];
  return result;
}

function addable(attribute: string, stored: Value = 0n): bigint {
  if (typeof stored === 'bigint') return stored;
  throw new StoreUnavailableError(`${attribute} is not a number`, false);
}

/** Numbers by value, strings by their UTF-8 bytes, as DynamoDB does. */
function compareValues(left: Value, right: Value): number {
  if (typeof left === 'bigint' || typeof right === 'bigint') return left < right ? -1 : Number(left > right);
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

/** Order of a query; equal sort keys of an index are told apart by the table's own key. */
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
  if (range.from !== undefined && compareValues(stored, range.from) < 0) return false;
  return range.to === undefined || compareValues(stored, range.to) <= 0;
}

function queriedShape({ table, index }: Query): {
  readonly sortKey: string | undefined;
  project(item: Item): Item;
} {
  if (index === undefined) return { sortKey: TABLES[table].sortKey, project: (item) => item };
  const shape = INDEXES[index];
  if (shape === undefined) throw new StoreUnavailableError(`there is no index ${index}`, false);
  const { partitionKey, sortKey, attributes = [] } = shape;
  const projected = new Set([partitionKey, sortKey, ...attributes, ...keyAttributes(table)]);
  return { sortKey, project: (item) => pick(item, projected) };
}

function cursor(query: Query, sortKey: string | undefined, last: Item): Item {
  const sort = sortKey === undefined ? [] : [sortKey];
  return pick(last, new Set([query.partition.attribute, ...sort, ...keyAttributes(query.table)]));
}

function pick(item: Item, attributes: ReadonlySet<string>): Item {
  return Object.fromEntries(Object.entries(item).filter(([attribute]) => attributes.has(attribute)));
}
