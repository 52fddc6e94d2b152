import { BatchGetItemCommand } from '@aws-sdk/client-dynamodb';
import { CACHE_TABLE_SHAPE, REFUSED_KEY_PREFIX } from '../../shared/aws/cache-table.ts';
import type { ClientConfig } from '../../shared/aws/client-settings.ts';
import { connectDynamo } from '../../shared/aws/dynamo-client.ts';
import { REFUSALS_TABLE_VARIABLE, requireVariable } from '../../shared/runtime/environment.ts';
import { HOUR_MS, hourEndMs, hourOf, hourStartMs } from '../../shared/runtime/hour.ts';
import {
  type BoundRefusals,
  REFUSAL_REASONS,
  type RefusalReason,
  type RefusalStore,
  type RefusalsDescription,
} from '../contract/refusals.ts';
import { storeUnavailable, toItem } from './dynamo-failure.ts';
import { updateItem } from './dynamo-store.ts';
import { amountOf, amountOrZero, textOf } from './item-values.ts';
import { absentOr, type Item, StoreUnavailableError } from './store.ts';

/** Time to open a connection, and for a whole request, in milliseconds: no response waits for a write. */
const CONNECT_TIMEOUT_MS = 300;
const REQUEST_TIMEOUT_MS = 1_000;
/** Hours that are told. */
const HOURS = 24;
const MILLISECONDS_PER_SECOND = 1_000;

interface RefusalStoreOptions {
  /** Physical name of the table: that of the shared responses, of which nothing must last either. */
  readonly tableName: string;
  /** Endpoint, region and credentials, where they are not the environment's. */
  readonly clientConfig?: ClientConfig;
  /** @default REQUEST_TIMEOUT_MS */
  readonly requestTimeoutMs?: number;
}

/** The refusals of keys, of this function's environment. Does no I/O before its first use. */
export function openRefusalStore(): RefusalStore {
  return createRefusalStore({ tableName: requireVariable(REFUSALS_TABLE_VARIABLE) });
}

/** The refusals of keys on DynamoDB: an item of some 200 bytes for each key and hour. Never retries. */
export function createRefusalStore({
  tableName,
  clientConfig: config,
  requestTimeoutMs: timeoutMs = REQUEST_TIMEOUT_MS,
}: RefusalStoreOptions): RefusalStore {
  const connectTimeoutMs = Math.min(CONNECT_TIMEOUT_MS, timeoutMs);
  const client = connectDynamo({ config, connectTimeoutMs, timeoutMs });
  const keyOf = (keyId: string, hour: string) => `${REFUSED_KEY_PREFIX}${keyId} ${hour}`;
  return {
    async add(keyId, { counts, last }) {
      const hour = hourOf(last.at);
      const expiresAt = BigInt(hourEndMs(hour) + HOURS * HOUR_MS) / BigInt(MILLISECONDS_PER_SECOND);
      const amounts = Object.entries(counts).map(([reason, count]) => [reason, BigInt(count)] as const);
      const at = BigInt(Math.round(last.at));
      const counted = {
        key: { [CACHE_TABLE_SHAPE.partitionKey]: keyOf(keyId, hour) },
        add: Object.fromEntries(amounts),
      };
      const expiry = { [CACHE_TABLE_SHAPE.expiry]: expiresAt };
      const { applied } = await updateItem(client, tableName, {
        ...counted,
        when: [absentOr('last_at', '<=', at)],
        set: { last_reason: last.reason, last_address: last.address, last_at: at, ...expiry },
      });
      // Another instance has written a later one: an instance may write a minute after it refused.
      if (!applied) await updateItem(client, tableName, { ...counted, when: [], set: expiry });
    },
    async read(keyId, nowMs) {
      const hours = Array.from({ length: HOURS }, (_, ago) => hourOf(nowMs - ago * HOUR_MS));
      const Keys = hours.map((hour) => ({ [CACHE_TABLE_SHAPE.partitionKey]: { S: keyOf(keyId, hour) } }));
      const command = new BatchGetItemCommand({ RequestItems: { [tableName]: { Keys } } });
      const { Responses = {}, UnprocessedKeys = {} } = await client.send(command).catch((error: unknown) => {
        throw storeUnavailable(error);
      });
      if (UnprocessedKeys[tableName] !== undefined)
        throw new StoreUnavailableError('refusals of some hours were left out', false);
      return sumOf((Responses[tableName] ?? []).map(toItem));
    },
  };
}

/** What an owner is told: of the hour of `nowMs` and the 23 before it. */
export function describeRefusals({ counts, last }: BoundRefusals, nowMs: number): RefusalsDescription {
  const since = new Date(hourStartMs(hourOf(nowMs - (HOURS - 1) * HOUR_MS))).toISOString();
  return { since, counts, ...(last && { last: { ...last, at: new Date(last.at).toISOString() } }) };
}

function sumOf(items: readonly Item[]): BoundRefusals {
  const counts = REFUSAL_REASONS.flatMap((reason) => {
    const count = items.reduce((sum, item) => sum + amountOrZero(item, reason), 0n);
    return count === 0n ? [] : [[reason, Number(count)] as const];
  });
  const [last] = items.map(lastOf).sort((one, other) => other.at - one.at);
  return { counts: Object.fromEntries(counts), ...(last && { last }) };
}

function lastOf(item: Item): NonNullable<BoundRefusals['last']> {
  return {
    reason: textOf(item, 'last_reason') as RefusalReason,
    address: textOf(item, 'last_address'),
    at: Number(amountOf(item, 'last_at')),
  };
}
