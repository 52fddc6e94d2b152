import { LruMap } from '../../shared/runtime/lru-map.ts';
import { type Bucket, FULL_BUCKET } from './bucket.ts';

const REMEMBERED_BUCKETS = 10_000;

/** What is remembered of one bucket. */
interface Remembered {
  readonly bucket: Bucket;
  /** Whether the last draw that the store decided was refused. */
  readonly refused: boolean;
}

/**
 * The buckets that this instance has seen. A stored bucket never moves back, so a draw that does not fit a remembered
 * one does not fit the stored one either.
 */
export class BucketMemory {
  readonly #buckets = new LruMap<Remembered>(REMEMBERED_BUCKETS);

  /** The last bucket seen of a key; a full one if none was. */
  recall(keyId: string): Bucket {
    return this.#buckets.get(keyId)?.bucket ?? FULL_BUCKET;
  }

  /** Whether a draw that fits the remembered bucket is likely to fit the stored one. */
  isTrusted(keyId: string): boolean {
    return this.#buckets.get(keyId)?.refused === false;
  }

  /** Records a bucket that the store returned. Responses can overtake one another, so the later time is kept. */
  see(keyId: string, seen: Bucket): void {
    const known = this.#buckets.get(keyId);
    const { tat, rt } = known?.bucket ?? FULL_BUCKET;
    this.#buckets.set(keyId, {
      bucket: { tat: later(tat, seen.tat), rt: later(rt, seen.rt) },
      refused: known?.refused ?? false,
    });
  }

  /** Records the store's decision on a draw that fitted the remembered bucket. */
  note(keyId: string, { refused }: Pick<Remembered, 'refused'>): void {
    this.#buckets.set(keyId, { bucket: this.recall(keyId), refused });
  }
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
