import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib';
import type { CacheStore, StoredResponse } from 'gateway-access';
import { ANCHOR_KEY_PREFIX, VERSION_KEY_PREFIX } from '../../shared/aws/cache-table.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { errorField, log } from '../../shared/runtime/log.ts';
import { within } from '../../shared/runtime/sleep.ts';
import type { ChainHead } from '../../shared/upstream/routing/head-tracker.ts';
import { type AskStore, forgiveStore } from '../../shared/upstream/sharing/shared-item.ts';

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

/** The results that all instances share. If the store is down or slow, reads are misses; a request never fails by it. */
export class SharedTier {
  readonly #store: CacheStore;
  readonly #clock: Clock;
  readonly #ask: AskStore;

  constructor(store: CacheStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#ask = forgiveStore({ clock, telemetry: { log }, event: 'cache_unavailable' });
  }

  /**
   * The stored results that have not expired; DynamoDB deletes expired ones only within days. Undefined if the store
   * fails.
   */
  async read(keys: readonly string[]): Promise<readonly SharedResult[] | undefined> {
    if (keys.length === 0) return [];
    const now = this.#clock.now();
    const stored = await this.#ask(keys.join(), () => this.#store.read(keys));
    if (stored === 'unread') return undefined;
    const unpacked = stored.filter(({ expiresAt }) => expiresAt > now).map(unpack);
    return (await Promise.all(unpacked)).filter((response) => response !== undefined);
  }

  /** Shares results, except those that are too large. Returns whether the store took them. */
  async write(responses: readonly SharedResult[]): Promise<boolean> {
    if (responses.length === 0) return true;
    const written = await this.#ask(responses.map(({ key }) => key).join(), async () => {
      const packed = (await Promise.all(responses.map(packResponse))).filter(
        (response) => response !== undefined,
      );
      if (packed.length > 0) await this.#store.write(packed);
    });
    return written !== 'unread';
  }
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

/** Age at which the view is renewed, in milliseconds. An old view keeps fewer responses, never a wrong one. */
export const VIEW_MAX_AGE_MS = 10_000;

/** Longest time that a request waits for the view, in milliseconds: without it nothing is kept, and nothing is lost. */
const WAIT_MS = 500;

/** Time after which it is looked whether a block that was final is still there, in milliseconds. */
export const ANCHOR_MAX_AGE_MS = 60_000;
/** Upstreams that must show the same block for it to be looked back to, where there are as many. */
const WITNESSES = 2;

/** A block that was final. */
interface Anchor {
  readonly number: bigint;
  /** In lower case. */
  readonly hash: string;
}

/** The finalized block of a chain, as far as the cache has to know it. */
export class FinalizedHead {
  readonly #head: ChainHead;
  readonly #clock: Clock;
  #finalized: bigint | undefined;
  /** The highest block that was ever taken for final. */
  #highest: bigint | undefined;
  #anchor: Anchor | undefined;
  #anchoredAt = Number.NEGATIVE_INFINITY;
  #isReplaced = false;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(head: ChainHead, clock: Clock) {
    this.#head = head;
    this.#clock = clock;
  }

  /** The newest block that is certainly final, or undefined while none is known to be. */
  get finalized(): bigint | undefined {
    return this.#finalized;
  }

  /** Renews a view that has come of age. `deadline`: of the request, in milliseconds since the epoch. */
  async renew(deadline: number): Promise<void> {
    const now = this.#clock.now();
    if (now - this.#askedAt < VIEW_MAX_AGE_MS) return;
    this.#askedAt = now;
    const final = await within(WAIT_MS, this.#head.readFinal(deadline));
    if (final === undefined) return;
    this.#finalized = final;
    if (this.#highest === undefined || this.#finalized > this.#highest) this.#highest = this.#finalized;
    // No request waits for it: what is found out counts for the next one.
    this.#lookBack(this.#finalized).catch((error: unknown) =>
      log('error', 'anchor_check_failed', { error: errorField(error) }),
    );
  }

  /** A block that was final when it was last looked at, with its hash; undefined if none was. */
  get anchor(): Anchor | undefined {
    return this.#anchor;
  }

  /** Takes over what another instance has seen, if this one has seen nothing. */
  takeAnchor(anchor: Anchor): void {
    this.#anchor ??= anchor;
  }

  /** Whether the chain went back below a finalized block: cached results about it may be obsolete. */
  get hasVanished(): boolean {
    if (this.#isReplaced) return true;
    const head = this.#head.known;
    return head !== undefined && this.#highest !== undefined && head < this.#highest;
  }

  /** Forgets what was final: the view is renewed when it is next needed. */
  forget(): void {
    this.#finalized = undefined;
    this.#highest = undefined;
    this.#askedAt = Number.NEGATIVE_INFINITY;
    this.#anchor = undefined;
    this.#anchoredAt = Number.NEGATIVE_INFINITY;
    this.#isReplaced = false;
  }

  /**
   * Compares the block that was final when it was last looked at with what the chain has in its place now. If an upstream
   * shows another, all are asked, and most of those that show it decide. A new one counts if both upstreams show it: else
   * one that is on a chain of its own would empty the cache time and again.
   */
  async #lookBack(finalized: bigint): Promise<void> {
    const { hashes } = this.#head;
    const now = this.#clock.now();
    if (hashes === undefined || now - this.#anchoredAt < ANCHOR_MAX_AGE_MS) return;
    this.#anchoredAt = now;
    const before = this.#anchor;
    const numbers = before === undefined ? [finalized] : [finalized, before.number];
    const shown = await hashes.ask(numbers, WITNESSES);
    if (this.#anchor !== before) return;
    if (before !== undefined && shown.some(([, hash]) => hash !== undefined && hash !== before.hash)) {
      const all = (await hashes.ask([before.number], Number.POSITIVE_INFINITY)).flatMap(
        ([hash]) => hash ?? [],
      );
      const others = all.filter((hash) => hash !== before.hash);
      if (this.#anchor === before) this.#isReplaced = others.length > all.length / 2;
      return;
    }
    const [[hash] = []] = shown;
    const isSeen = shown.every((of) => of[0] === hash && of.at(-1) !== undefined);
    if (hash !== undefined && isSeen) this.#anchor = { number: finalized, hash };
  }
}

/** How old the version of a chain's cache may be before it is read again, in milliseconds. */
export const VERSION_MAX_AGE_MS = 10_000;
/** A version outlives every response of the one before it, by the time in which all instances have read it. */
const VERSION_TTL_MS = 2 * FINAL_TTL_MS;

/** A new version of a chain's cache, as it is shared: results cached under another version are no longer found. */
export function newVersion(chain: string, now: number): SharedResult {
  return { key: versionKey(chain), result: Buffer.from(randomUUID()), expiresAt: now + VERSION_TTL_MS };
}

/**
 * The version of a chain's cache, as one instance knows it. It is part of every key, lies in the table beside the
 * responses, and is read with them.
 */
export class CacheVersion {
  readonly key: string;
  readonly #chain: string;
  #id = '';
  #readAt = Number.NEGATIVE_INFINITY;
  #unshared: SharedResult | undefined;

  constructor(chain: string) {
    this.#chain = chain;
    this.key = versionKey(chain);
  }

  /** Text that no other version has; empty for the first. */
  get id(): string {
    return this.#id;
  }

  /** A version of this instance's own that the others cannot know yet. */
  get unshared(): SharedResult | undefined {
    return this.#unshared;
  }

  /** Whether it is to be read again. Not before a version of our own is shared: it would be taken back. */
  isDue(now: number): boolean {
    return this.#unshared === undefined && now - this.#readAt >= VERSION_MAX_AGE_MS;
  }

  /** Takes what was read: undefined if it is absent. Returns whether it is another. */
  take(read: Uint8Array | undefined, now: number): boolean {
    const id = read === undefined ? '' : Buffer.from(read).toString();
    const isOther = id !== this.#id;
    this.#id = id;
    this.#readAt = now;
    return isOther;
  }

  /** Starts a version that holds nothing. */
  startAnew(now: number): void {
    this.#unshared = newVersion(this.#chain, now);
    this.take(this.#unshared.result, now);
  }

  /** Takes note that the others can read it. */
  shared(): void {
    this.#unshared = undefined;
  }
}

/** How long a shared anchor stands before it is replaced by a newer one, in milliseconds. */
const ANCHOR_SHARED_MS = 10 * 60 * 1_000;
const ANCHOR = /^(\d{1,20}) (0x[0-9a-f]{64})$/;

/** A block that was final, as it lies beside the responses of a version. */
interface SharedAnchor {
  readonly anchor: Anchor;
  /** Whether a newer one should take its place. */
  readonly isOld: boolean;
}

/** Key of the anchor of a version. A later version has another, so that no write takes that back. */
export function anchorKey({ key, id }: Pick<CacheVersion, 'key' | 'id'>): string {
  return `${ANCHOR_KEY_PREFIX}${key} ${id}`;
}

/** An anchor as it is shared. */
export function toShared({ number, hash }: Anchor, version: CacheVersion, now: number): SharedResult {
  return {
    key: anchorKey(version),
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

function versionKey(chain: string): string {
  return VERSION_KEY_PREFIX + chain;
}
