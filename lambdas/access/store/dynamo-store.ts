import {
  type AttributeValue,
  type ConsumedCapacity,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { ClientConfig } from '../../shared/aws/client-settings.ts';
import { connectDynamo } from '../../shared/aws/dynamo-client.ts';
import type { TimeLeft } from '../../shared/aws/request-handler.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { refusedActions, refusedWrite, storeUnavailable, toItem } from './dynamo-failure.ts';
import { attributeValue, conditionExpressions, queryExpressions, updateExpressions } from './expression.ts';
import type {
  Action,
  Check,
  Item,
  Key,
  Page,
  Put,
  Query,
  ReadOptions,
  Store,
  TransactionResult,
  Update,
  WriteResult,
} from './store.ts';
import type { Table } from './tables.ts';

/** Time to open a connection, in milliseconds. */
export const CONNECT_TIMEOUT_MS = 300;
/** Time for one whole exchange, connection and answer included, in milliseconds. */
export const REQUEST_TIMEOUT_MS = 1_000;
/** Least time that is worth another read, in milliseconds. */
const MIN_READ_MS = 50;

/** What one request to DynamoDB consumed, as DynamoDB told it. */
export interface ConsumedUnits {
  readonly operation: keyof Store;
  readonly table: Table;
  readonly readUnits: number;
  readonly writeUnits: number;
}

export interface DynamoStoreOptions {
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
  /**
   * Told after each request. DynamoDB does not say what a refused write consumed (at least one unit): it is
   * reported as one write unit per table that refused.
   */
  readonly onCapacity?: (units: ConsumedUnits) => void;
}

/** The store on DynamoDB. Opens no connection before its first use. */
export function createDynamoStore(options: DynamoStoreOptions): Store {
  return new DynamoStore(options);
}

class DynamoStore implements Store {
  readonly #client: DynamoDBClient;
  readonly #requestTimeoutMs: number;
  readonly #tableNames: Readonly<Record<Table, string>>;
  readonly #onCapacity: ((units: ConsumedUnits) => void) | undefined;

  constructor(options: DynamoStoreOptions) {
    this.#tableNames = options.tableNames;
    this.#onCapacity = options.onCapacity;
    this.#requestTimeoutMs = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
    this.#client = connectDynamo({
      config: options.clientConfig,
      connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      timeoutMs: this.#requestTimeoutMs,
      clock: options.clock,
    });
  }

  async get(table: Table, key: Key, { eventual = false }: ReadOptions = {}): Promise<Item | undefined> {
    const input = {
      TableName: this.#tableNames[table],
      Key: toAttributes(key),
      ConsistentRead: !eventual,
      ReturnConsumedCapacity: 'TOTAL',
    } as const;
    const output = await this.#read((options) => this.#client.send(new GetItemCommand(input), options));
    this.#reportRead('get', table, output.ConsumedCapacity);
    return output.Item && toItem(output.Item);
  }

  async query(query: Query): Promise<Page> {
    const input = {
      TableName: this.#tableNames[query.table],
      ...(query.index === undefined
        ? { ConsistentRead: query.eventual !== true }
        : { IndexName: query.index }),
      ...queryExpressions(query),
      ScanIndexForward: query.descending !== true,
      Limit: query.limit,
      ...(query.after && { ExclusiveStartKey: toAttributes(query.after) }),
      ReturnConsumedCapacity: 'TOTAL',
    } as const;
    const output = await this.#read((options) => this.#client.send(new QueryCommand(input), options));
    this.#reportRead('query', query.table, output.ConsumedCapacity);
    return {
      items: (output.Items ?? []).map(toItem),
      ...(output.LastEvaluatedKey && { next: toItem(output.LastEvaluatedKey) }),
    };
  }

  async put(put: Put): Promise<WriteResult> {
    const command = new PutItemCommand({
      ...this.#putFields(put),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ReturnConsumedCapacity: 'TOTAL',
    });
    try {
      const output = await this.#client.send(command);
      this.#reportWrite('put', put.table, output.ConsumedCapacity);
      return { applied: true, item: put.item };
    } catch (error) {
      return this.#refusedWrite('put', put.table, error);
    }
  }

  async update(update: Update): Promise<WriteResult> {
    const command = new UpdateItemCommand({
      ...this.#updateFields(update),
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ReturnConsumedCapacity: 'TOTAL',
    });
    try {
      const output = await this.#client.send(command);
      this.#reportWrite('update', update.table, output.ConsumedCapacity);
      return { applied: true, item: toItem(output.Attributes ?? {}) };
    } catch (error) {
      return this.#refusedWrite('update', update.table, error);
    }
  }

  async delete({ table, key, when }: Check): Promise<boolean> {
    const command = new DeleteItemCommand({
      TableName: this.#tableNames[table],
      Key: toAttributes(key),
      ...conditionExpressions(when),
      ReturnConsumedCapacity: 'TOTAL',
    });
    try {
      const output = await this.#client.send(command);
      this.#reportWrite('delete', table, output.ConsumedCapacity);
      return true;
    } catch (error) {
      return this.#refusedWrite('delete', table, error).applied;
    }
  }

  async transact(actions: readonly Action[]): Promise<TransactionResult> {
    const command = new TransactWriteItemsCommand({
      TransactItems: actions.map((action) => this.#transactItem(action)),
      ReturnConsumedCapacity: 'TOTAL',
    });
    try {
      const output = await this.#client.send(command);
      this.#reportTransaction(actions, output.ConsumedCapacity);
      return { applied: true };
    } catch (error) {
      const refused = refusedActions(error);
      if (refused === undefined) return unavailable(error);
      this.#reportTransaction(actions);
      return { applied: false, refused };
    }
  }

  /** Reads once more, in the time that is left, if it broke: it changes nothing. */
  async #read<Output>(send: (options?: TimeLeft) => Promise<Output>): Promise<Output> {
    const until = performance.now() + this.#requestTimeoutMs;
    try {
      return await send();
    } catch (error) {
      const failure = storeUnavailable(error);
      const leftMs = Math.floor(until - performance.now());
      if (!failure.broke || leftMs < MIN_READ_MS) throw failure;
      return await send({ requestTimeout: leftMs }).catch(unavailable);
    }
  }

  #refusedWrite(operation: 'put' | 'update' | 'delete', table: Table, error: unknown): WriteResult {
    const refused = refusedWrite(error);
    if (refused === undefined) return unavailable(error);
    this.#reportWrite(operation, table);
    return { applied: false, item: refused.item };
  }

  #putFields(put: Put) {
    return {
      TableName: this.#tableNames[put.table],
      Item: toAttributes(put.item),
      ...conditionExpressions(put.when),
    };
  }

  #updateFields(update: Update) {
    return {
      TableName: this.#tableNames[update.table],
      Key: toAttributes(update.key),
      ...updateExpressions(update),
    };
  }

  #transactItem(action: Action) {
    const onFailure = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
    if ('put' in action) return { Put: { ...this.#putFields(action.put), ...onFailure } };
    if ('update' in action) {
      return { Update: { UpdateExpression: undefined, ...this.#updateFields(action.update), ...onFailure } };
    }
    const { table, key, when } = action.check;
    const { ConditionExpression, ...aliases } = conditionExpressions(when);
    const target = { TableName: this.#tableNames[table], Key: toAttributes(key) };
    return { ConditionCheck: { ConditionExpression, ...aliases, ...target, ...onFailure } };
  }

  #reportRead(operation: keyof Store, table: Table, capacity: ConsumedCapacity | undefined): void {
    this.#onCapacity?.({ operation, table, readUnits: capacity?.CapacityUnits ?? 0, writeUnits: 0 });
  }

  #reportWrite(operation: keyof Store, table: Table, capacity?: ConsumedCapacity): void {
    this.#onCapacity?.({ operation, table, readUnits: 0, writeUnits: capacity?.CapacityUnits ?? 1 });
  }

  #reportTransaction(actions: readonly Action[], capacities: readonly ConsumedCapacity[] = []): void {
    for (const table of new Set(actions.map(tableOf))) {
      const capacity = capacities.find(({ TableName }) => TableName === this.#tableNames[table]);
      this.#reportWrite('transact', table, capacity);
    }
  }
}

/** The attributes of a key or an item as DynamoDB takes them. */
function toAttributes(item: Item): Record<string, AttributeValue> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, attributeValue(value)]));
}

function tableOf(action: Action): Table {
  if ('put' in action) return action.put.table;
  return 'update' in action ? action.update.table : action.check.table;
}

function unavailable(error: unknown): never {
  throw storeUnavailable(error);
}
