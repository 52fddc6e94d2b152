import {
  BatchGetItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  ProvisionedThroughputExceededException,
} from '@aws-sdk/client-dynamodb';
import { putItems } from '../../shared/aws/cache-store.ts';
import { CACHE_TABLE_SHAPE } from '../../shared/aws/cache-table.ts';
import type { ClientConfig } from '../../shared/aws/client-settings.ts';
import { connectDynamo } from '../../shared/aws/dynamo-client.ts';
import { toAttributes, toItem, unavailable, updateItem } from './dynamo-store.ts';
import { textOf } from './item-values.ts';
import type { Changes, Item, Key, WriteResult } from './store.ts';

const MILLISECONDS_PER_SECOND = 1_000;
/** Status with which DynamoDB throttles an item that is asked for by itself. */
const THROTTLED_STATUS = 400;

/** Where items are that instances share. */
export interface SharedItemsOptions {
  /** Physical name of the table: that of the shared responses, of which nothing must last either. */
  readonly tableName: string;
  /** Endpoint, region and credentials, where they are not the environment's. */
  readonly clientConfig?: ClientConfig | undefined;
  /** Time to open a connection, and for a whole request, in milliseconds. @default those of who uses the items */
  readonly connectTimeoutMs?: number | undefined;
  readonly requestTimeoutMs?: number | undefined;
}

/** Time to open a connection, and for a whole request, in milliseconds, unless the options have others. */
interface UsualTimes {
  readonly connectMs: number;
  readonly requestMs: number;
}

/** A client waits, and can do without. */
const USUAL_TIMES: UsualTimes = { connectMs: 100, requestMs: 150 };

/**
 * Items of the table of shared responses whose keys begin alike: what instances share of a chain, a key or a node. Does no I/O
 * before its first use, and never retries; each method rejects when the store does not answer in its time.
 */
export class SharedItems {
  readonly #client: DynamoDBClient;
  readonly #prefix: string;
  readonly #tableName: string;

  constructor(prefix: string, options: SharedItemsOptions, { connectMs, requestMs } = USUAL_TIMES) {
    const { tableName, clientConfig: config, requestTimeoutMs: timeoutMs = requestMs } = options;
    const { connectTimeoutMs = Math.min(connectMs, timeoutMs) } = options;
    this.#client = connectDynamo({ config, connectTimeoutMs, timeoutMs });
    this.#prefix = prefix;
    this.#tableName = tableName;
  }

  /** @param isNow as it is now, and not as it was a moment ago; costs twice as much */
  async get(name: string, isNow: boolean): Promise<Item | undefined> {
    const input = { TableName: this.#tableName, Key: toAttributes(this.#keyOf(name)), ConsistentRead: isNow };
    const { Item } = await this.#client.send(new GetItemCommand(input)).catch(unavailable);
    return Item === undefined ? undefined : toItem(Item);
  }

  /** The items that there are of at most 100, by their names. */
  async getAll(names: readonly string[], isNow: boolean): Promise<ReadonlyMap<string, Item>> {
    if (names.length === 0) return new Map();
    const Keys = names.map((name) => toAttributes(this.#keyOf(name)));
    const command = new BatchGetItemCommand({
      RequestItems: { [this.#tableName]: { Keys, ConsistentRead: isNow } },
    });
    const { Responses = {}, UnprocessedKeys = {} } = await this.#client.send(command).catch(unavailable);
    if (UnprocessedKeys[this.#tableName] !== undefined)
      unavailable(
        new ProvisionedThroughputExceededException({
          message: 'some items were left out',
          $metadata: { httpStatusCode: THROTTLED_STATUS },
        }),
      );
    const items = (Responses[this.#tableName] ?? []).map(toItem);
    return new Map(
      items.map((item) => [textOf(item, CACHE_TABLE_SHAPE.partitionKey).slice(this.#prefix.length), item]),
    );
  }

  /** @param expiresAt when it may be dropped, in milliseconds since the epoch */
  update(name: string, changes: Changes, expiresAt: number): Promise<WriteResult> {
    const set = { ...changes.set, ...expiryOf(expiresAt) };
    return updateItem(this.#client, this.#tableName, { ...changes, key: this.#keyOf(name), set });
  }

  /** Puts whole items by their names, whatever is there. What the store has no room for at the moment is left out. */
  putAll(items: ReadonlyMap<string, Item>, expiresAt: (item: Item) => number): Promise<void> {
    const whole = [...items].map(([name, item]) =>
      toAttributes({ ...this.#keyOf(name), ...item, ...expiryOf(expiresAt(item)) }),
    );
    return putItems(this.#client, this.#tableName, whole);
  }

  #keyOf(name: string): Key {
    return { [CACHE_TABLE_SHAPE.partitionKey]: `${this.#prefix}${name}` };
  }
}

function expiryOf(expiresAt: number): Item {
  return { [CACHE_TABLE_SHAPE.expiry]: BigInt(Math.floor(expiresAt / MILLISECONDS_PER_SECOND)) };
}
