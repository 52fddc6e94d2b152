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
  #sorted: readonly number[] | undefined;

  constructor(maxCount: number, maxAgeMs: number) {
    this.#maxCount = maxCount;
    this.#maxAgeMs = maxAgeMs;
  }

  add(value: number, now: number): void {
    this.#samples.push({ value, at: now });
    if (this.#samples.length > this.#maxCount) this.#samples.shift();
    this.#sorted = undefined;
  }

  /**
   * The sample that a share of the others does not pass, such as the median for 0.5. Undefined for fewer than
   * `minCount` samples.
   */
  quantile(share: number, now: number, minCount = 1): number | undefined {
    this.#forgetOld(now);
    if (this.#samples.length < minCount) return undefined;
    this.#sorted ??= this.#samples.map(({ value }) => value).sort((one, other) => one - other);
    return this.#sorted[Math.max(0, Math.ceil(share * this.#sorted.length) - 1)];
  }

  #forgetOld(now: number): void {
    while ((this.#samples[0]?.at ?? now) < now - this.#maxAgeMs) {
      this.#samples.shift();
      this.#sorted = undefined;
    }
  }
}
