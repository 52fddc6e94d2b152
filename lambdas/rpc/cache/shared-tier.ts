import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { CacheStore, StoredResponse } from 'gateway-access';
import type { Clock } from '../../shared/runtime/clock.ts';
import { errorField, log } from '../../shared/runtime/log.ts';
import { MAX_KEPT_BYTES } from './cache-rules.ts';

/** Largest compressed result that is shared, in bytes: a write costs a unit for each kilobyte. */
export const MAX_SHARED_BYTES = 64 * 1024;
/** Pause after a failure of the store, in milliseconds. */
export const PAUSE_MS = 1_000;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** A cached result of a node. */
export interface SharedResult {
  readonly key: string;
  readonly result: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** The results that all instances share. If the store is down or slow, reads are misses; a request never fails by it. */
export class SharedTier {
  readonly #store: CacheStore;
  readonly #clock: Clock;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(store: CacheStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * The stored results that have not expired; DynamoDB deletes expired ones only within days. Undefined if the store
   * fails.
   */
  async read(keys: readonly string[]): Promise<readonly SharedResult[] | undefined> {
    if (keys.length === 0) return [];
    if (this.#isPaused()) return undefined;
    try {
      const now = this.#clock.now();
      const stored = (await this.#store.read(keys)).filter(({ expiresAt }) => expiresAt > now);
      return (await Promise.all(stored.map(unpack))).filter((response) => response !== undefined);
    } catch (error) {
      this.#pause('cache_read_failed', error);
      return undefined;
    }
  }

  /** Shares results, except those that are too large. Returns whether the store took them. */
  async write(responses: readonly SharedResult[]): Promise<boolean> {
    if (responses.length === 0) return true;
    if (this.#isPaused()) return false;
    try {
      const packed = (await Promise.all(responses.map(packResponse))).filter(
        (response) => response !== undefined,
      );
      if (packed.length > 0) await this.#store.write(packed);
      return true;
    } catch (error) {
      this.#pause('cache_write_failed', error);
      return false;
    }
  }

  #isPaused(): boolean {
    return this.#clock.now() < this.#pausedUntil;
  }

  #pause(event: string, error: unknown): void {
    this.#pausedUntil = this.#clock.now() + PAUSE_MS;
    log('warn', event, { error: errorField(error) });
  }
}

/** A result as it is stored; undefined if it is too large. */
export async function packResponse({
  key,
  result,
  expiresAt,
}: SharedResult): Promise<StoredResponse | undefined> {
  const body = await compress(result);
  return body.length > MAX_SHARED_BYTES ? undefined : { key, body, expiresAt };
}

async function unpack({ key, body, expiresAt }: StoredResponse): Promise<SharedResult | undefined> {
  try {
    const result = await decompress(body, { maxOutputLength: MAX_KEPT_BYTES });
    // A copy: zlib hands out parts of larger buffers.
    return { key, result: new Uint8Array(result), expiresAt };
  } catch (error) {
    log('error', 'cache_item_unreadable', { error: errorField(error) });
    return undefined;
  }
}
