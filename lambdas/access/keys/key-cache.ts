import type { Clock } from '../../shared/runtime/clock.ts';
import { isWithin } from '../../shared/runtime/is-within.ts';
import { LruMap } from '../../shared/runtime/lru-map.ts';
import { type Bucket, bucketOf, PICOSECONDS_PER_MILLISECOND } from '../bucket/bucket.ts';
import type { BucketMemory } from '../bucket/bucket-memory.ts';
import type { KeyHolder } from '../contract/metering.ts';
import type { Item, Store } from '../store/store.ts';

/** Longest time that a disabled key can still pass authentication; its bucket refuses it at once. */
const HOLDER_MAX_AGE_MS = 10_000;
/** Longest time for which a new or enabled key can still look unknown, and a disabled one be told apart from it. */
const RECENT_MS = 1_000;
/** Unknown keys have a bound of their own, so that a flood of them does not push out the known ones. */
const CACHED_KEYS = 10_000;

interface Cached {
  /** Undefined: unknown or disabled, which is never told apart. */
  readonly holder: KeyHolder | undefined;
  /** When its read began, in milliseconds since the epoch. */
  readonly readAt: number;
}

/** Holders of keys by the digest of the key. Concurrent look-ups of one key share one read. */
export class KeyCache {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #buckets: BucketMemory;
  readonly #known = new LruMap<Cached>(CACHED_KEYS);
  readonly #unknown = new LruMap<Cached>(CACHED_KEYS);
  readonly #reads = new Map<string, Promise<KeyHolder | undefined>>();

  constructor(store: Store, clock: Clock, buckets: BucketMemory) {
    this.#store = store;
    this.#clock = clock;
    this.#buckets = buckets;
  }

  /** The holder of an active key. Rejects with `StoreUnavailableError`; a failed read is not remembered. */
  async lookUp(keyId: string): Promise<KeyHolder | undefined> {
    const cached = this.#known.get(keyId) ?? this.#unknown.get(keyId);
    const maxAgeMs = cached?.holder === undefined ? RECENT_MS : HOLDER_MAX_AGE_MS;
    if (cached !== undefined && isWithin(cached.readAt, this.#clock.now(), maxAgeMs)) return cached.holder;
    return this.#readOnce(keyId);
  }

  /** The holder of a key by a read that is at most a second old. Rejects with `StoreUnavailableError`. */
  async lookUpAnew(keyId: string): Promise<KeyHolder | undefined> {
    const cached = this.#known.get(keyId);
    if (cached !== undefined && isWithin(cached.readAt, this.#clock.now(), RECENT_MS)) return cached.holder;
    return this.#readOnce(keyId);
  }

  /** Concurrent reads of a key are one. */
  #readOnce(keyId: string): Promise<KeyHolder | undefined> {
    let read = this.#reads.get(keyId);
    if (read === undefined) {
      read = this.#read(keyId).finally(() => this.#reads.delete(keyId));
      this.#reads.set(keyId, read);
    }
    return read;
  }

  /** Notes that a write has found the key of a holder active, which is as good as a read. */
  confirm(holder: KeyHolder, now: number): void {
    this.#remember(holder.keyId, { holder, readAt: now });
  }

  /** Forgets the holder of a key that turned out to be no longer active. */
  markInactive(keyId: string): void {
    this.#remember(keyId, { holder: undefined, readAt: this.#clock.now() });
  }

  async #read(keyId: string): Promise<KeyHolder | undefined> {
    const readAt = this.#clock.now();
    const item = await this.#store.get('keys', { key_id: keyId });
    const holder = item && holderOf(keyId, item);
    if (item !== undefined && holder !== undefined) this.#seeBucket(keyId, bucketOf(item), readAt);
    this.#remember(keyId, { holder, readAt });
    return holder;
  }

  #seeBucket(keyId: string, bucket: Bucket, readAt: number): void {
    const now = BigInt(readAt) * PICOSECONDS_PER_MILLISECOND;
    this.#buckets.learn(keyId, this.#buckets.recall(keyId), bucket, now);
    this.#buckets.see(keyId, bucket);
  }

  #remember(keyId: string, cached: Cached): void {
    const [kept, dropped] =
      cached.holder === undefined ? [this.#unknown, this.#known] : [this.#known, this.#unknown];
    dropped.delete(keyId);
    kept.set(keyId, cached);
  }
}

function holderOf(keyId: string, { status, account }: Item): KeyHolder | undefined {
  return status === 'active' && typeof account === 'string' ? { keyId, account } : undefined;
}
