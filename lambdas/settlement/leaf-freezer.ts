import type { ObjectStore } from '../shared/aws/object-store.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { hourOf } from '../shared/runtime/hour.ts';
import { errorField } from '../shared/runtime/log.ts';
import type { RandomBytes } from '../shared/runtime/random-bytes.ts';
import type { Sleep } from '../shared/runtime/sleep.ts';
import type { Telemetry } from '../shared/runtime/telemetry.ts';
import { withRetry } from '../shared/runtime/with-retry.ts';
import type { FrozenPlace } from './frozen-leaves.ts';

/** First part of the keys of objects with leaves. */
export const LEAVES_PREFIX = 'leaves/';
const NAME_BYTES = 16;
/** Bytes of one object; a single part may have more. */
const MAX_OBJECT_BYTES = 8 * 1024 * 1024;
/** Pauses before further attempts to keep an object, in milliseconds. */
const PAUSES_MS = [200, 1_000];
/** Time after a failure in which nothing is tried, in milliseconds: an outage does not hold settlement up. */
const FAILED_PAUSE_MS = 60_000;

/** Keeps the leaves of records before these are written. */
export interface LeafFreezer {
  /** Resolves to where a part is kept; undefined: it could not be kept, which is told. Never rejects. */
  freeze(part: Uint8Array): Promise<FrozenPlace | undefined>;
}

/** What a freezer works with. */
interface FreezerParts {
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly pause: Sleep;
  readonly telemetry: Telemetry;
  readonly randomBytes: RandomBytes;
}

interface Waiting {
  readonly part: Uint8Array;
  readonly settle: (place: FrozenPlace | undefined) => void;
}

/**
 * Keeps parts in objects, one object at a time: what comes while one is on its way is kept together in the next. With 64
 * accounts at once an object has some 60 records, and each record waits for one or two objects.
 */
export function createLeafFreezer(parts: FreezerParts): LeafFreezer {
  const waiting: Waiting[] = [];
  let isWorking = false;
  let failedAtMs = Number.NEGATIVE_INFINITY;

  const keep = async (batch: readonly Waiting[]): Promise<void> => {
    const nowMs = parts.clock.now();
    const key = `${LEAVES_PREFIX}${hourOf(nowMs)}/${Buffer.from(parts.randomBytes(NAME_BYTES)).toString('hex')}`;
    const body = Buffer.concat(batch.map(({ part }) => part));
    try {
      if (nowMs < failedAtMs + FAILED_PAUSE_MS)
        throw new Error('not tried: the last object could not be kept');
      await withRetry(() => parts.objects.put(key, body), { pausesMs: PAUSES_MS, pause: parts.pause });
    } catch (error) {
      if (nowMs >= failedAtMs + FAILED_PAUSE_MS) failedAtMs = parts.clock.now();
      parts.telemetry.log('error', 'leaves_not_frozen', { count: batch.length, error: errorField(error) });
      parts.telemetry.emit({ values: { UnfrozenRecords: batch.length } }, nowMs);
      for (const { settle } of batch) settle(undefined);
      return;
    }
    let from = 0;
    for (const { part, settle } of batch) {
      settle({ object: key, from, bytes: part.length });
      from += part.length;
    }
  };

  const work = async (): Promise<void> => {
    isWorking = true;
    while (waiting.length > 0) await keep(takeBatch(waiting));
    isWorking = false;
  };

  return {
    freeze: (part) =>
      new Promise((settle) => {
        waiting.push({ part, settle });
        if (!isWorking) void work();
      }),
  };
}

/** The parts that go into the next object: at least one. */
function takeBatch(waiting: Waiting[]): Waiting[] {
  let bytes = 0;
  const tooMany = waiting.findIndex(({ part }, place) => {
    bytes += part.length;
    return place > 0 && bytes > MAX_OBJECT_BYTES;
  });
  return waiting.splice(0, tooMany === -1 ? waiting.length : tooMany);
}
