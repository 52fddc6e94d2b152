import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { CACHE_TABLE_SHAPE, VIEW_KEY_PREFIX } from '../../shared/aws/cache-table.ts';
import type { ClientConfig } from '../../shared/aws/client-settings.ts';
import { connectDynamo } from '../../shared/aws/dynamo-client.ts';
import { CACHE_TABLE_VARIABLE, requireVariable } from '../../shared/runtime/environment.ts';
import {
  type ChainView,
  type ChainViewStore,
  readReports,
  writeReports,
} from '../../shared/upstream/sharing/chain-view.ts';
import { toItem } from './dynamo-failure.ts';
import { updateItem } from './dynamo-store.ts';
import { amountOf, textOf } from './item-values.ts';
import type { Condition, Item } from './store.ts';

/** Time to open a connection, and for a whole request, in milliseconds: nobody depends on it. */
const CONNECT_TIMEOUT_MS = 100;
const REQUEST_TIMEOUT_MS = 150;
/** Seconds for which a view is kept after it was shared. */
const ITEM_TTL_SECONDS = 3_600;
const MILLISECONDS_PER_SECOND = 1_000;

export interface ChainViewStoreOptions {
  /** Physical name of the table: that of the shared answers, of which nothing must last either. */
  readonly tableName: string;
  /** Endpoint, region and credentials, where they are not the environment's. */
  readonly clientConfig?: ClientConfig;
  /** @default REQUEST_TIMEOUT_MS */
  readonly requestTimeoutMs?: number;
}

/** The views of chains, of this function's environment. Does no I/O before its first use. */
export function openChainViewStore(): ChainViewStore {
  return createChainViewStore({ tableName: requireVariable(CACHE_TABLE_VARIABLE) });
}

/** The views of chains on DynamoDB: an item for each chain, of less than 1 KiB at 16 upstreams. Never retries. */
export function createChainViewStore({
  tableName,
  clientConfig: config,
  requestTimeoutMs: timeoutMs = REQUEST_TIMEOUT_MS,
}: ChainViewStoreOptions): ChainViewStore {
  const connectTimeoutMs = Math.min(CONNECT_TIMEOUT_MS, timeoutMs);
  const client = connectDynamo({ config, connectTimeoutMs, timeoutMs });
  const keyOf = (chain: string) => `${VIEW_KEY_PREFIX}${chain}`;
  return {
    async read(chain) {
      const Key = { [CACHE_TABLE_SHAPE.partitionKey]: { S: keyOf(chain) } };
      const { Item } = await client.send(new GetItemCommand({ TableName: tableName, Key }));
      return Item === undefined ? undefined : toView(toItem(Item));
    },
    async tell(chain, { sequence, toldAt, reports }, read) {
      const expiresAt = BigInt(Math.floor(toldAt / MILLISECONDS_PER_SECOND) + ITEM_TTL_SECONDS);
      const { applied } = await updateItem(client, tableName, {
        key: { [CACHE_TABLE_SHAPE.partitionKey]: keyOf(chain) },
        when: isStill(read),
        set: {
          sequence: BigInt(sequence),
          told_at: BigInt(toldAt),
          reports: writeReports(reports),
          [CACHE_TABLE_SHAPE.expiry]: expiresAt,
        },
      });
      return applied;
    },
  };
}

function isStill(read: ChainView | undefined): Condition {
  return read === undefined
    ? [{ is: 'absent', attribute: 'sequence' }]
    : [{ is: '=', attribute: 'sequence', value: BigInt(read.sequence) }];
}

function toView(item: Item): ChainView {
  return {
    sequence: Number(amountOf(item, 'sequence')),
    toldAt: Number(amountOf(item, 'told_at')),
    reports: readReports(textOf(item, 'reports')),
  };
}
