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
}
