import {
  type Action,
  type Condition,
  conditionExpressions,
  type Item,
  type Query,
  queryExpressions,
  StoreUnavailableError,
  type Update,
  updateExpressions,
  type Value,
} from '../../../lambdas/access/store/store.ts';
import { TABLES, type Table } from '../../../lambdas/access/store/tables.ts';
import { itemSize, textSize } from './item-size.ts';

type Expressions = ReturnType<typeof conditionExpressions>;

/** Limits of size by which DynamoDB refuses, in bytes. */
export const MAX_ITEM_SIZE = 400 * 1_024;
export const MAX_PAGE_SIZE = 1_024 * 1_024;
const MAX_PARTITION_KEY_SIZE = 2_048;
const MAX_SORT_KEY_SIZE = 1_024;
const MAX_EXPRESSION_SIZE = 4_096;
const MAX_OPERATORS = 300;
const MAX_TRANSACTION_ACTIONS = 100;
const MAX_TRANSACTION_SIZE = 4 * 1_024 * 1_024;
const MAX_DIGITS = 38;
const FIRST_TOO_LONG = 10n ** BigInt(MAX_DIGITS);
/** Parts with which no expression comes near its limits: the longest part has about 50 bytes. */
const CERTAINLY_SHORT = 40;
const OPERATORS = /[=<>+]|\b(?:AND|OR|BETWEEN|attribute_exists|attribute_not_exists|if_not_exists)\b/g;

/** Refuses a request as DynamoDB does: nothing is carried out. */
export function refuse(reason: string): never {
  throw new StoreUnavailableError(reason, false);
}

/** Refuses a whole item that is too large, has no key, or holds a number of too many digits. */
export function checkItem(table: Table, item: Item): void {
  checkKey(table, item);
  checkValues(Object.values(item));
  if (itemSize(item) > MAX_ITEM_SIZE) refuse(`an item of ${table} is larger than ${MAX_ITEM_SIZE} bytes`);
}

/** Refuses a key that is empty or too long. */
export function checkKey(table: Table, key: Item): void {
  const { partitionKey, sortKey } = TABLES[table];
  checkKeyValue(partitionKey, key[partitionKey], MAX_PARTITION_KEY_SIZE);
  if (sortKey !== undefined) checkKeyValue(sortKey, key[sortKey], MAX_SORT_KEY_SIZE);
}

/** Refuses a condition that is too long. */
export function checkCondition(when: Condition): void {
  if (checkTerms(when) > CERTAINLY_SHORT) checkExpressions(conditionExpressions(when));
}

/** Refuses an update that is too long, changes a key, or changes an attribute in two ways. */
export function checkUpdate(update: Update): void {
  const { table, key, when, set = {}, add = {} } = update;
  checkKey(table, key);
  const changed = [...Object.keys(set), ...Object.keys(add)];
  if (Object.keys(add).some((attribute) => attribute in set))
    refuse('an update changes an attribute in two ways');
  if (changed.some((attribute) => attribute in key)) refuse('an update changes a key');
  const terms = checkTerms(when);
  checkValues(Object.values(set));
  checkValues(Object.values(add));
  if (terms + changed.length > CERTAINLY_SHORT) checkExpressions(updateExpressions(update));
}

/** Refuses a query for a range that ends before it starts, for an empty key, and for a page of nothing. */
export function checkQuery(query: Query): void {
  const { partition, sort, attributes = [], limit } = query;
  if (partition.value === '') refuse('a query has an empty key');
  if (!(limit >= 1)) refuse('a query has no limit');
  if (sort !== undefined && compareValues(sort.from, sort.to) > 0) {
    refuse('the range of a query ends before it starts');
  }
  if (attributes.length > CERTAINLY_SHORT) checkExpressions(queryExpressions(query));
}

/** Refuses a transaction of too many actions or bytes. `items`: as they are after it. */
export function checkTransaction(actions: readonly Action[], items: readonly Item[]): void {
  if (actions.length === 0 || actions.length > MAX_TRANSACTION_ACTIONS) {
    refuse(`a transaction has ${actions.length} actions`);
  }
  const size = items.reduce((sum, item) => sum + itemSize(item), 0);
  if (size > MAX_TRANSACTION_SIZE) refuse(`a transaction has ${size} bytes`);
}

/** Refuses numbers that DynamoDB cannot hold. */
export function checkValues(values: readonly Value[]): void {
  for (const value of values) checkValue(value);
}

function checkValue(value: Value): void {
  if (typeof value !== 'bigint' || (value < FIRST_TOO_LONG && value > -FIRST_TOO_LONG)) return;
  refuse(`a number has more than ${MAX_DIGITS} digits`);
}

/** Numbers by value, strings by their UTF-8 bytes, as DynamoDB does. */
export function compareValues(left: Value, right: Value): number {
  if (left === right) return 0;
  if (typeof left === 'bigint' || typeof right === 'bigint') return left < right ? -1 : Number(left > right);
  // The order of UTF-16 is another one only where both have a surrogate or a character after them.
  if (AFTER_SURROGATES.test(left) && AFTER_SURROGATES.test(right)) {
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  }
  return left < right ? -1 : Number(left > right);
}

const AFTER_SURROGATES = /[\ud800-\uffff]/;

function checkKeyValue(name: string, value: Value | undefined, maxSize: number): void {
  if (typeof value !== 'string' || value === '') refuse(`the key ${name} is empty`);
  else if (textSize(value) > maxSize) refuse(`the key ${name} is longer than ${maxSize} bytes`);
}

function checkExpressions(expressions: Expressions): void {
  for (const [name, expression] of Object.entries(expressions)) {
    if (typeof expression !== 'string') continue;
    if (textSize(expression) > MAX_EXPRESSION_SIZE)
      refuse(`${name} is longer than ${MAX_EXPRESSION_SIZE} bytes`);
    const operators = expression.match(OPERATORS)?.length ?? 0;
    if (operators > MAX_OPERATORS) refuse(`${name} has more than ${MAX_OPERATORS} operators`);
  }
}

/** Refuses a condition with a number that DynamoDB cannot hold; returns how many terms it has. */
function checkTerms(when: Condition): number {
  let count = 0;
  for (const clause of when) {
    const terms = 'is' in clause ? [clause] : clause;
    for (const term of terms) if ('value' in term) checkValue(term.value);
    count += terms.length;
  }
  return count;
}
