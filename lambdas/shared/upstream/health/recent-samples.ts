interface Sample {
  readonly value: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The newest samples of a figure: at most so many, and none over a certain age. */
export class RecentSamples {
  readonly #maxCount: number;
  readonly #maxAgeMs: number;
  readonly #samples: Sample[] = [];
  /** Their values in rising order. */
  readonly #values: number[] = [];

  constructor(maxCount: number, maxAgeMs: number) {
    this.#maxCount = maxCount;
    this.#maxAgeMs = maxAgeMs;
  }

  add(value: number, now: number): void {
    this.#samples.push({ value, at: now });
    this.#values.splice(this.#placeOf(value), 0, value);
    if (this.#samples.length > this.#maxCount) this.#forgetOldest();
  }

  /**
   * The sample that a share of the others does not pass, such as the median for 0.5. Undefined for fewer than
   * `minCount` samples.
   */
  quantile(share: number, now: number, minCount = 1): number | undefined {
    this.#forgetOld(now);
    if (this.#samples.length < minCount) return undefined;
    return this.#values[Math.max(0, Math.ceil(share * this.#values.length) - 1)];
  }

  #forgetOld(now: number): void {
    while ((this.#samples[0]?.at ?? now) < now - this.#maxAgeMs) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const oldest = this.#samples.shift();
    if (oldest !== undefined) this.#values.splice(this.#placeOf(oldest.value), 1);
  }

  /** Where the first value is that is not below this one. */
  #placeOf(value: number): number {
    let low = 0;
    let high = this.#values.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#values[middle] as number) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
