/** A seeded source of randomness: one seed gives one sequence, on every machine. (The generator is sfc32.) */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number) {
    this.#a = seed | 0;
    this.#b = Math.trunc(seed / 2 ** 32) | 0;
    this.#c = 0x9e3779b9 | 0;
    for (let round = 0; round < 16; round += 1) this.#next32();
  }

  /** At least 0, below 1. */
  fraction(): number {
    return this.#next32() / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** A whole number, both ends included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1));
  }

  /** A whole number of any order of magnitude between two positive ones, each as likely. */
  magnitude(min: number, max: number): number {
    return Math.round(min * (max / min) ** this.fraction());
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[Math.floor(this.fraction() * items.length)] as T;
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.#next32() & 0xff);
  }

  #next32(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }
}
