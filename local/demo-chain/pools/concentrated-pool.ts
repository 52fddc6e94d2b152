import { Q96, sqrtPriceAtTick } from './tick-price.ts';

const Q128 = 2n ** 128n;
const PIPS = 1_000_000n;

/** Amounts of both tokens of a pool. */
export interface Amounts {
  readonly amount0: bigint;
  readonly amount1: bigint;
}

interface Position {
  readonly lower: bigint;
  readonly upper: bigint;
  liquidity: bigint;
  growth0: bigint;
  growth1: bigint;
  /** Fees and withdrawn amounts that the owner has not collected yet. */
  owed0: bigint;
  owed1: bigint;
}

/**
 * A Uniswap V3 or V4 pool whose price stays inside the range of every position: the liquidity is the same on the
 * way of every swap, which is what the plan of the demo chain keeps to.
 */
export class ConcentratedPool {
  readonly feePips: number;
  sqrtPrice: bigint;
  liquidity = 0n;
  private growth0 = 0n;
  private growth1 = 0n;
  private readonly version: 3 | 4;
  private readonly positions = new Map<string, Position>();

  constructor(version: 3 | 4, feePips: number, startTick: number) {
    this.version = version;
    this.feePips = feePips;
    this.sqrtPrice = sqrtPriceAtTick(startTick);
  }

  /** Reserves that a constant-product pool of the same price and liquidity would hold. */
  virtualReserves(): Amounts {
    return {
      amount0: (this.liquidity * Q96) / this.sqrtPrice,
      amount1: (this.liquidity * this.sqrtPrice) / Q96,
    };
  }

  /** Swaps an exact input; returns the output. */
  swap(zeroForOne: boolean, amountIn: bigint): bigint {
    const { sqrtPrice, liquidity } = this;
    const withoutFee = (amountIn * (PIPS - BigInt(this.feePips))) / PIPS;
    const next = zeroForOne
      ? divideUp(liquidity * Q96 * sqrtPrice, liquidity * Q96 + withoutFee * sqrtPrice)
      : sqrtPrice + (withoutFee * Q96) / liquidity;
    this.requireInRange(next);
    const [low, high] = zeroForOne ? [next, sqrtPrice] : [sqrtPrice, next];
    const moved = zeroForOne
      ? { into: amount0Between(low, high, liquidity, true), out: amount1Between(low, high, liquidity, false) }
      : {
          into: amount1Between(low, high, liquidity, true),
          out: amount0Between(low, high, liquidity, false),
        };
    // V3 gives to the fee what the rounding of the price leaves of the input; V4 does not.
    const fee = amountIn - (this.version === 3 ? moved.into : withoutFee);
    if (zeroForOne) this.growth0 += (fee * Q128) / liquidity;
    else this.growth1 += (fee * Q128) / liquidity;
    this.sqrtPrice = next;
    return moved.out;
  }

  /** Adds liquidity to the position of this name; returns what it takes. */
  add(name: string, lowerTick: number, upperTick: number, liquidity: bigint): Amounts {
    const position = this.positions.get(name) ?? {
      lower: sqrtPriceAtTick(lowerTick),
      upper: sqrtPriceAtTick(upperTick),
      liquidity: 0n,
      growth0: this.growth0,
      growth1: this.growth1,
      owed0: 0n,
      owed1: 0n,
    };
    this.positions.set(name, position);
    this.accrue(position);
    position.liquidity += liquidity;
    this.liquidity += liquidity;
    this.requireInRange(this.sqrtPrice);
    return this.principal(position, liquidity, true);
  }

  /** Takes liquidity out of a position; what it is worth is then owed to its owner. */
  remove(name: string, liquidity: bigint): void {
    const position = this.position(name);
    this.accrue(position);
    position.liquidity -= liquidity;
    this.liquidity -= liquidity;
    const { amount0, amount1 } = this.principal(position, liquidity, false);
    position.owed0 += amount0;
    position.owed1 += amount1;
  }

  /** Hands out what is owed to the owner of a position. */
  collect(name: string): Amounts {
    const position = this.position(name);
    const amounts = { amount0: position.owed0, amount1: position.owed1 };
    position.owed0 = 0n;
    position.owed1 = 0n;
    return amounts;
  }

  /** Liquidity of a position; 0 if there is none of this name. */
  liquidityOf(name: string): bigint {
    return this.positions.get(name)?.liquidity ?? 0n;
  }

  private position(name: string): Position {
    const position = this.positions.get(name);
    if (position === undefined) throw new Error(`there is no position ${name}`);
    return position;
  }

  private accrue(position: Position): void {
    position.owed0 += ((this.growth0 - position.growth0) * position.liquidity) / Q128;
    position.owed1 += ((this.growth1 - position.growth1) * position.liquidity) / Q128;
    position.growth0 = this.growth0;
    position.growth1 = this.growth1;
  }

  private principal({ lower, upper }: Position, liquidity: bigint, up: boolean): Amounts {
    return {
      amount0: amount0Between(this.sqrtPrice, upper, liquidity, up),
      amount1: amount1Between(lower, this.sqrtPrice, liquidity, up),
    };
  }

  private requireInRange(sqrtPrice: bigint): void {
    for (const { lower, upper, liquidity } of this.positions.values()) {
      if (liquidity > 0n && (sqrtPrice <= lower || sqrtPrice >= upper)) {
        throw new Error('the price left the range of a position');
      }
    }
  }
}

function amount0Between(low: bigint, high: bigint, liquidity: bigint, up: boolean): bigint {
  const product = liquidity * Q96 * (high - low);
  return up ? divideUp(divideUp(product, high), low) : product / high / low;
}

function amount1Between(low: bigint, high: bigint, liquidity: bigint, up: boolean): bigint {
  const product = liquidity * (high - low);
  return up ? divideUp(product, Q96) : product / Q96;
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
