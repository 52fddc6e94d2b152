import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Table } from './tables.ts';

/** A stored value. Numbers are integers of at most 38 digits, so always BigInt. */
export type Value = string | bigint;

/** A stored item, or the part of it that was asked for. */
export type Item = Readonly<Record<string, Value>>;

/** The primary key of an item: partition key and, where the table has one, sort key. */
export type Key = Readonly<Record<string, string>>;

/** One comparison over a stored attribute. A comparison with an absent attribute is false. */
export type Term =
  | { readonly is: 'present' | 'absent'; readonly attribute: string }
  | { readonly is: '=' | '<' | '<=' | '>' | '>='; readonly attribute: string; readonly value: Value };

/** Holds when every clause holds; a clause that is a list holds when any of its terms does. */
export type Condition = readonly (Term | readonly Term[])[];

/** Holds where an attribute is absent, or stands in this relation to a value: for what only rises. */
export function absentOr(attribute: string, is: '<' | '<=', value: Value): readonly [Term, Term] {
  return [
    { is: 'absent', attribute },
    { is, attribute, value },
  ];
}

/** Whether a condition holds for an item. */
export function holds(condition: Condition, item: Item = {}): boolean {
  return condition.every((clause) => [clause].flat().some((term) => termHolds(term, item)));
}

function termHolds(term: Term, { [term.attribute]: stored }: Item): boolean {
  if (!('value' in term)) return (stored !== undefined) === (term.is === 'present');
  const { is, value } = term;
  if (stored === undefined || typeof stored !== typeof value) return false;
  if (stored === value) return is.endsWith('=');
  return is.startsWith(isBefore(stored, value) ? '<' : '>');
}

/** Strings are in the order of their bytes in UTF-8, as DynamoDB has them. */
function isBefore(left: Value, right: Value): boolean {
  if (typeof left === 'bigint' || typeof right === 'bigint') return left < right;
  return Buffer.compare(Buffer.from(left), Buffer.from(right)) < 0;
}

/** A conditional update of one item, as data: the store renders and carries it out, a simulation interprets it. */
export interface Update {
  readonly table: Table;
  readonly key: Key;
  readonly when: Condition;
  readonly set?: Readonly<Record<string, Value>>;
  /** Added to the attribute; absent counts as 0. */
  readonly add?: Readonly<Record<string, bigint>>;
}

/** A whole new item. */
export interface Put {
  readonly table: Table;
  readonly item: Item;
  readonly when: Condition;
}

/** A deletion of one item, on a condition. */
interface Delete {
  readonly table: Table;
  readonly key: Key;
  readonly when: Condition;
}

/** One action of a transaction; no two may name the same item. */
export type Action = { readonly update: Update } | { readonly put: Put };

/** What became of a conditional write. A refused one carries the item as it was, if there was one. */
export type WriteResult =
  | { readonly applied: true; readonly item: Item }
  | { readonly applied: false; readonly item: Item | undefined };

/** What became of a transaction. `refused` holds, per action, whether its condition failed and the item it saw. */
export type TransactionResult =
  | { readonly applied: true }
  | { readonly applied: false; readonly refused: readonly (RefusedAction | undefined)[] };

export interface RefusedAction {
  readonly item: Item | undefined;
}

/** A keyset query over a table or one of its indexes. */
export interface Query {
  readonly table: Table;
  readonly index?: string;
  readonly partition: { readonly attribute: string; readonly value: Value };
  /** Inclusive range of the sort key. */
  readonly sort?: { readonly attribute: string; readonly from: Value; readonly to: Value };
  readonly descending?: boolean;
  /** The only attributes that are brought; a page is full by what is read (1 MB) all the same. @default all */
  readonly attributes?: readonly string[];
  /** May show an older state, for half the read units. @default false, of an index true */
  readonly eventual?: boolean;
  readonly limit: number;
  /** `next` of the page before. */
  readonly after?: Item;
}

export interface Page {
  readonly items: readonly Item[];
  readonly next?: Item;
}

/** How an item is read. */
export interface ReadOptions {
  /** May show an older state, for half the read units. @default false */
  readonly eventual?: boolean;
}

/**
 * The store of the metering tables. Reads of a table are strongly consistent unless they ask not to be; reads of an
 * index never are. Every method rejects with {@link StoreUnavailableError} when the store refuses or does not answer
 * in time; none retries by itself.
 */
export interface Store {
  get(table: Table, key: Key, options?: ReadOptions): Promise<Item | undefined>;
  query(query: Query): Promise<Page>;
  put(put: Put): Promise<WriteResult>;
  update(update: Update): Promise<WriteResult>;
  /** Deletes an item if the condition holds. Resolves to whether it did. */
  delete(target: Delete): Promise<boolean>;
  transact(actions: readonly Action[]): Promise<TransactionResult>;
}

/** The store refused or did not answer in its time. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  /** Whether the write may have been carried out all the same (no response), or certainly was not (throttled). */
  readonly maybeApplied: boolean;
  /** Whether it broke, so that there is time to ask again; else its time ran out. */
  readonly broke: boolean;

  constructor(message: string, maybeApplied: boolean, cause?: unknown, broke = false) {
    super(message, { cause });
    this.maybeApplied = maybeApplied;
    this.broke = broke;
  }
}

/** Recognised by its name: the store may come from another bundle than this code, and brings its own class. */
export function isStoreUnavailable(error: unknown): error is StoreUnavailableError {
  const name: StoreUnavailableError['name'] = 'StoreUnavailableError';
  return error instanceof Error && error.name === name;
}

/** Request fields of DynamoDB that carry expressions. Only what is used is present. */
interface Expressions {
  readonly ConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly KeyConditionExpression?: string;
  readonly ProjectionExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, AttributeValue>;
}

/** An update without the item that it is of. */
export type Changes = Omit<Update, 'table' | 'key'>;

/** A stored value as DynamoDB sends it. */
export function attributeValue(value: Value): AttributeValue {
  return typeof value === 'bigint' ? { N: value.toString() } : { S: value };
}

/** The condition of a put or of a check in a transaction. */
export function conditionExpressions(when: Condition): Expressions {
  const aliases = new Aliases();
  return { ...conditionPart(when, aliases), ...aliases.fields() };
}

/** Condition and changes of an update. */
export function updateExpressions(update: Changes): Expressions {
  const aliases = new Aliases();
  const changes = updatePart(update, aliases);
  return { ...conditionPart(update.when, aliases), ...changes, ...aliases.fields() };
}

/** Every attribute that an update names, in its key, its condition or its changes: what IAM compares with a policy. */
export function namedAttributes({ key, ...changes }: Omit<Update, 'table'>): string[] {
  const { ExpressionAttributeNames = {} } = updateExpressions(changes);
  return [...new Set([...Object.keys(key), ...Object.values(ExpressionAttributeNames)])];
}

/** Partition, sort key range and attributes of a query. */
export function queryExpressions(query: Query): Expressions {
  const aliases = new Aliases();
  const parts = [`${aliases.name(query.partition.attribute)} = ${aliases.value(query.partition.value)}`];
  if (query.sort !== undefined) {
    const { attribute, from, to } = query.sort;
    parts.push(`${aliases.name(attribute)} BETWEEN ${aliases.value(from)} AND ${aliases.value(to)}`);
  }
  const projection = query.attributes?.map((attribute) => aliases.name(attribute)).join(', ');
  return {
    KeyConditionExpression: parts.join(' AND '),
    ...(projection !== undefined && { ProjectionExpression: projection }),
    ...aliases.fields(),
  };
}

/** Placeholders for names and values: any attribute name is then legal, whatever words DynamoDB reserves. */
class Aliases {
  readonly #names = new Map<string, string>();
  readonly #values: Value[] = [];

  name(attribute: string): string {
    const known = this.#names.get(attribute);
    if (known !== undefined) return known;
    const alias = `#n${this.#names.size}`;
    this.#names.set(attribute, alias);
    return alias;
  }

  value(value: Value): string {
    return `:v${this.#values.push(value) - 1}`;
  }

  fields(): Pick<Expressions, 'ExpressionAttributeNames' | 'ExpressionAttributeValues'> {
    const names = [...this.#names].map(([attribute, alias]) => [alias, attribute]);
    const values = this.#values.map((value, index) => [`:v${index}`, attributeValue(value)]);
    return {
      ...(names.length > 0 && { ExpressionAttributeNames: Object.fromEntries(names) }),
      ...(values.length > 0 && { ExpressionAttributeValues: Object.fromEntries(values) }),
    };
  }
}

function conditionPart(when: Condition, aliases: Aliases): Pick<Expressions, 'ConditionExpression'> {
  if (when.length === 0) return {};
  const clauses = when.map((clause) => {
    if ('is' in clause) return term(clause, aliases);
    return `(${clause.map((alternative) => term(alternative, aliases)).join(' OR ')})`;
  });
  return { ConditionExpression: clauses.join(' AND ') };
}

function term(comparison: Term, aliases: Aliases): string {
  const name = aliases.name(comparison.attribute);
  if ('value' in comparison) return `${name} ${comparison.is} ${aliases.value(comparison.value)}`;
  return comparison.is === 'present' ? `attribute_exists(${name})` : `attribute_not_exists(${name})`;
}

function updatePart(update: Changes, aliases: Aliases): Pick<Expressions, 'UpdateExpression'> {
  const set = Object.entries(update.set ?? {}).map(
    ([attribute, value]) => `${aliases.name(attribute)} = ${aliases.value(value)}`,
  );
  const add = Object.entries(update.add ?? {}).map(
    ([attribute, value]) => `${aliases.name(attribute)} ${aliases.value(value)}`,
  );
  const sections = [...section('SET', set), ...section('ADD', add)];
  return sections.length === 0 ? {} : { UpdateExpression: sections.join(' ') };
}

function section(keyword: string, actions: readonly string[]): string[] {
  return actions.length === 0 ? [] : [`${keyword} ${actions.join(', ')}`];
}
