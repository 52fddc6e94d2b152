import { type Bucket, FULL_BUCKET } from './bucket.ts';
import { LruMap } from './lru-map.ts';

const REMEMBERED_BUCKETS = 10_000;

/**
 * The buckets that this instance has seen. A stored bucket never moves back, so whatever does not fit a remembered
 * one does not fit the stored one either.
 */
export class BucketMemory {
  readonly #buckets = new LruMap<Bucket>(REMEMBERED_BUCKETS);

  /** The last bucket seen of a key; a full one if none was. */
  recall(keyId: string): Bucket {
    return this.#buckets.get(keyId) ?? FULL_BUCKET;
  }

  /** Answers can overtake one another, so the later time of both is kept. */
  see(keyId: string, seen: Bucket): void {
    const known = this.recall(keyId);
    this.#buckets.set(keyId, { tat: later(known.tat, seen.tat), rt: later(known.rt, seen.rt) });
  }
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
