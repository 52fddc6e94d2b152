import { LruMap } from '../../shared/runtime/expiring-memory.ts';

/** Requests that a key may send one instance without drawing its bucket, once it has sent none for a while. */
const MAX_UNMETERED_REQUESTS = 500;
/** Such requests that it may send for good, in a second. */
const UNMETERED_PER_SECOND = 50;
/** Characters of a body that count as one more request, because reading it is the cost. */
const UNMETERED_BODY_CHARACTERS = 32 * 1024;
/** Bytes of a response that count as one more request, because they are paid for: 50 a second are some 3 USD a day. */
const UNMETERED_RESPONSE_BYTES = 8 * 1024;
const REMEMBERED_KEYS = 10_000;

const INTERVAL_MS = 1_000 / UNMETERED_PER_SECOND;
const WINDOW_MS = MAX_UNMETERED_REQUESTS * INTERVAL_MS;
/** What is further ahead is from before the clock was set back. */
const FURTHEST_MS = 2 * WINDOW_MS;

/** What a request counts for, by the characters of its body and the bytes of its response. */
export function unmeteredWeight(bodyCharacters: number, responseBytes: number): number {
  return (
    1 +
    Math.floor(bodyCharacters / UNMETERED_BODY_CHARACTERS) +
    Math.floor(responseBytes / UNMETERED_RESPONSE_BYTES)
  );
}

/**
 * Milliseconds after which a key may send a further request; 0: now. Any remainder of the limit lets one request pass,
 * however much it counts.
 * `usedUntil`: when the whole limit is available again, in milliseconds since the epoch.
 */
export function waitMs(usedUntil: number, now: number): number {
  const ahead = usedUntil - now;
  return ahead < WINDOW_MS || ahead > FURTHEST_MS ? 0 : Math.floor(ahead - WINDOW_MS) + 1;
}

/** When the whole limit is there again after a request of a weight, which is that of a few megabytes at most. */
export function usedAfter(usedUntil: number, weight: number, now: number): number {
  const before = usedUntil - now > FURTHEST_MS ? now : Math.max(usedUntil, now);
  return Math.min(before + weight * INTERVAL_MS, now + FURTHEST_MS);
}

/**
 * How much each key has recently sent this instance without drawing from its bucket: refused and free requests. Kept in
 * memory only, so it costs no request to the store, and each instance has its own limit.
 */
export class UnmeteredRequests {
  readonly #usedUntil = new LruMap<number>(REMEMBERED_KEYS);

  /** Milliseconds after which a key may send a further request of any kind; 0: now. */
  waitMs(keyId: string, now: number): number {
    return waitMs(this.#usedUntil.get(keyId) ?? now, now);
  }

  /** Notes a request that drew nothing. */
  note(keyId: string, weight: number, now: number): void {
    this.#usedUntil.set(keyId, usedAfter(this.#usedUntil.get(keyId) ?? now, weight, now));
  }
}
