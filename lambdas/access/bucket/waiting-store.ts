import { CACHE_TABLE_SHAPE, WAITING_KEY_PREFIX } from '../../shared/aws/cache-table.ts';
import type { ClientConfig } from '../../shared/aws/client-settings.ts';
import { connectDynamo } from '../../shared/aws/dynamo-client.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { CACHE_TABLE_VARIABLE, requireVariable } from '../../shared/runtime/environment.ts';
import { LruMap } from '../../shared/runtime/expiring-memory.ts';
import type { WaitingDrawn, WaitingStore } from '../../shared/upstream/health/waiting-room.ts';
import { updateItem } from '../store/dynamo-store.ts';
import type { Changes } from '../store/expression.ts';
import { amountOrZero } from '../store/item-values.ts';
import type { Item, WriteResult } from '../store/store.ts';
import { drawChanges, PICOSECONDS_PER_MILLISECOND } from './bucket.ts';
import { BucketMemory, drawFromItem } from './draw-bucket.ts';

/** Waiting time that a room saves up, as the time in which its seats alone would give it, in milliseconds. */
export const WAITING_BURST_MS = 3_000;
/** Time to open a connection, and for a whole request, in milliseconds. Only requests wait for it that wait anyway. */
const CONNECT_TIMEOUT_MS = 300;
const REQUEST_TIMEOUT_MS = 500;
/** Items whose words are remembered. */
const REMEMBERED_ITEMS = 10_000;
/** Seconds after which an unused item is dropped. */
const ITEM_TTL_SECONDS = 3_600;
const MILLISECONDS_PER_SECOND = 1_000;
/** Attributes with the time at which a word was last told of an item's subject, in milliseconds since the epoch. */
const TOLD_AT = { silent: 'silent_at', unheard: 'unheard_at' } as const;

interface WaitingStoreOptions {
  /** Physical name of the table: that of the shared responses, of which nothing must last either. */
  readonly tableName: string;
  readonly clock: Clock;
  /** Waiting time that a room saves up, in milliseconds. @default WAITING_BURST_MS */
  readonly burstMs?: number;
  /** Endpoint, region and credentials, where they are not the environment's. */
  readonly clientConfig?: ClientConfig;
  /** @default CONNECT_TIMEOUT_MS */
  readonly connectTimeoutMs?: number;
  /** @default REQUEST_TIMEOUT_MS */
  readonly requestTimeoutMs?: number;
}

/** Waiting time of this function's environment. Does no I/O before its first use. */
export function openWaitingStore(
  clock: Clock,
  options: Pick<WaitingStoreOptions, 'burstMs'> = {},
): WaitingStore {
  return createWaitingStore({ tableName: requireVariable(CACHE_TABLE_VARIABLE), clock, ...options });
}

/**
 * Waiting time on DynamoDB: the same rule as for compute units (GCRA), by which a room of n seats that is never left
 * empty has n instances waiting. An instance that dies gives nothing back: the time that was drawn is over by then.
 */
export function createWaitingStore(options: WaitingStoreOptions): WaitingStore {
  const { tableName, clock, clientConfig, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
  const { requestTimeoutMs: timeoutMs = REQUEST_TIMEOUT_MS, burstMs = WAITING_BURST_MS } = options;
  const client = connectDynamo({ config: clientConfig, connectTimeoutMs, timeoutMs });
  const seen = new LruMap<Item>(REMEMBERED_ITEMS);
  const buckets = new BucketMemory(0n);
  const incrementOf = (ms: number, seats: number) =>
    (BigInt(Math.ceil(ms)) * PICOSECONDS_PER_MILLISECOND) / BigInt(seats);

  /** Makes changes; what the item holds then is remembered. */
  const update = async (of: string, changes: Changes): Promise<WriteResult> => {
    const expiresAt = BigInt(Math.floor(clock.now() / MILLISECONDS_PER_SECOND) + ITEM_TTL_SECONDS);
    const result = await updateItem(client, tableName, {
      ...changes,
      key: { [CACHE_TABLE_SHAPE.partitionKey]: `${WAITING_KEY_PREFIX}${of}` },
      set: { ...changes.set, [CACHE_TABLE_SHAPE.expiry]: expiresAt },
    });
    seen.set(of, result.item ?? {});
    return result;
  };

  return {
    async draw({ of, kind, seats, burstMs: savedMs = burstMs }, ms) {
      const draw = {
        // One time for all attempts: by a later one, what others have drawn meanwhile could be full again each time.
        now: BigInt(Math.round(clock.now())) * PICOSECONDS_PER_MILLISECOND,
        takes: [
          {
            name: kind,
            attribute: attributeOf(kind),
            increment: incrementOf(ms, seats),
            tolerance: BigInt(savedMs) * PICOSECONDS_PER_MILLISECOND,
          },
        ],
      };
      const drawn = await drawFromItem(buckets, of, draw, (expected) =>
        update(of, drawChanges(draw, expected)),
      );
      const words = wordsOf(seen.get(of) ?? {});
      if (drawn.state !== 'refused') return { granted: drawn.state === 'drawn', ...words };
      const waitMs = 'retryAfterMs' in drawn.decision ? drawn.decision.retryAfterMs : 0;
      return { granted: false, ...words, waitMs };
    },
    async giveBack({ of, kind, seats }, ms) {
      const attribute = attributeOf(kind);
      await update(of, {
        when: [{ is: 'present', attribute }],
        set: { [TOLD_AT.silent]: 0n, [TOLD_AT.unheard]: 0n },
        add: { [attribute]: -incrementOf(ms, seats) },
      });
      buckets.forget(of);
    },
    async tell(of, word) {
      await update(of, { when: [], set: { [TOLD_AT[word]]: BigInt(Math.round(clock.now())) } });
    },
  };
}

function attributeOf(kind: string): string {
  return `full_at_${kind}`;
}

function wordsOf(item: Item): Pick<WaitingDrawn, 'silentAt' | 'unheardAt'> {
  return {
    silentAt: Number(amountOrZero(item, TOLD_AT.silent)),
    unheardAt: Number(amountOrZero(item, TOLD_AT.unheard)),
  };
}
