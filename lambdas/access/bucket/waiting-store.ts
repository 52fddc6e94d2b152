import { WAITING_KEY_PREFIX } from '../../shared/aws/cache-table.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { CACHE_TABLE_VARIABLE, requireVariable } from '../../shared/runtime/environment.ts';
import { LruMap } from '../../shared/runtime/expiring-memory.ts';
import type { WaitingDrawn, WaitingStore } from '../../shared/upstream/health/waiting-room.ts';
import { amountOrZero } from '../store/item-values.ts';
import { SharedItems, type SharedItemsOptions } from '../store/shared-items.ts';
import type { Changes, Item, WriteResult } from '../store/store.ts';
import { drawChanges, PICOSECONDS_PER_MILLISECOND } from './bucket.ts';
import { BucketMemory, drawFromItem } from './draw-bucket.ts';

/** Waiting time that a room saves up, as the time in which its seats alone would give it, in milliseconds. */
export const WAITING_BURST_MS = 3_000;
/** Only requests wait for it that wait anyway. */
const TIMES = { connectMs: 300, requestMs: 500 };
/** Items whose words are remembered. */
const REMEMBERED_ITEMS = 10_000;
/** Milliseconds after which an unused item is dropped. */
const KEPT_MS = 3_600_000;
/** Attributes with the time at which a word was last told of an item's subject, in milliseconds since the epoch. */
const TOLD_AT = { silent: 'silent_at', unheard: 'unheard_at' } as const;

interface WaitingStoreOptions extends SharedItemsOptions {
  readonly clock: Clock;
  /** Waiting time that a room saves up, in milliseconds. @default WAITING_BURST_MS */
  readonly burstMs?: number;
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
  const { clock, burstMs = WAITING_BURST_MS } = options;
  const items = new SharedItems(WAITING_KEY_PREFIX, options, TIMES);
  const seen = new LruMap<Item>(REMEMBERED_ITEMS);
  const buckets = new BucketMemory(0n);
  const incrementOf = (ms: number, seats: number) =>
    (BigInt(Math.ceil(ms)) * PICOSECONDS_PER_MILLISECOND) / BigInt(seats);

  /** Makes changes; what the item holds then is remembered. */
  const update = async (of: string, changes: Changes): Promise<WriteResult> => {
    const result = await items.update(of, changes, clock.now() + KEPT_MS);
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
