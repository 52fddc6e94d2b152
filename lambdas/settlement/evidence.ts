import type { Bookkeeping } from '../access/account-work.ts';
import type { ObjectStore } from '../shared/aws/object-store.ts';
import { hourOf } from '../shared/runtime/clock.ts';
import { inBatches } from '../shared/runtime/in-batches.ts';
import { errorField } from '../shared/runtime/log.ts';
import type { RandomBytes } from '../shared/runtime/random-bytes.ts';
import { withRetry } from '../shared/runtime/with-retry.ts';
import type { HeadBooks, SealedObjects } from './heads.ts';
import { frozenText } from './hour-leaves.ts';

/** First part of the keys of objects with leaves. */
export const LEAVES_PREFIX = 'leaves/';
const NAME_BYTES = 16;
/** Bytes of one object; a single part may have more. */
const MAX_OBJECT_BYTES = 8 * 1024 * 1024;
/** Pauses before further attempts to keep an object, in milliseconds. */
const PAUSES_MS = [200, 1_000];
/** Time after a failure in which nothing is tried, in milliseconds: an outage does not hold settlement up. */
const FAILED_PAUSE_MS = 60_000;

/** What settlement works with. */
export interface SettlementBooks extends HeadBooks {
  readonly evidence: {
    readonly leaves: LeafFreezer;
    /** Of the salts of records. */
    readonly randomBytes: RandomBytes;
  };
}

/** Keeps the leaves of records before these are written. */
interface LeafFreezer {
  /** Resolves to where a part is kept, as `readFrozen` takes it; undefined: it could not be, which is logged. Never rejects. */
  freeze(part: Uint8Array): Promise<string | undefined>;
}

interface Waiting {
  readonly part: Uint8Array;
  readonly settle: (frozen: string | undefined) => void;
}

/** The books of a settlement that keeps its leaves in a bucket, and whose ledger is held to the bucket of heads. */
export function openEvidence(
  common: Bookkeeping,
  sealed: SealedObjects & { readonly evidence: ObjectStore },
  randomBytes: RandomBytes,
): SettlementBooks {
  return {
    ...common,
    evidence: { leaves: createLeafFreezer(common, sealed.evidence, randomBytes), randomBytes },
    sealed,
  };
}

/**
 * Keeps parts in objects, one object at a time: what comes while one is on its way is kept together in the next. With 64
 * accounts at once an object has some 60 records, and each record waits for one or two objects.
 */
function createLeafFreezer(
  { clock, pause, telemetry }: Bookkeeping,
  objects: ObjectStore,
  randomBytes: RandomBytes,
): LeafFreezer {
  let failedAtMs = Number.NEGATIVE_INFINITY;
  const keep = async (batch: readonly Waiting[]): Promise<void> => {
    const nowMs = clock.now();
    const object = `${LEAVES_PREFIX}${hourOf(nowMs)}/${Buffer.from(randomBytes(NAME_BYTES)).toString('hex')}`;
    const body = Buffer.concat(batch.map(({ part }) => part));
    try {
      if (nowMs < failedAtMs + FAILED_PAUSE_MS)
        throw new Error('not tried: the last object could not be kept');
      await withRetry(() => objects.put(object, body), { pausesMs: PAUSES_MS, pause });
    } catch (error) {
      if (nowMs >= failedAtMs + FAILED_PAUSE_MS) failedAtMs = clock.now();
      telemetry.log('error', 'leaves_not_frozen', { count: batch.length, error: errorField(error) });
      telemetry.emit({ values: { UnfrozenRecords: batch.length } }, nowMs);
      for (const { settle } of batch) settle(undefined);
      return;
    }
    let from = 0;
    for (const { part, settle } of batch) {
      settle(frozenText(object, from, part.length));
      from += part.length;
    }
  };
  const add = inBatches({ most: MAX_OBJECT_BYTES, underWay: 1, sizeOf: ({ part }) => part.length }, keep);
  return { freeze: (part) => new Promise((settle) => add({ part, settle })) };
}
