import {
  type AttributeValue,
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
  Delete,
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
  /** @default connectDynamo */
  readonly connect?: typeof connectDynamo;
}

/** The store on DynamoDB. Opens no connection before its first use. */
export function createDynamoStore(options: DynamoStoreOptions): Store {
  return new DynamoStore(options);
}

class DynamoStore implements Store {
  readonly #client: DynamoDBClient;
  readonly #requestTimeoutMs: number;
  readonly #tableNames: Readonly<Record<Table, string>>;

  constructor(options: DynamoStoreOptions) {
    this.#tableNames = options.tableNames;
    this.#requestTimeoutMs = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
    this.#client = (options.connect ?? connectDynamo)({
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
    };
    const output = await this.#read((options) => this.#client.send(new GetItemCommand(input), options));
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
    };
    const output = await this.#read((options) => this.#client.send(new QueryCommand(input), options));
    return {
      items: (output.Items ?? []).map(toItem),
      ...(output.LastEvaluatedKey && { next: toItem(output.LastEvaluatedKey) }),
    };
  }

  async put(put: Put): Promise<WriteResult> {
    const command = new PutItemCommand({
      ...this.#putFields(put),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    try {
      await this.#client.send(command);
      return { applied: true, item: put.item };
    } catch (error) {
      return refused(error);
    }
  }

  async update(update: Update): Promise<WriteResult> {
    const command = new UpdateItemCommand({
      ...this.#updateFields(update),
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    try {
      const { Attributes = {} } = await this.#client.send(command);
      return { applied: true, item: toItem(Attributes) };
    } catch (error) {
      return refused(error);
    }
  }

  async delete({ table, key, when }: Delete): Promise<boolean> {
    const command = new DeleteItemCommand({
      TableName: this.#tableNames[table],
      Key: toAttributes(key),
      ...conditionExpressions(when),
    });
    try {
      await this.#client.send(command);
      return true;
    } catch (error) {
      return refused(error).applied;
    }
  }

  async transact(actions: readonly Action[]): Promise<TransactionResult> {
    const command = new TransactWriteItemsCommand({
      TransactItems: actions.map((action) => this.#transactItem(action)),
    });
    try {
      await this.#client.send(command);
      return { applied: true };
    } catch (error) {
      return { applied: false, refused: refusedActions(error) ?? unavailable(error) };
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
    return { Update: { UpdateExpression: undefined, ...this.#updateFields(action.update), ...onFailure } };
  }
}

/** The attributes of a key or an item as DynamoDB takes them. */
function toAttributes(item: Item): Record<string, AttributeValue> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, attributeValue(value)]));
}

/** The write that failed for its condition. */
function refused(error: unknown): WriteResult {
  const { item } = refusedWrite(error) ?? unavailable(error);
  return { applied: false, item };
}

function unavailable(error: unknown): never {
  throw storeUnavailable(error);
}
