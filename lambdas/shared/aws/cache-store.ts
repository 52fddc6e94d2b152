import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import type { ClientConfig } from '../../shared/aws/client-settings.ts';
import { connectDynamo } from '../../shared/aws/dynamo-client.ts';
import { CACHE_TABLE_VARIABLE, requireVariable } from '../runtime/environment.ts';
import { CACHE_TABLE_SHAPE } from './cache-table.ts';

/** Time to open a connection, in milliseconds. */
const CONNECT_TIMEOUT_MS = 100;
/** Time for a read, connection and response included, in milliseconds: one that is slow to come is a miss. */
const READ_TIMEOUT_MS = 100;
/** Time for the writes of one request, in milliseconds. They run beside the charge. */
const WRITE_TIMEOUT_MS = 250;
/** Most items that DynamoDB reads by one request. */
const MAX_READ_ITEMS = 100;
/** Most items that DynamoDB writes by one request. */
const MAX_WRITTEN_ITEMS = 25;
const MILLISECONDS_PER_SECOND = 1_000;

/** A response as all instances share it. */
export interface StoredResponse {
  readonly key: string;
  readonly body: Uint8Array;
  /** Milliseconds since the epoch. Kept in whole seconds, rounded down. */
  readonly expiresAt: number;
}

/** Responses that all instances share. Both methods reject when the store refuses or does not answer in its time. */
export interface CacheStore {
  /** Reads at most 100 responses by one request. What is missing, and what the store's reply has no room for, is left out. */
  read(keys: readonly string[]): Promise<readonly StoredResponse[]>;
  /** Writes at most 100 responses, in parallel requests. What the store has no room for at the moment is left out. */
  write(responses: readonly StoredResponse[]): Promise<void>;
}

interface CacheStoreOptions {
  /** Physical name of the table. */
  readonly tableName: string;
  /** Endpoint, region and credentials, where they are not the environment's. */
  readonly clientConfig?: ClientConfig;
  /** @default CONNECT_TIMEOUT_MS */
  readonly connectTimeoutMs?: number;
  /** @default READ_TIMEOUT_MS */
  readonly readTimeoutMs?: number;
  /** @default WRITE_TIMEOUT_MS */
  readonly writeTimeoutMs?: number;
}

/** The store of shared responses on DynamoDB. Opens no connection before its first use, and never retries. */
export function createCacheStore(options: CacheStoreOptions): CacheStore {
  const { tableName, clientConfig, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
  const { readTimeoutMs = READ_TIMEOUT_MS, writeTimeoutMs = WRITE_TIMEOUT_MS } = options;
  const connect = (timeoutMs: number) => connectDynamo({ config: clientConfig, connectTimeoutMs, timeoutMs });
  const reader = connect(readTimeoutMs);
  const writer = connect(writeTimeoutMs);

  return {
    async read(keys) {
      if (keys.length > MAX_READ_ITEMS) throw new Error(`${keys.length} keys for one read`);
      if (keys.length === 0) return [];
      const Keys = keys.map((key) => ({ [CACHE_TABLE_SHAPE.partitionKey]: { S: key } }));
      const command = new BatchGetItemCommand({ RequestItems: { [tableName]: { Keys } } });
      const output = await reader.send(command);
      return (output.Responses?.[tableName] ?? []).flatMap((item) => toResponse(item) ?? []);
    },
    write: (responses) => putItems(writer, tableName, responses.map(toItem)),
  };
}

/** Puts items in parallel requests. What the store has no room for at the moment is left out. */
export async function putItems(
  client: DynamoDBClient,
  tableName: string,
  items: readonly Record<string, AttributeValue>[],
): Promise<void> {
  const requests = items.map((Item) => ({ PutRequest: { Item } }));
  const batches = Array.from({ length: Math.ceil(requests.length / MAX_WRITTEN_ITEMS) }, (_, index) =>
    requests.slice(index * MAX_WRITTEN_ITEMS, (index + 1) * MAX_WRITTEN_ITEMS),
  );
  await Promise.all(
    batches.map((batch) => client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: batch } }))),
  );
}

/**
 * The shared responses of this function's environment, to be opened once per instance. Does no I/O before its first use.
 * `times`: where they are not those of a look-up that a node can do as well.
 */
export function openCacheStore(
  times: Pick<CacheStoreOptions, 'connectTimeoutMs' | 'readTimeoutMs'> = {},
): CacheStore {
  return createCacheStore({ tableName: requireVariable(CACHE_TABLE_VARIABLE), ...times });
}

function toItem({ key, body, expiresAt }: StoredResponse): Record<string, AttributeValue> {
  return {
    [CACHE_TABLE_SHAPE.partitionKey]: { S: key },
    body: { B: body },
    [CACHE_TABLE_SHAPE.expiry]: { N: String(Math.floor(expiresAt / MILLISECONDS_PER_SECOND)) },
  };
}

function toResponse(item: Readonly<Record<string, AttributeValue>>): StoredResponse | undefined {
  const key = item[CACHE_TABLE_SHAPE.partitionKey]?.S;
  const body = item.body?.B;
  const expiry = item[CACHE_TABLE_SHAPE.expiry]?.N;
  if (key === undefined || body === undefined || expiry === undefined) return undefined;
  return { key, body, expiresAt: Number(expiry) * MILLISECONDS_PER_SECOND };
}
