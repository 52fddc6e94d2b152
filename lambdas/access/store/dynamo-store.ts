import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { ClientConfig, TimeLeft } from '../../shared/aws/client-settings.ts';
import { connectDynamo } from '../../shared/aws/dynamo-client.ts';
import { isRefusal } from '../../shared/aws/refusal.ts';
import { UpstreamError } from '../../shared/http/upstream-error.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { errorField } from '../../shared/runtime/log.ts';
import {
  attributeValue,
  conditionExpressions,
  type Item,
  type Put,
  type Query,
  queryExpressions,
  type RefusedAction,
  type Store,
  StoreUnavailableError,
  type Update,
  updateExpressions,
  type Value,
  type WriteResult,
} from './store.ts';
import type { Table } from './tables.ts';

/** Time to open a connection, in milliseconds. */
const CONNECT_TIMEOUT_MS = 300;
/** Time for one whole exchange, connection and response included, in milliseconds. */
const REQUEST_TIMEOUT_MS = 1_000;
/** Least time that is worth another read, in milliseconds. */
const MIN_READ_MS = 50;
/** A write that is refused says what stands in its way. */
const WITH_OLD_ITEM = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

interface DynamoStoreOptions {
  /** Physical names of the tables. */
  readonly tableNames: Readonly<Record<Table, string>>;
  /** Endpoint, region and credentials, where they are not the environment's. */
  readonly clientConfig?: ClientConfig;
  /** @default CONNECT_TIMEOUT_MS */
  readonly connectTimeoutMs?: number;
  /** @default REQUEST_TIMEOUT_MS */
  readonly requestTimeoutMs?: number;
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** @default connectDynamo */
  readonly connect?: typeof connectDynamo;
}

/** The store on DynamoDB. Opens no connection before its first use. */
export function createDynamoStore(options: DynamoStoreOptions): Store {
  const { tableNames, clientConfig: config, clock, connect = connectDynamo } = options;
  const { connectTimeoutMs = CONNECT_TIMEOUT_MS, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  const client = connect({ config, connectTimeoutMs, timeoutMs: requestTimeoutMs, clock });
  return {
    async get(table, key, { eventual = false } = {}) {
      const input = { TableName: tableNames[table], Key: toAttributes(key), ConsistentRead: !eventual };
      const { Item } = await readIn(requestTimeoutMs, (left) => client.send(new GetItemCommand(input), left));
      return Item && toItem(Item);
    },
    async query(query) {
      const input = { TableName: tableNames[query.table], ...queryFields(query) };
      const { Items = [], LastEvaluatedKey: next } = await readIn(requestTimeoutMs, (left) =>
        client.send(new QueryCommand(input), left),
      );
      return { items: Items.map(toItem), ...(next && { next: toItem(next) }) };
    },
    async put(put) {
      const sent = client.send(new PutItemCommand(putFields(tableNames[put.table], put)));
      return sent.then(() => ({ applied: true, item: put.item }), refused);
    },
    update: (update) => updateItem(client, tableNames[update.table], update),
    async delete({ table, key, when }) {
      const input = { TableName: tableNames[table], Key: toAttributes(key), ...conditionExpressions(when) };
      const sent = client.send(new DeleteItemCommand(input));
      const { applied } = await sent.then(() => ({ applied: true }), refused);
      return applied;
    },
    async transact(actions) {
      const TransactItems = actions.map((action) =>
        'put' in action
          ? { Put: putFields(tableNames[action.put.table], action.put) }
          : { Update: updateFields(tableNames[action.update.table], action.update) },
      );
      const failed = (error: unknown) =>
        ({ applied: false, refused: refusedActions(error) ?? unavailable(error) }) as const;
      const sent = client.send(new TransactWriteItemsCommand({ TransactItems }));
      return sent.then(() => ({ applied: true }) as const, failed);
    },
  };
}

/** Reads once more, in the time that is left, if it broke: it changes nothing. */
async function readIn<Output>(
  timeoutMs: number,
  send: (left?: TimeLeft) => Promise<Output>,
): Promise<Output> {
  const until = performance.now() + timeoutMs;
  try {
    return await send();
  } catch (error) {
    const failure = storeUnavailable(error);
    const leftMs = Math.floor(until - performance.now());
    if (!failure.broke || leftMs < MIN_READ_MS) throw failure;
    return await send({ requestTimeout: leftMs }).catch(unavailable);
  }
}

function queryFields(query: Query) {
  const { index, eventual = false, descending = false, limit, after } = query;
  return {
    ...(index === undefined ? { ConsistentRead: !eventual } : { IndexName: index }),
    ...queryExpressions(query),
    ScanIndexForward: !descending,
    Limit: limit,
    ...(after && { ExclusiveStartKey: toAttributes(after) }),
  };
}

function putFields(tableName: string, { item, when }: Put) {
  return {
    TableName: tableName,
    Item: toAttributes(item),
    ...conditionExpressions(when),
    ...WITH_OLD_ITEM,
  };
}

/** Updates one item of a table. Rejects with `StoreUnavailableError`. */
export async function updateItem(
  client: DynamoDBClient,
  tableName: string,
  update: Omit<Update, 'table'>,
): Promise<WriteResult> {
  const input = { ...updateFields(tableName, update), ReturnValues: 'ALL_NEW' as const };
  const sent = client.send(new UpdateItemCommand(input));
  return sent.then(({ Attributes = {} }) => ({ applied: true, item: toItem(Attributes) }), refused);
}

function updateFields(tableName: string, { key, ...changes }: Omit<Update, 'table'>) {
  return {
    TableName: tableName,
    Key: toAttributes(key),
    UpdateExpression: undefined,
    ...updateExpressions(changes),
    ...WITH_OLD_ITEM,
  };
}

/** The attributes of a key or an item as DynamoDB takes them. */
export function toAttributes(item: Item): Record<string, AttributeValue> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, attributeValue(value)]));
}

/** The write that failed for its condition. */
function refused(error: unknown): WriteResult {
  const { item } = refusedWrite(error) ?? unavailable(error);
  return { applied: false, item };
}

/** Rejects with what a failure of the store is for its callers. */
export function unavailable(error: unknown): never {
  throw storeUnavailable(error);
}

/** An item as DynamoDB sends it. */
export function toItem(attributes: Readonly<Record<string, AttributeValue>>): Item {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, toValue(name, value)]));
}

function toValue(name: string, { S, N }: AttributeValue): Value {
  if (S !== undefined) return S;
  if (N !== undefined) return BigInt(N);
  throw new TypeError(`attribute ${name} is neither a string nor a number`);
}

/** The refusal in the failure of a put or an update; undefined if it was not the condition that failed. */
function refusedWrite(error: unknown): RefusedAction | undefined {
  if (!(error instanceof ConditionalCheckFailedException)) return undefined;
  return { item: error.Item && toItem(error.Item) };
}

/** The refusals in the failure of a transaction, per action; undefined if anything but conditions stopped it. */
function refusedActions(error: unknown): (RefusedAction | undefined)[] | undefined {
  const reasons = error instanceof TransactionCanceledException ? error.CancellationReasons : undefined;
  if (reasons === undefined) return undefined;
  const onlyConditions = reasons.every(({ Code }) => Code === 'None' || Code === 'ConditionalCheckFailed');
  if (!onlyConditions) return undefined;
  return reasons.map(({ Code, Item }) => (Code === 'None' ? undefined : { item: Item && toItem(Item) }));
}

/**
 * Every other failure. DynamoDB carries out nothing that it answers with a 4xx (throttled, conflict, invalid). After a
 * 5xx, or without a response, the outcome is unknown.
 */
function storeUnavailable(error: unknown): StoreUnavailableError {
  const timedOut = error instanceof UpstreamError && error.kind === 'timeout';
  const refused = isRefusal(error);
  return new StoreUnavailableError(errorField(error), !refused, error, !refused && !timedOut);
}
