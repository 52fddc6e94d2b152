/** Named counts of what happened. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(name: string, count = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + count);
  }

  /** All counts, in the order of their names. */
  entries(): [string, number][] {
    return [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  merge(counts: Iterable<readonly [string, number]>): void {
    for (const [name, count] of counts) this.add(name, count);
  }
}
