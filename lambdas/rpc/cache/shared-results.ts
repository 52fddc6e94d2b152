import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib';
import type { CacheStore, StoredResponse } from 'gateway-access';
import { ANCHOR_KEY_PREFIX, VERSION_KEY_PREFIX } from '../../shared/aws/cache-table.ts';
import { readFacts } from '../../shared/jsonrpc/response-facts.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { ExpiringMemory } from '../../shared/runtime/expiring-memory.ts';
import { errorField, log } from '../../shared/runtime/log.ts';
import { type AskStore, forgiveStore } from '../../shared/upstream/sharing/shared-item.ts';
import type { CacheCondition } from './final-results.ts';

/**
 * Largest cached result in bytes; a larger one is requested from the node each time. A cached result costs 1 CU
 * whatever its size, so its size must be bounded.
 */
export const MAX_KEPT_BYTES = 256 * 1024;

/** How long a constant is kept, in milliseconds: a deployment can change it. */
export const CONSTANT_TTL_MS = 60 * 60 * 1000;
/** How long a response about a final block is kept, in milliseconds. It would stay right for ever: this bounds the cost. */
export const FINAL_TTL_MS = 7 * 24 * 60 * 60 * 1000;
/** How long any response of a chain's only upstream is kept, in milliseconds: no other upstream contradicts it if it is wrong. */
export const SOLE_UPSTREAM_TTL_MS = 5 * 60 * 1000;

/** Largest compressed result that is shared, in bytes: a write costs a unit for each kilobyte. */
export const MAX_SHARED_BYTES = 64 * 1024;
/** Up to this size, in bytes, results are packed and unpacked at once: a thread takes longer to be asked than to do it. */
const AT_ONCE_BYTES = 16 * 1024;
const onThread = { compress: promisify(zstdCompress), decompress: promisify(zstdDecompress) };

/** A cached result of a node. */
export interface SharedResult {
  readonly key: string;
  readonly result: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** A result as it is stored; undefined if it is too large. */
export async function packResponse({
  key,
  result,
  expiresAt,
}: SharedResult): Promise<StoredResponse | undefined> {
  const body = result.length > AT_ONCE_BYTES ? await onThread.compress(result) : zstdCompressSync(result);
  return body.length > MAX_SHARED_BYTES ? undefined : { key, body, expiresAt };
}

async function unpack({ key, body, expiresAt }: StoredResponse): Promise<SharedResult | undefined> {
  try {
    const unpackBody = body.length > AT_ONCE_BYTES ? onThread.decompress : zstdDecompressSync;
    const result = await unpackBody(body, { maxOutputLength: MAX_KEPT_BYTES });
    // A copy: zlib hands out parts of larger buffers.
    return { key, result: new Uint8Array(result), expiresAt };
  } catch (error) {
    log('error', 'cache_item_unreadable', { error: errorField(error) });
    return undefined;
  }
}

/** Memory for results, in bytes. */
const RESULT_MEMORY_BYTES = 64 * 1024 * 1024;
/** Memory for hashes that are known to be final, in bytes. */
const HASH_MEMORY_BYTES = 8 * 1024 * 1024;
/** Memory for keys that are not shared, in bytes. */
const MISS_MEMORY_BYTES = 2 * 1024 * 1024;
/** For how long a result that is not shared is not looked for again, in milliseconds: clients poll for receipts. */
const MISS_TTL_MS = 5_000;

/** A result in the memory of an instance. */
interface Remembered extends Omit<SharedResult, 'key'> {
  /** Whether other instances may have it from the table. */
  shared: boolean;
}

/** What the memory has. */
interface Recalled {
  readonly result: Uint8Array;
  /** What this instance has been asked for again, and has not shared yet. */
  readonly unshared: SharedResult | undefined;
}

/**
 * Results that one instance has in its memory, with the hashes that they show to be final, and those in the table that all
 * instances share. If the store is down or slow, reads are misses; a request never fails by it. A scope is a chain and a version
 * of its cache.
 */
export class KeptResults {
  readonly #store: CacheStore;
  readonly #ask: AskStore;
  readonly #results: ExpiringMemory<Remembered>;
  readonly #hashes: ExpiringMemory<true>;
  readonly #misses: ExpiringMemory<true>;
  readonly #clock: Clock;

  constructor(store: CacheStore, clock: Clock, memoryBytes = RESULT_MEMORY_BYTES) {
    this.#store = store;
    this.#clock = clock;
    this.#ask = forgiveStore({ clock, telemetry: { log }, event: 'cache_unavailable' });
    this.#results = new ExpiringMemory(memoryBytes, clock);
    this.#hashes = new ExpiringMemory(HASH_MEMORY_BYTES, clock);
    this.#misses = new ExpiringMemory(MISS_MEMORY_BYTES, clock);
  }

  /** A result by its key; undefined if it is not in memory. It counts as shared from then on. */
  recall(key: string): Recalled | undefined {
    const remembered = this.#results.get(key);
    if (remembered === undefined) return undefined;
    const { result, expiresAt, shared } = remembered;
    remembered.shared = true;
    return { result, unshared: shared ? undefined : { key, result, expiresAt } };
  }

  /** Whether the table had no such result a moment ago. */
  isMissed(key: string): boolean {
    return this.#misses.get(key) !== undefined;
  }

  miss(key: string): void {
    this.#misses.set(key, true, 0, this.#clock.now() + MISS_TTL_MS);
  }

  /**
   * The stored results that have not expired; DynamoDB deletes expired ones only within days. Undefined if the store
   * fails.
   */
  async read(keys: readonly string[]): Promise<readonly SharedResult[] | undefined> {
    const now = this.#clock.now();
    const stored = await this.#ask(keys.join(), () => this.#store.read(keys));
    if (stored === 'unread') return undefined;
    const unpacked = stored.filter(({ expiresAt }) => expiresAt > now).map(unpack);
    return (await Promise.all(unpacked)).filter((response) => response !== undefined);
  }

  /** Shares results, except those that are too large. Returns whether the store took them. */
  async write(responses: readonly SharedResult[]): Promise<boolean> {
    const written = await this.#ask(responses.map(({ key }) => key).join(), async () => {
      const packed = (await Promise.all(responses.map(packResponse))).filter(
        (response) => response !== undefined,
      );
      if (packed.length > 0) await this.#store.write(packed);
    });
    return written !== 'unread';
  }

  /** Remembers a final result that is not too large, and the hashes that it shows to be final. */
  remember(
    scope: string,
    { key, result, expiresAt }: SharedResult,
    condition: CacheCondition | undefined,
    shared: boolean,
  ): void {
    if (result.length <= MAX_KEPT_BYTES)
      this.#results.set(key, { result, expiresAt, shared }, result.length, expiresAt);
    if (condition === undefined || !('shown' in condition) || condition.shown === undefined) return;
    for (const hash of readFacts(result, condition.shown).hashes)
      this.#hashes.set(`${scope} ${hash}`, true, hash.length, expiresAt);
  }

  /** Whether a hash, in lower case, is of a final block or of a transaction in one. */
  isFinalHash(scope: string, hash: string): boolean {
    return this.#hashes.get(`${scope} ${hash}`) !== undefined;
  }
}

/** A version outlives every response of the one before it, by the time in which all instances have read it. */
const VERSION_TTL_MS = 2 * FINAL_TTL_MS;

/** A new version of a chain's cache, as it is shared: results cached under another version are no longer found. */
export function newVersion(chain: string, now: number): SharedResult {
  return { key: versionKey(chain), result: Buffer.from(randomUUID()), expiresAt: now + VERSION_TTL_MS };
}

/** How long a shared anchor stands before it is replaced by a newer one, in milliseconds. */
const ANCHOR_SHARED_MS = 10 * 60 * 1_000;
const ANCHOR = /^(\d{1,20}) (0x[0-9a-f]{64})$/;

/** A block that was final. */
export interface Anchor {
  readonly number: bigint;
  /** In lower case. */
  readonly hash: string;
}

/** A block that was final, as it lies beside the responses of a version. */
interface SharedAnchor {
  readonly anchor: Anchor;
  /** Whether a newer one should take its place. */
  readonly isOld: boolean;
}

/** Key of the anchor of a version. A later version has another, so that no write takes that back. */
export function anchorKey(chain: string, version: string): string {
  return `${ANCHOR_KEY_PREFIX}${versionKey(chain)} ${version}`;
}

/** An anchor as it is shared, beside the results of a version. `key`: of {@link anchorKey}. */
export function toShared({ number, hash }: Anchor, key: string, now: number): SharedResult {
  return {
    key,
    result: Buffer.from(`${number} ${hash}`),
    expiresAt: now + VERSION_TTL_MS,
  };
}

/** What was read of a shared anchor; undefined if invalid. */
export function readAnchor(kept: SharedResult | undefined, now: number): SharedAnchor | undefined {
  const [, number, hash] = ANCHOR.exec(Buffer.from(kept?.result ?? []).toString()) ?? [];
  if (kept === undefined || number === undefined || hash === undefined) return undefined;
  const ageMs = now - (kept.expiresAt - VERSION_TTL_MS);
  return { anchor: { number: BigInt(number), hash }, isOld: ageMs >= ANCHOR_SHARED_MS };
}

/** Key of the version of a chain's cache. */
export function versionKey(chain: string): string {
  return VERSION_KEY_PREFIX + chain;
}
