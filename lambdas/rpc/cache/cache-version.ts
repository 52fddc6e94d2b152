import { randomUUID } from 'node:crypto';
import { FINAL_TTL_MS } from './cache-rules.ts';
import type { Anchor } from './finalized-head.ts';
import type { SharedResult } from './shared-tier.ts';

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
  return `anchor ${key} ${id}`;
}

/** An anchor as it is shared. */
export function toShared({ number, hash }: Anchor, version: CacheVersion, now: number): SharedResult {
  return {
    key: anchorKey(version),
    result: Buffer.from(`${number} ${hash}`),
    expiresAt: now + VERSION_TTL_MS,
  };
}

/** What was read of a shared anchor; undefined if it is none. */
export function readAnchor(kept: SharedResult | undefined, now: number): SharedAnchor | undefined {
  const [, number, hash] = ANCHOR.exec(Buffer.from(kept?.result ?? []).toString()) ?? [];
  if (kept === undefined || number === undefined || hash === undefined) return undefined;
  const ageMs = now - (kept.expiresAt - VERSION_TTL_MS);
  return { anchor: { number: BigInt(number), hash }, isOld: ageMs >= ANCHOR_SHARED_MS };
}

/** No key of a response has this sign. */
function versionKey(chain: string): string {
  return `version#${chain}`;
}
