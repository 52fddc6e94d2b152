const WORD = 2 ** 32;
const STEP = 0x9e3779b9;
/** Parts of a whole that `share` counts in. */
const WHOLE = 10_000n;

/** Random choices that depend on nothing but the seed. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** An integer from `minimum` to `maximum`, both included; the range is at most 2^32 wide. */
  integer(minimum: number, maximum: number): number {
    return minimum + Math.floor((this.word() / WORD) * (maximum - minimum + 1));
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.integer(0, items.length - 1)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  }

  /** One of some choices, each as often beside the others as its weight says. */
  weighted<Choice>(choices: readonly (readonly [weight: number, choice: Choice])[]): Choice {
    let drawn = this.integer(
      1,
      choices.reduce((sum, [weight]) => sum + weight, 0),
    );
    const found = choices.find(([weight]) => {
      drawn -= weight;
      return drawn <= 0;
    });
    if (found === undefined) throw new Error('there is nothing to pick from');
    return found[1];
  }

  /** True in so many of a hundred cases. */
  chance(percent: number): boolean {
    return this.integer(1, 100) <= percent;
  }

  /** A part of an amount, from `minimum` to `maximum` ten-thousandths of it. */
  share(amount: bigint, minimum: number, maximum: number): bigint {
    return (amount * BigInt(this.integer(minimum, maximum))) / WHOLE;
  }

  /** So many random bytes, as hex. */
  bytes(length: number): `0x${string}` {
    const digits = Array.from({ length }, () => this.integer(0, 255).toString(16).padStart(2, '0'));
    return `0x${digits.join('')}`;
  }

  /** The next 32 bits: a Weyl sequence whose steps are mixed by multiplications and shifts. */
  private word(): number {
    this.state = (this.state + STEP) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return (mixed ^ (mixed >>> 16)) >>> 0;
  }
}
