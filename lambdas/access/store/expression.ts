import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Condition, Query, Term, Update, Value } from './store.ts';

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
