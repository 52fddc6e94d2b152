import {
  type AttributeValue,
  BatchGetItemCommand,
  type DynamoDBClient,
  GetItemCommand,
} from '@aws-sdk/client-dynamodb';
import { putItems } from '../../shared/aws/cache-store.ts';
import { CACHE_TABLE_SHAPE, GIVEN_KEY_PREFIX } from '../../shared/aws/cache-table.ts';
import type { ClientConfig } from '../../shared/aws/client-settings.ts';
import { connectDynamo } from '../../shared/aws/dynamo-client.ts';
import { CACHE_TABLE_VARIABLE, requireVariable } from '../../shared/runtime/environment.ts';
import type { GivenHead, GivenHeadStore, Taker } from '../../shared/upstream/sharing/given-head.ts';
import { toItem } from './dynamo-failure.ts';
import { updateItem } from './dynamo-store.ts';
import { amountOf, textOf } from './item-values.ts';
import type { Condition, Item } from './store.ts';

/** Time to open a connection, and for a whole request, in milliseconds: a client waits, and can do without. */
const CONNECT_TIMEOUT_MS = 100;
const REQUEST_TIMEOUT_MS = 150;
/** Seconds for which a head is kept after it was given. */
const ITEM_TTL_SECONDS = 3_600;
/** Seconds for which it is kept who took a transaction: longer than that counts. */
const TAKER_TTL_SECONDS = 180;
const MILLISECONDS_PER_SECOND = 1_000;

interface GivenHeadStoreOptions {
  /** Physical name of the table: that of the shared responses, of which nothing must last either. */
  readonly tableName: string;
  /** Endpoint, region and credentials, where they are not the environment's. */
  readonly clientConfig?: ClientConfig;
  /** @default REQUEST_TIMEOUT_MS */
  readonly requestTimeoutMs?: number;
}

/** The heads that keys were given, of this function's environment. Does no I/O before its first use. */
export function openGivenHeadStore(): GivenHeadStore {
  return createGivenHeadStore({ tableName: requireVariable(CACHE_TABLE_VARIABLE) });
}

/**
 * The heads that keys were given, on DynamoDB: an item of some 150 bytes for each key and chain, and one for each transaction.
 * Never retries.
 */
export function createGivenHeadStore({
  tableName,
  clientConfig: config,
  requestTimeoutMs: timeoutMs = REQUEST_TIMEOUT_MS,
}: GivenHeadStoreOptions): GivenHeadStore {
  const client = connectDynamo({
    config,
    connectTimeoutMs: Math.min(CONNECT_TIMEOUT_MS, timeoutMs),
    timeoutMs,
  });
  const keyOf = (keyId: string, chain: string) => `${GIVEN_KEY_PREFIX}${chain} ${keyId}`;
  return {
    async read(keyId, chain) {
      const Key = { [CACHE_TABLE_SHAPE.partitionKey]: { S: keyOf(keyId, chain) } };
      const { Item } = await client.send(
        new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true }),
      );
      return Item === undefined ? undefined : toGiven(toItem(Item));
    },
    async raise(keyId, chain, { sequence, number, by, at }, read) {
      const expiresAt = BigInt(Math.floor(at / MILLISECONDS_PER_SECOND) + ITEM_TTL_SECONDS);
      const { item = {} } = await updateItem(client, tableName, {
        key: { [CACHE_TABLE_SHAPE.partitionKey]: keyOf(keyId, chain) },
        when:
          read === undefined || read.sequence === sequence
            ? isHigher(BigInt(sequence), number)
            : isSame(read),
        set: {
          sequence: BigInt(sequence),
          head: number,
          told_by: by,
          given_at: BigInt(Math.round(at)),
          [CACHE_TABLE_SHAPE.expiry]: expiresAt,
        },
      });
      return toGiven(item);
    },
    readTakers: (chain, names) => readTakers(client, tableName, { chain, names }),
    keepTakers: (chain, takers) =>
      putItems(
        client,
        tableName,
        [...takers].map(([name, taker]) => takerItem(takerKey(chain, name), taker)),
      ),
  };
}

async function readTakers(
  client: DynamoDBClient,
  tableName: string,
  { chain, names }: { readonly chain: string; readonly names: readonly string[] },
): Promise<ReadonlyMap<string, Taker>> {
  if (names.length === 0) return new Map();
  const nameOf = new Map(names.map((name) => [takerKey(chain, name), name]));
  const Keys = [...nameOf.keys()].map((key) => ({ [CACHE_TABLE_SHAPE.partitionKey]: { S: key } }));
  const { Responses } = await client.send(
    new BatchGetItemCommand({ RequestItems: { [tableName]: { Keys, ConsistentRead: true } } }),
  );
  const items = (Responses?.[tableName] ?? []).map(toItem);
  return new Map(
    items.map((item) => [
      nameOf.get(textOf(item, CACHE_TABLE_SHAPE.partitionKey)) as string,
      { by: textOf(item, 'told_by'), at: Number(amountOf(item, 'given_at')) },
    ]),
  );
}

/** `name`: the hash of a transaction, or the key that sent some. */
function takerKey(chain: string, name: string): string {
  return `${GIVEN_KEY_PREFIX}${chain} sent ${name}`;
}

function takerItem(key: string, { by, at }: Taker): Record<string, AttributeValue> {
  return {
    [CACHE_TABLE_SHAPE.partitionKey]: { S: key },
    told_by: { S: by },
    given_at: { N: String(Math.round(at)) },
    [CACHE_TABLE_SHAPE.expiry]: { N: String(Math.floor(at / MILLISECONDS_PER_SECOND) + TAKER_TTL_SECONDS) },
  };
}

/** Whether the stored head is a lower one of a sequence, or there is none. */
function isHigher(sequence: bigint, number: bigint): Condition {
  const isNew = { is: 'absent', attribute: 'sequence' } as const;
  return [
    [isNew, { is: '=', attribute: 'sequence', value: sequence }],
    [isNew, { is: '<', attribute: 'head', value: number }],
  ];
}

/** Whether the stored head is still the one that was read: an instance that stood still meanwhile takes nothing back. */
function isSame({ sequence, number }: GivenHead): Condition {
  return [
    { is: '=', attribute: 'sequence', value: BigInt(sequence) },
    { is: '=', attribute: 'head', value: number },
  ];
}

function toGiven(item: Item): GivenHead {
  return {
    sequence: Number(amountOf(item, 'sequence')),
    number: amountOf(item, 'head'),
    by: textOf(item, 'told_by'),
    at: Number(amountOf(item, 'given_at')),
  };
}
