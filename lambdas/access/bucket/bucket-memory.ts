import { LruMap } from '../../shared/runtime/lru-map.ts';
import {
  type Bucket,
  type Draw,
  drained,
  type FlowingLimit,
  FULL_BUCKET,
  latest,
  SHARED_LAG,
} from './bucket.ts';

const REMEMBERED_BUCKETS = 10_000;

/** What is remembered of one bucket. */
interface Remembered {
  readonly bucket: Bucket;
  /** The bucket after the draws that are under way. */
  readonly expected: Bucket;
  /** Whether the last draw that the store decided was refused. */
  readonly refused: boolean;
  /** Limits that others draw from. */
  readonly shared: ReadonlySet<FlowingLimit>;
}

const LIMITS = ['tat', 'rt'] as const;
const UNKNOWN: Remembered = {
  bucket: FULL_BUCKET,
  expected: FULL_BUCKET,
  refused: false,
  shared: new Set(),
};

/** What a draw is likely to find. */
interface ExpectedBucket {
  readonly bucket: Bucket;
  /** Limits of which this instance knows too little, because others draw from them. */
  readonly shared: ReadonlySet<FlowingLimit>;
}

/**
 * The buckets that this instance has seen. A stored bucket never moves back, so a draw that does not fit a remembered
 * one does not fit the stored one either.
 */
export class BucketMemory {
  readonly #buckets = new LruMap<Remembered>(REMEMBERED_BUCKETS);

  /** The last bucket seen of a key; a full one if none was. */
  recall(keyId: string): Bucket {
    return this.#recall(keyId).bucket;
  }

  /** Whether a draw that fits the remembered bucket is likely to fit the stored one. */
  isTrusted(keyId: string): boolean {
    return this.#buckets.get(keyId)?.refused === false;
  }

  /** The bucket that a draw is likely to find, after those of this instance that are under way. Now it is one of them. */
  expect(keyId: string, draw: Draw): ExpectedBucket {
    const known = this.#recall(keyId);
    this.#buckets.set(keyId, { ...known, expected: drained(known.expected, draw) });
    return { bucket: known.expected, shared: known.shared };
  }

  /**
   * Learns from an unexpected bucket that other instances draw from it: a limit that should have been full again and
   * was not a moment ago is shared; one that was full for long is not. `now`: in picoseconds since the epoch.
   */
  learn(keyId: string, expected: Bucket, found: Bucket, now: bigint): void {
    const known = this.#recall(keyId);
    const isShared = (limit: FlowingLimit) =>
      expected[limit] > now ? known.shared.has(limit) : found[limit] > now - SHARED_LAG;
    this.#buckets.set(keyId, { ...known, shared: new Set(LIMITS.filter(isShared)) });
  }

  /**
   * Records a bucket that the store returned. Responses can overtake one another, so the later time is kept. A draw that
   * did not find what was expected shows what the store has: the expectation begins anew.
   */
  see(keyId: string, seen: Bucket, asExpected = true): void {
    const known = this.#recall(keyId);
    const bucket = latest(known.bucket, seen);
    this.#buckets.set(keyId, {
      ...known,
      bucket,
      expected: asExpected ? latest(known.expected, seen) : bucket,
    });
  }

  /** Records the store's decision on a draw that fitted the remembered bucket. */
  note(keyId: string, { refused }: Pick<Remembered, 'refused'>): void {
    this.#buckets.set(keyId, { ...this.#recall(keyId), refused });
  }

  #recall(keyId: string): Remembered {
    return this.#buckets.get(keyId) ?? UNKNOWN;
  }
}
