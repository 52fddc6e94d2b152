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
  type ExpectedBucket,
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
  readonly shared: ReadonlySet<string>;
}

const UNKNOWN: Remembered = {
  bucket: FULL_BUCKET,
  expected: FULL_BUCKET,
  refused: false,
  shared: new Set(),
};

/**
 * The buckets that this instance has seen. A stored bucket never moves back, so a draw that does not fit a remembered
 * one does not fit the stored one either.
 */
export class BucketMemory {
  readonly #buckets = new LruMap<Remembered>(REMEMBERED_BUCKETS);
  readonly #lag: bigint;

  /** `lag`: for how long a limit that others draw from may have been full, in picoseconds; 0: its rate is exact. */
  constructor(lag = SHARED_LAG) {
    this.#lag = lag;
  }

  /** The last bucket seen of a key; a full one if none was. */
  recall(keyId: string): Bucket {
    return this.#recall(keyId).bucket;
  }

  /** Whether a draw that fits the remembered bucket is likely to fit the stored one. */
  isTrusted(keyId: string): boolean {
    return this.#buckets.get(keyId)?.refused === false;
  }

  /** The bucket that a draw is likely to find, after those of this instance that are under way. Now it is one of them. */
  expect(keyId: string, draw: Draw<string>): ExpectedBucket {
    const known = this.#recall(keyId);
    this.#buckets.set(keyId, { ...known, expected: drained(known.expected, draw) });
    return { bucket: known.expected, shared: known.shared, lag: this.#lag };
  }

  /**
   * Learns from an unexpected bucket that other instances draw from it: a limit that should have been full again and
   * was not a moment ago is shared; one that was full for long is not. `now`: in picoseconds since the epoch.
   */
  learn(keyId: string, expected: Bucket, found: Bucket, now: bigint): void {
    const known = this.#recall(keyId);
    const shared = Object.entries(found).filter(([limit, fullAt]) =>
      (expected[limit] ?? 0n) > now ? known.shared.has(limit) : fullAt > now - this.#lag,
    );
    this.#buckets.set(keyId, { ...known, shared: new Set(shared.map(([limit]) => limit)) });
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

  /** Forgets a bucket that is fuller than it was. */
  forget(keyId: string): void {
    this.#buckets.delete(keyId);
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
export type Drawn<Name extends string = 'cu' | 'rps'> =
  /** The bucket is no longer there: its key was disabled or removed. */
  | { readonly state: 'inactive' }
  /** With the item as the draw has left it. */
  | { readonly state: 'drawn'; readonly bucket: Bucket; readonly item: Item }
  | { readonly state: 'refused'; readonly bucket: Bucket; readonly decision: Refused<Name> };

/** Why a draw does not fit. */
export type Refused<Name extends string = 'cu' | 'rps'> = Extract<Decision<Name>, { fits: false }>;

/** Draws from the bucket of a key: {@link drawFromItem}. A draw whose connection broke is repeated: if both were carried out, the limit is too strict once. */
export function drawFromBucket(parts: Drawing, keyId: string, draw: Draw): Promise<Drawn> {
  return drawFromItem(parts.buckets, keyId, draw, async (expected) => {
    const result = await updateOrRetryOnce(parts, bucketUpdate(keyId, draw, expected));
    // The item is as it was right after the update, or when that was refused: disabling a key stops it at once.
    return result.item?.status === 'active' ? result : undefined;
  });
}

/**
 * Draws from a bucket that instances share, with the update forms for the one that it is likely to find; a refused update
 * returns the stored one. Nothing is written for a draw that the remembered bucket does not fit. Rejects with
 * `StoreUnavailableError` when the outcome of the draw is unknown and its time is over.
 * @param write makes the changes for an expected bucket; resolves to undefined if the bucket is no longer there
 */
export async function drawFromItem<Name extends string>(
  buckets: BucketMemory,
  name: string,
  draw: Draw<Name>,
  write: (expected: ExpectedBucket) => Promise<WriteResult | undefined>,
): Promise<Drawn<Name>> {
  let bucket = buckets.recall(name);
  for (let attempt = 1; attempt <= MAX_DRAW_ATTEMPTS; attempt++) {
    const decision = decide(bucket, draw);
    if (!decision.fits) {
      buckets.note(name, { refused: true });
      return { state: 'refused', bucket, decision };
    }
    const expected = buckets.expect(name, draw);
    // Once the stored bucket is known, its own form is tried.
    const result = await write(attempt === 1 ? expected : { bucket: expected.bucket });
    if (result === undefined) return { state: 'inactive' };
    const { item = {} } = result;
    bucket = bucketOf(item);
    if (!result.applied) buckets.learn(name, expected.bucket, bucket, draw.now);
    buckets.see(name, bucket, result.applied);
    if (!result.applied) continue;
    buckets.note(name, { refused: false });
    return { state: 'drawn', bucket, item };
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
