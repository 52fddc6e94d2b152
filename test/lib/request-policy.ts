/** A request to DynamoDB: an operation, and its input as it is sent. */
export interface DynamoRequest {
  /** Such as `UpdateItem`. */
  readonly operation: string;
  /** Of a request for several items of one table, `Keys` in place of what names the table to DynamoDB. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** A statement of a policy. What else a statement can have, those of this stack do not. */
export interface PolicyStatement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

/** Names in expressions: what has a placeholder, and what stands there by itself, up to its first dot or bracket. */
const NAME = /(?<![:\w.])[#A-Za-z_]\w*/g;
const WORDS = new Set(
  'SET ADD REMOVE DELETE AND OR NOT BETWEEN IN attribute_exists attribute_not_exists attribute_type begins_with contains size if_not_exists list_append'.split(
    ' ',
  ),
);
const EXPRESSIONS = [
  'UpdateExpression',
  'ConditionExpression',
  'KeyConditionExpression',
  'FilterExpression',
  'ProjectionExpression',
];
/** Members whose own members are attributes. */
const BY_ATTRIBUTE = ['Key', 'Item', 'AttributeUpdates', 'Expected'];

/**
 * The attributes that DynamoDB tells IAM of a request (`dynamodb:Attributes`): each top-level one that its parameters
 * name. `withKey`: whether those of the key are among them, which AWS shows by its examples alone.
 */
export function attributesOf({ input }: DynamoRequest, { withKey = true } = {}): string[] {
  const aliases = (input.ExpressionAttributeNames ?? {}) as Readonly<Record<string, string>>;
  const inExpressions = EXPRESSIONS.flatMap((member) => String(input[member] ?? '').match(NAME) ?? [])
    .filter((word) => !WORDS.has(word))
    .map((name) => aliases[name] ?? name);
  const members = BY_ATTRIBUTE.filter((member) => withKey || member !== 'Key');
  const named = members.flatMap((member) => Object.keys((input[member] ?? {}) as object));
  return [...new Set([...inExpressions, ...named])];
}

/**
 * Whether one of the statements allows a request. There are no denials to weigh here, and an operator that is not known
 * is an error.
 * @param isOn whether a statement's resource is the table of the request
 */
export function isAllowed(
  statements: readonly PolicyStatement[],
  request: DynamoRequest,
  isOn: (resource: unknown) => boolean,
  options: { readonly withKey?: boolean } = {},
): boolean {
  const attributes = attributesOf(request, options);
  return statements.some(
    ({ Effect, Action, Resource, Condition = {} }) =>
      Effect === 'Allow' &&
      [Action].flat().includes(`dynamodb:${request.operation}`) &&
      [Resource].flat().some(isOn) &&
      Object.entries(Condition).every(([operator, keys]) =>
        holds(operator, keys, {
          'dynamodb:Attributes': attributes,
          'dynamodb:LeadingKeys': leadingKeysOf(request),
        }),
      ),
  );
}

type Key = Readonly<Record<string, { readonly S?: string }>>;

/** Partition keys of a request of a table that has no sort key: each item has one attribute in its key. */
function leadingKeysOf({ input: { Key = {}, Keys = [Key] } }: DynamoRequest): string[] {
  return (Keys as readonly Key[]).flatMap((key) => Object.values(key).flatMap(({ S }) => S ?? []));
}

/** An operator over sets, as IAM defines it: of an empty one `ForAllValues` is true and `ForAnyValue` is false. */
function holds(
  operator: string,
  keys: Readonly<Record<string, string | readonly string[]>>,
  facts: Readonly<Record<string, readonly string[]>>,
): boolean {
  return Object.entries(keys).every(([key, values]) => {
    const told = facts[key];
    if (told === undefined) throw new Error(`a condition on ${key}`);
    const listed = [values].flat();
    if (operator === 'ForAllValues:StringEquals') return told.every((name) => listed.includes(name));
    if (operator === 'ForAnyValue:StringEquals') return told.some((name) => listed.includes(name));
    if (operator === 'ForAllValues:StringLike')
      return told.every((name) => listed.some((form) => isLike(name, form)));
    throw new Error(`a condition by ${operator}`);
  });
}

/** Whether a text is of a form that ends in `*`. */
function isLike(text: string, form: string): boolean {
  if (form.indexOf('*') !== form.length - 1) throw new Error(`the form ${form}`);
  return text.startsWith(form.slice(0, -1));
}
