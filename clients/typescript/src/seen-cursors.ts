/** Cursors that are remembered, the last ones: a circle of so many pages is reported as soon as it closes. */
const MAX_REMEMBERED = 1_000;

/**
 * The cursors of one list. A larger circle than what is remembered is reported, too, within three times its length: one
 * cursor is kept for twice as many pages each time (Brent's way to find a cycle).
 */
export class SeenCursors {
  readonly #last = new Set<string>();
  #kept: string | undefined;
  #pagesToKeep = 1;
  #keptForPages = 0;

  /** Adds a cursor; whether it is new, as far as is remembered. */
  add(cursor: string): boolean {
    if (cursor === this.#kept || this.#last.has(cursor)) return false;
    const [oldest] = this.#last;
    if (this.#last.size === MAX_REMEMBERED && oldest !== undefined) this.#last.delete(oldest);
    this.#last.add(cursor);
    this.#keptForPages += 1;
    if (this.#keptForPages === this.#pagesToKeep) {
      this.#kept = cursor;
      this.#keptForPages = 0;
      this.#pagesToKeep *= 2;
    }
    return true;
  }
}
