import type { Address } from 'viem';
import type { Amounts } from './market.ts';
import { nearestTick, Q96, sqrtPriceAtTick } from './tick-price.ts';

const Q128 = 2n ** 128n;
const PIPS = 1_000_000n;
const MAX_TICK = 887_272;
/** Ticks on either side of a pool's first price that the positions of traders span: a factor of about three. */
const BAND_TICKS = 12_000;

interface PoolStart extends Amounts {
  readonly version: 3 | 4;
  readonly feePips: number;
  readonly tickSpacing: number;
  readonly issuer: Address;
}

/** Ticks between which a position has its liquidity. */
interface Range {
  readonly lower: number;
  readonly upper: number;
}

interface Position {
  /** Square roots of the prices at the ends of its range. */
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
  /** Liquidity of the first position, which spans all prices. */
  readonly firstLiquidity: bigint;
  sqrtPrice: bigint;
  liquidity = 0n;
  private growth0 = 0n;
  private growth1 = 0n;
  private readonly version: 3 | 4;
  private readonly positions = new Map<Address, Position>();
  private readonly issuer: Address;
  private readonly widest: Range;
  private readonly band: Range;

  /** Has the price that two amounts, in raw units, have to each other. */
  constructor({ version, feePips, tickSpacing, amount0, amount1, issuer }: PoolStart) {
    this.version = version;
    this.feePips = feePips;
    this.issuer = issuer;
    const tick = nearestTick(Number(amount1) / Number(amount0), tickSpacing);
    this.sqrtPrice = sqrtPriceAtTick(tick);
    this.firstLiquidity = (amount1 * Q96) / this.sqrtPrice;
    const end = Math.floor(MAX_TICK / tickSpacing) * tickSpacing;
    this.widest = { lower: -end, upper: end };
    this.band = { lower: tick - BAND_TICKS, upper: tick + BAND_TICKS };
  }

  /** The range of a provider: all prices for the issuer, a band around the first price for all others. */
  rangeOf(provider: Address): Range {
    return provider === this.issuer ? this.widest : this.band;
  }

  /** Reserves that a constant-product pool of the same price and liquidity would hold. */
  reserves(): Amounts {
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

  /** Adds liquidity to the position of a provider; returns what it takes. */
  add(provider: Address, liquidity: bigint): Amounts {
    const { lower, upper } = this.rangeOf(provider);
    const position = this.positions.get(provider) ?? {
      lower: sqrtPriceAtTick(lower),
      upper: sqrtPriceAtTick(upper),
      liquidity: 0n,
      growth0: this.growth0,
      growth1: this.growth1,
      owed0: 0n,
      owed1: 0n,
    };
    this.positions.set(provider, position);
    this.accrue(position);
    position.liquidity += liquidity;
    this.liquidity += liquidity;
    this.requireInRange(this.sqrtPrice);
    return this.principal(position, liquidity, true);
  }

  /** Takes liquidity out of a position; what it is worth is then owed to its owner. */
  remove(provider: Address, liquidity: bigint): void {
    const position = this.position(provider);
    this.accrue(position);
    position.liquidity -= liquidity;
    this.liquidity -= liquidity;
    const { amount0, amount1 } = this.principal(position, liquidity, false);
    position.owed0 += amount0;
    position.owed1 += amount1;
  }

  /** Hands out what is owed to the owner of a position. */
  collect(provider: Address): Amounts {
    const position = this.position(provider);
    const amounts = { amount0: position.owed0, amount1: position.owed1 };
    position.owed0 = 0n;
    position.owed1 = 0n;
    return amounts;
  }

  /** Liquidity of a provider's position; 0 if there is none. */
  liquidityOf(provider: Address): bigint {
    return this.positions.get(provider)?.liquidity ?? 0n;
  }

  private position(provider: Address): Position {
    const position = this.positions.get(provider);
    if (position === undefined) throw new Error(`there is no position of ${provider}`);
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
