import { LruMap } from '../../shared/runtime/expiring-memory.ts';
import type { RandomBytes } from '../../shared/runtime/random-bytes.ts';
import type { Sleep } from '../../shared/runtime/sleep.ts';
import {
  type Item,
  type Store,
  StoreUnavailableError,
  type Update,
  type WriteResult,
} from '../store/store.ts';
import {
  type Bucket,
  bucketOf,
  bucketUpdate,
  type Decision,
  type Draw,
  decide,
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
