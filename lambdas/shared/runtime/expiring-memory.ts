import type { Clock } from './clock.ts';

/** A map that holds at most `capacity` entries and drops the one that was not used for longest. */
export class LruMap<V> {
  readonly #entries = new Map<string, V>();
  readonly #capacity: number;
  /** The key that was used last: it is where it belongs. */
  #latest: string | undefined;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined && key !== this.#latest) this.set(key, value);
    return value;
  }

  set(key: string, value: V): void {
    if (key !== this.#latest) this.#entries.delete(key);
    this.#entries.set(key, value);
    this.#latest = key;
    if (this.#entries.size <= this.#capacity) return;
    const oldest = this.#entries.keys().next();
    if (!oldest.done) this.#entries.delete(oldest.value);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  entries(): Iterable<readonly [string, V]> {
    return this.#entries.entries();
  }
}

/** What an entry takes beside its value, in bytes: key, map slot, buffer header. Measured, and rounded up. */
const ENTRY_OVERHEAD_BYTES = 512;
/** An entry that takes more than this part of the memory is not worth what it would push out. */
const LARGEST_PART = 1 / 8;

interface Entry<V> {
  readonly value: V;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Values by key, within a bound of bytes: the one that was not used for longest goes first. */
export class ExpiringMemory<V> {
  readonly #entries = new Map<string, Entry<V>>();
  readonly #maxBytes: number;
  readonly #clock: Clock;
  #bytes = 0;

  constructor(maxBytes: number, clock: Clock) {
    this.#maxBytes = maxBytes;
    this.#clock = clock;
  }

  /** Bytes that the entries take, overhead included; never more than the bound. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.expiresAt <= this.#clock.now()) {
      this.#bytes -= entry.bytes;
      return undefined;
    }
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** `valueBytes`: what the value takes by itself. */
  set(key: string, value: V, valueBytes: number, expiresAt: number): void {
    this.delete(key);
    const bytes = valueBytes + ENTRY_OVERHEAD_BYTES;
    if (bytes > this.#maxBytes * LARGEST_PART) return;
    this.#entries.set(key, { value, bytes, expiresAt });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}
