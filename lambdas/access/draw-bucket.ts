import { type Bucket, bucketOf, type Draw, decide } from './bucket.ts';
import type { BucketMemory } from './bucket-memory.ts';
import { bucketUpdate } from './bucket-update.ts';
import { type Store, StoreUnavailableError, type Update, type WriteResult } from './store.ts';

/** A remembered bucket can be behind in the form of each limit, so three attempts decide; one is margin. */
const MAX_DRAW_ATTEMPTS = 4;

/** What became of a draw, with the bucket right after it. */
export type Drawn =
  /** The key was disabled or removed. */
  | { readonly state: 'inactive' }
  | { readonly state: 'drawn'; readonly bucket: Bucket }
  | {
      readonly state: 'refused';
      readonly bucket: Bucket;
      readonly limit: 'cu' | 'rps';
      readonly retryAfterMs: number;
    };

/**
 * Draws from the bucket of a key, by the forms that the remembered bucket suggests; a refused update tells the stored
 * one. Nothing is written for a draw that the remembered bucket does not fit.
 * Rejects with `StoreUnavailableError` when it is not certain what became of the draw: it is never tried again then.
 */
export async function drawFromBucket(
  store: Store,
  memory: BucketMemory,
  keyId: string,
  draw: Draw,
): Promise<Drawn> {
  let bucket = memory.recall(keyId);
  for (let attempt = 1; attempt <= MAX_DRAW_ATTEMPTS; attempt++) {
    const decision = decide(bucket, draw);
    if (!decision.fits) {
      return { state: 'refused', bucket, limit: decision.limit, retryAfterMs: decision.retryAfterMs };
    }
    const result = await updateOrRetryOnce(store, bucketUpdate(keyId, draw, decision));
    if (result.item?.status !== 'active') return { state: 'inactive' };
    bucket = bucketOf(result.item);
    memory.see(keyId, bucket);
    if (result.applied) return { state: 'drawn', bucket };
  }
  throw new StoreUnavailableError('the bucket changed in every attempt', false);
}

/** A second attempt only if the first certainly changed nothing: a bucket is never drawn from twice. */
async function updateOrRetryOnce(store: Store, update: Update): Promise<WriteResult> {
  try {
    return await store.update(update);
  } catch (error) {
    if (!(error instanceof StoreUnavailableError) || error.maybeApplied) throw error;
    return await store.update(update);
  }
}
