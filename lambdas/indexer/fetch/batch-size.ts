/** Batches in a row that must go well before the size grows; more each time that it grew too far, up to a most. */
const CLEAN_BATCHES_TO_GROW = 3;
const TOO_FAR_FACTOR = 4;
const MAX_CLEAN_BATCHES_TO_GROW = 192;

/** How much is asked for at once: halved when it was too much, doubled again after some that went well. */
export class BatchSize {
  readonly #max: number;
  #current: number;
  #clean = 0;
  #cleanToGrow = CLEAN_BATCHES_TO_GROW;
  #hasGrown = false;

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
    if (this.#hasGrown)
      this.#cleanToGrow = Math.min(MAX_CLEAN_BATCHES_TO_GROW, this.#cleanToGrow * TOO_FAR_FACTOR);
    this.#hasGrown = false;
    this.#clean = 0;
    this.#current = Math.max(1, Math.min(this.#current, Math.floor(tried / 2)));
  }

  /** One at a time from now on: it is not known which of several was too much. */
  shrinkToOne(): void {
    this.shrink(1);
  }

  grow(): void {
    this.#clean += 1;
    if (this.#clean < this.#cleanToGrow) return;
    this.#clean = 0;
    if (this.#hasGrown) this.#cleanToGrow = CLEAN_BATCHES_TO_GROW;
    this.#hasGrown = this.#current < this.#max;
    this.#current = Math.min(this.#max, this.#current * 2);
  }
}
