/** Batches in a row that must go well before the size grows. */
const CLEAN_BATCHES_TO_GROW = 3;

/** How much is asked for at once: halved when it was too much, doubled again after some that went well. */
export class BatchSize {
  readonly #max: number;
  #current: number;
  #clean = 0;

  /** Starts at `start` and never passes `max`. */
  constructor(start: number, max: number) {
    this.#current = start;
    this.#max = max;
  }

  get current(): number {
    return this.#current;
  }

  /** `tried`: the size that was too much; what was sent before an earlier halving says nothing new. */
  shrink(tried: number): void {
    this.#clean = 0;
    this.#current = Math.max(1, Math.min(this.#current, Math.floor(tried / 2)));
  }

  grow(): void {
    this.#clean += 1;
    if (this.#clean < CLEAN_BATCHES_TO_GROW) return;
    this.#clean = 0;
    this.#current = Math.min(this.#max, this.#current * 2);
  }
}
