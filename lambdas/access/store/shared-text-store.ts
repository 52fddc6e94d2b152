import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { CACHE_TABLE_SHAPE, SHARED_KEY_PREFIX } from '../../shared/aws/cache-table.ts';
import type { ClientConfig } from '../../shared/aws/client-settings.ts';
import { connectDynamo } from '../../shared/aws/dynamo-client.ts';
import { CACHE_TABLE_VARIABLE, requireVariable } from '../../shared/runtime/environment.ts';
import type { SharedText, SharedTextStore } from '../../shared/upstream/sharing/shared-text.ts';
import { toItem } from './dynamo-failure.ts';
import { updateItem } from './dynamo-store.ts';
import { amountOf, textOf } from './item-values.ts';
import type { Condition, Item } from './store.ts';

/** Time to open a connection, and for a whole request, in milliseconds: no request depends on it. */
const CONNECT_TIMEOUT_MS = 100;
const REQUEST_TIMEOUT_MS = 150;
/** Seconds for which a text is kept after it was shared: longer than anything in one counts. */
const ITEM_TTL_SECONDS = 2 * 86_400;
const MILLISECONDS_PER_SECOND = 1_000;

interface SharedTextStoreOptions {
  /** Physical name of the table: that of the shared responses, of which nothing must last either. */
  readonly tableName: string;
  /** Endpoint, region and credentials, where they are not the environment's. */
  readonly clientConfig?: ClientConfig;
  /** @default REQUEST_TIMEOUT_MS */
  readonly requestTimeoutMs?: number;
}

/** What instances share of chains, of this function's environment. Does no I/O before its first use. */
export function openSharedTextStore(): SharedTextStore {
  return createSharedTextStore({ tableName: requireVariable(CACHE_TABLE_VARIABLE) });
}

/** What instances share of chains on DynamoDB: an item for each name, of less than 2 KiB. Never retries. */
export function createSharedTextStore({
  tableName,
  clientConfig: config,
  requestTimeoutMs: timeoutMs = REQUEST_TIMEOUT_MS,
}: SharedTextStoreOptions): SharedTextStore {
  const connectTimeoutMs = Math.min(CONNECT_TIMEOUT_MS, timeoutMs);
  const client = connectDynamo({ config, connectTimeoutMs, timeoutMs });
  const keyOf = (name: string) => `${SHARED_KEY_PREFIX}${name}`;
  return {
    async read(name, { isNow = false } = {}) {
      const Key = { [CACHE_TABLE_SHAPE.partitionKey]: { S: keyOf(name) } };
      const { Item } = await client.send(
        new GetItemCommand({ TableName: tableName, Key, ConsistentRead: isNow }),
      );
      return Item === undefined ? undefined : toText(toItem(Item));
    },
    async write(name, { sequence, toldAt, text }, read) {
      const expiresAt = BigInt(Math.floor(toldAt / MILLISECONDS_PER_SECOND) + ITEM_TTL_SECONDS);
      const { applied } = await updateItem(client, tableName, {
        key: { [CACHE_TABLE_SHAPE.partitionKey]: keyOf(name) },
        when: isStill(read),
        set: {
          sequence: BigInt(sequence),
          told_at: BigInt(toldAt),
          told: text,
          [CACHE_TABLE_SHAPE.expiry]: expiresAt,
        },
      });
      return applied;
    },
  };
}

function isStill(read: SharedText | undefined): Condition {
  return read === undefined
    ? [{ is: 'absent', attribute: 'sequence' }]
    : [{ is: '=', attribute: 'sequence', value: BigInt(read.sequence) }];
}

function toText(item: Item): SharedText {
  return {
    sequence: Number(amountOf(item, 'sequence')),
    toldAt: Number(amountOf(item, 'told_at')),
    text: textOf(item, 'told'),
  };
}
