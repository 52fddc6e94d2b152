import { hash } from 'node:crypto';
import { matchesPattern } from '../../shared/methods/method-facts.ts';
import { type Clock, isWithin } from '../../shared/runtime/clock.ts';
import { LruMap } from '../../shared/runtime/expiring-memory.ts';
import { type Bucket, bucketOf, PICOSECONDS_PER_MILLISECOND } from '../bucket/bucket.ts';
import type { BucketMemory } from '../bucket/draw-bucket.ts';
import type { Entry, KeyBounds } from '../contract/key-bounds.ts';
import type { KeyHolder } from '../contract/metering.ts';
import type { Item, Store } from '../store/store.ts';
import { isInNetworks, type Network, parseNetwork } from './network.ts';

/** An API key: `rgw_` and 64 lower-case hex digits. */
export const API_KEY_PATTERN = /^rgw_[0-9a-f]{64}$/;
/** The id of a key: the SHA-256 of the whole key, in hex. */
export const KEY_ID_PATTERN = /^[0-9a-f]{64}$/;

const KEY_BYTES = 32;

/** A new API key from a source of random bytes (`randomBytes` of node:crypto). */
export function generateApiKey(randomBytes: (size: number) => Buffer): string {
  return `rgw_${randomBytes(KEY_BYTES).toString('hex')}`;
}

/** The id under which a key is stored; the key cannot be had from it. */
export function keyIdOf(apiKey: string): string {
  return hash('sha256', apiKey);
}

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

/** Most bytes of a key's bounds as they are stored: the key's item is then read by one read unit of 4 KB. */
export const MAX_BOUNDS_BYTES = 3_072;

const LISTS = ['apis', 'methods', 'operations', 'contracts', 'chains', 'ips'] as const;
const AMOUNTS = ['cu_per_second', 'cu_per_day'] as const;
const KINDS: ReadonlySet<string> = new Set<keyof KeyBounds>([...LISTS, ...AMOUNTS, 'expires_at']);
const NONE: KeyBounds = {};

/** Networks of lists that were looked at, so that they are read once. */
const networksOf = new WeakMap<readonly string[], readonly Network[]>();

/**
 * Bounds of a key item; `undefined` if they cannot be kept to: they are damaged, or of a kind that this release does not
 * know. No request may then use the key.
 * @param stored attribute `bounds` of the item; absent: none
 */
export function readBounds(stored: unknown): KeyBounds | undefined {
  if (stored === undefined) return NONE;
  if (typeof stored !== 'string') return undefined;
  try {
    const bounds: unknown = JSON.parse(stored);
    return isBounds(bounds) ? bounds : undefined;
  } catch {
    return undefined;
  }
}

/** Why a request may not come in: by its interface, where it is from, and when. Undefined: it may. */
export function refusedEntry(
  bounds: KeyBounds,
  { api, address }: Entry,
  nowMs: number,
): 'api' | 'address' | 'expired' | undefined {
  const { apis, ips, expires_at: expiresAt } = bounds;
  if (expiresAt !== undefined && nowMs >= Date.parse(expiresAt)) return 'expired';
  if (apis !== undefined && api !== undefined && !apis.includes(api)) return 'api';
  if (ips === undefined) return undefined;
  return address !== undefined && isInNetworks(networksIn(ips), address) ? undefined : 'address';
}

/** Whether a key may ask of a chain. */
export function isChainAllowed({ chains }: KeyBounds = NONE, chain: string): boolean {
  return chains === undefined || chains.includes(chain);
}

/** Whether a key may call a method of JSON-RPC that its chain serves. */
export function isMethodAllowed({ methods }: KeyBounds = NONE, method: string): boolean {
  return methods === undefined || methods.some((pattern) => matchesPattern(method, pattern));
}

/** Whether a key may use an operation of the Data API. */
export function isOperationAllowed({ operations }: KeyBounds = NONE, operationId: string): boolean {
  return operations === undefined || operations.includes(operationId);
}

function networksIn(ips: readonly string[]): readonly Network[] {
  const known = networksOf.get(ips);
  if (known !== undefined) return known;
  const networks = ips.flatMap((text) => parseNetwork(text) ?? []);
  networksOf.set(ips, networks);
  return networks;
}

function isBounds(value: unknown): value is KeyBounds {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const bounds = value as Record<string, unknown>;
  if (!Object.keys(bounds).every((kind) => KINDS.has(kind))) return false;
  const { expires_at: expiresAt } = bounds;
  const isTime = typeof expiresAt === 'string' && !Number.isNaN(Date.parse(expiresAt));
  return (
    (expiresAt === undefined || isTime) &&
    LISTS.every((kind) => isList(bounds[kind])) &&
    AMOUNTS.every((kind) => isAmount(bounds[kind]))
  );
}

function isAmount(value: unknown): boolean {
  return value === undefined || (Number.isSafeInteger(value) && Number(value) > 0);
}

function isList(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every((one) => typeof one === 'string'));
}
