import type { Clock } from '../../shared/runtime/clock.ts';
import { isWithin } from '../../shared/runtime/clock.ts';
import { LruMap } from '../../shared/runtime/expiring-memory.ts';
import { type Bucket, bucketOf, PICOSECONDS_PER_MILLISECOND } from '../bucket/bucket.ts';
import type { BucketMemory } from '../bucket/draw-bucket.ts';
import type { KeyHolder } from '../contract/metering.ts';
import type { Item, Store } from '../store/store.ts';
import { readBounds } from './check-bounds.ts';

/** Longest time that a disabled key can still pass authentication; its bucket refuses it at once. */
const HOLDER_MAX_AGE_MS = 10_000;
/** Longest time for which a new or enabled key can still look unknown, and a disabled one be distinguished from it. */
const RECENT_MS = 1_000;
/** Unknown keys have a bound of their own, so that a flood of them does not push out the known ones. */
const CACHED_KEYS = 10_000;

interface Cached {
  /** Undefined: unknown or disabled, which is never distinguished. */
  readonly holder: KeyHolder | undefined;
  /** Bounds of the holder as they are stored. */
  readonly bounds?: Item[string] | undefined;
  /** When its read began, in milliseconds since the epoch. */
  readonly readAt: number;
}

const NEVER_READ: Cached = { holder: undefined, readAt: Number.NEGATIVE_INFINITY };

/** Holders of keys by the digest of the key. Concurrent look-ups of one key share one read. */
export class KeyCache {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #buckets: BucketMemory;
  readonly #known = new LruMap<Cached>(CACHED_KEYS);
  readonly #unknown = new LruMap<Cached>(CACHED_KEYS);
  readonly #reads = new Map<string, Promise<KeyHolder | undefined>>();
  /** When a key that is known was last read for a request that its bounds refuse, in milliseconds since the epoch. */
  readonly #refusedReadAt = new LruMap<number>(CACHED_KEYS);

  constructor(store: Store, clock: Clock, buckets: BucketMemory) {
    this.#store = store;
    this.#clock = clock;
    this.#buckets = buckets;
  }

  /**
   * The holder of an active key that a request may use. One that it may not use is looked up as often as an unknown one,
   * so that the responses to both take equally long. Rejects with `StoreUnavailableError`; a failed read is not remembered.
   */
  async lookUp(
    keyId: string,
    mayUse: (holder: KeyHolder) => boolean = () => true,
  ): Promise<KeyHolder | undefined> {
    const now = this.#clock.now();
    const { holder, readAt } = this.#known.get(keyId) ?? this.#unknown.get(keyId) ?? NEVER_READ;
    const isUsable = holder !== undefined && mayUse(holder);
    if (isUsable && isWithin(readAt, now, HOLDER_MAX_AGE_MS)) return holder;
    const lookedUpAt = holder === undefined ? readAt : this.#refusedReadAt.get(keyId);
    if (!isUsable && lookedUpAt !== undefined && isWithin(lookedUpAt, now, RECENT_MS)) return undefined;
    const read = await this.#readOnce(keyId);
    if (read === undefined || mayUse(read)) return read;
    this.#refusedReadAt.set(keyId, now);
    return undefined;
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

  /** Notes the item of a key as a write has found it, which is as good as a read. */
  confirm(keyId: string, item: Item, now: number): void {
    this.#remember(keyId, this.#cached(keyId, item, now));
  }

  /** Forgets the holder of a key that turned out to be no longer active. */
  markInactive(keyId: string): void {
    this.#remember(keyId, { holder: undefined, readAt: this.#clock.now() });
  }

  async #read(keyId: string): Promise<KeyHolder | undefined> {
    const readAt = this.#clock.now();
    const item = await this.#store.get('keys', { key_id: keyId });
    const cached = this.#cached(keyId, item, readAt);
    if (item !== undefined && cached.holder !== undefined) this.#seeBucket(keyId, bucketOf(item), readAt);
    this.#remember(keyId, cached);
    return cached.holder;
  }

  /** Bounds that have not changed stay the same object, and are not read again. */
  #cached(keyId: string, item: Item | undefined, readAt: number): Cached {
    const known = this.#known.get(keyId);
    const isSame = known?.holder !== undefined && known.bounds === item?.bounds;
    const holder = item && holderOf(keyId, item, isSame ? known.holder : undefined);
    return { holder, bounds: item?.bounds, readAt };
  }

  #seeBucket(keyId: string, bucket: Bucket, readAt: number): void {
    const now = BigInt(readAt) * PICOSECONDS_PER_MILLISECOND;
    this.#buckets.learn(keyId, this.#buckets.recall(keyId), bucket, now);
    this.#buckets.see(keyId, bucket);
  }

  #remember(keyId: string, cached: Cached): void {
    const [cache, other] =
      cached.holder === undefined ? [this.#unknown, this.#known] : [this.#known, this.#unknown];
    other.delete(keyId);
    cache.set(keyId, cached);
  }
}

/** `known`: the holder with the same bounds, if there is one. */
function holderOf(
  keyId: string,
  { status, account, bounds }: Item,
  known: KeyHolder | undefined,
): KeyHolder | undefined {
  if (status !== 'active' || typeof account !== 'string') return undefined;
  if (known?.account === account) return known;
  if (bounds === undefined) return { keyId, account };
  const read = readBounds(bounds);
  return read && { keyId, account, bounds: read };
}
