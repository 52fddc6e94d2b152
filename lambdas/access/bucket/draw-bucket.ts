import type { RandomBytes } from '../../shared/runtime/random-bytes.ts';
import type { Sleep } from '../../shared/runtime/sleep.ts';
import {
  type Item,
  type Store,
  StoreUnavailableError,
  type Update,
  type WriteResult,
} from '../store/store.ts';
import { type Bucket, bucketOf, type Decision, type Draw, decide } from './bucket.ts';
import type { BucketMemory } from './bucket-memory.ts';
import { bucketUpdate } from './bucket-update.ts';

/**
 * What is expected can be wrong once. The stored bucket that then is known can be behind in the form of each limit, so
 * five attempts decide; one is margin.
 */
const MAX_DRAW_ATTEMPTS = 6;
/** Before a throttled or broken write is repeated, in milliseconds: not at once, and not together with those of other instances. */
const MIN_THROTTLED_PAUSE_MS = 25;
const MAX_THROTTLED_PAUSE_MS = 100;

/** What a draw works on. */
export interface Drawing {
  readonly store: Store;
  readonly buckets: BucketMemory;
  readonly pause: Sleep;
  readonly randomBytes: RandomBytes;
}

/** What became of a draw, with the bucket right after it. */
export type Drawn =
  /** The key was disabled or removed. */
  | { readonly state: 'inactive' }
  /** With the key's item as the draw has left it. */
  | { readonly state: 'drawn'; readonly bucket: Bucket; readonly item: Item }
  | { readonly state: 'refused'; readonly bucket: Bucket; readonly decision: Refused };

/** Why a draw does not fit. */
export type Refused = Extract<Decision, { fits: false }>;

/**
 * Draws from the bucket of a key, with the update forms for the bucket that it is likely to find; a refused update
 * returns the stored one. Nothing is written for a draw that the remembered bucket does not fit. A draw whose
 * connection broke is repeated: if both were carried out, the limit is too strict once. Rejects with
 * `StoreUnavailableError` when the outcome of the draw is unknown and its time is over.
 */
export async function drawFromBucket(parts: Drawing, keyId: string, draw: Draw): Promise<Drawn> {
  let bucket = parts.buckets.recall(keyId);
  for (let attempt = 1; attempt <= MAX_DRAW_ATTEMPTS; attempt++) {
    const decision = decide(bucket, draw);
    if (!decision.fits) {
      parts.buckets.note(keyId, { refused: true });
      return { state: 'refused', bucket, decision };
    }
    const expected = parts.buckets.expect(keyId, draw);
    // Once the stored bucket is known, its own form is tried.
    const shared = attempt === 1 ? expected.shared : undefined;
    const result = await updateOrRetryOnce(parts, bucketUpdate(keyId, draw, expected.bucket, shared));
    // The item is as it was right after the update, or when that was refused: disabling a key stops it at once.
    if (result.item?.status !== 'active') return { state: 'inactive' };
    bucket = bucketOf(result.item);
    if (!result.applied) parts.buckets.learn(keyId, expected.bucket, bucket, draw.now);
    parts.buckets.see(keyId, bucket, result.applied);
    if (!result.applied) continue;
    parts.buckets.note(keyId, { refused: false });
    return { state: 'drawn', bucket, item: result.item };
  }
  throw new StoreUnavailableError('the bucket changed in every attempt', false);
}

/** A second attempt only if the first certainly changed nothing, or there is time left for it. */
async function updateOrRetryOnce(parts: Drawing, update: Update): Promise<WriteResult> {
  try {
    return await parts.store.update(update);
  } catch (error) {
    if (!(error instanceof StoreUnavailableError) || (error.maybeApplied && !error.broke)) throw error;
    await parts.pause(throttledPauseMs(parts.randomBytes));
    return await parts.store.update(update);
  }
}

function throttledPauseMs(randomBytes: RandomBytes): number {
  const share = (randomBytes(1)[0] ?? 0) / 255;
  return MIN_THROTTLED_PAUSE_MS + Math.round(share * (MAX_THROTTLED_PAUSE_MS - MIN_THROTTLED_PAUSE_MS));
}
