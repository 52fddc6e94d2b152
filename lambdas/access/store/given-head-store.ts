import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { CACHE_TABLE_SHAPE, GIVEN_KEY_PREFIX } from '../../shared/aws/cache-table.ts';
import type { ClientConfig } from '../../shared/aws/client-settings.ts';
import { connectDynamo } from '../../shared/aws/dynamo-client.ts';
import { CACHE_TABLE_VARIABLE, requireVariable } from '../../shared/runtime/environment.ts';
import type { GivenHead, GivenHeadStore } from '../../shared/upstream/sharing/given-head.ts';
import { toItem } from './dynamo-failure.ts';
import { updateItem } from './dynamo-store.ts';
import { amountOf, textOf } from './item-values.ts';
import type { Condition, Item } from './store.ts';

/** Time to open a connection, and for a whole request, in milliseconds: a client waits, and can do without. */
const CONNECT_TIMEOUT_MS = 100;
const REQUEST_TIMEOUT_MS = 150;
/** Seconds for which a head is kept after it was given. */
const ITEM_TTL_SECONDS = 3_600;
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

/** The heads that keys were given, on DynamoDB: an item of some 150 bytes for each key and chain. Never retries. */
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
