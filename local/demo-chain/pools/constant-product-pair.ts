import type { Amounts } from './market.ts';

/** Shares that the first deposit locks for ever, at the zero address. */
export const MINIMUM_LIQUIDITY = 1_000n;

/** A Uniswap V2 pair. */
export class ConstantProductPair {
  readonly feePips = 3_000;
  reserve0 = 0n;
  reserve1 = 0n;
  /** All shares, the locked ones included. */
  shares = 0n;

  reserves(): Amounts {
    return { amount0: this.reserve0, amount1: this.reserve1 };
  }

  /** Swaps an exact input; returns the output after the fee of 0.3 %. */
  swap(zeroForOne: boolean, amountIn: bigint): bigint {
    const amountOut = amountOutOf([this.reserve0, this.reserve1], zeroForOne, amountIn);
    this.reserve0 += zeroForOne ? amountIn : -amountOut;
    this.reserve1 += zeroForOne ? -amountOut : amountIn;
    return amountOut;
  }

  /** Adds both tokens; returns the shares that the provider gets. */
  add(amount0: bigint, amount1: bigint): bigint {
    const first = this.shares === 0n;
    const shares = first
      ? squareRoot(amount0 * amount1) - MINIMUM_LIQUIDITY
      : smaller((amount0 * this.shares) / this.reserve0, (amount1 * this.shares) / this.reserve1);
    this.shares += first ? shares + MINIMUM_LIQUIDITY : shares;
    this.reserve0 += amount0;
    this.reserve1 += amount1;
    return shares;
  }

  /** Gives shares back; returns what they are worth. */
  remove(shares: bigint): Amounts {
    const amount0 = (shares * this.reserve0) / this.shares;
    const amount1 = (shares * this.reserve1) / this.shares;
    this.shares -= shares;
    this.reserve0 -= amount0;
    this.reserve1 -= amount1;
    return { amount0, amount1 };
  }
}

/** What a swap of an exact input gives, after the fee of 0.3 %. */
export function amountOutOf(
  [reserve0, reserve1]: readonly [bigint, bigint],
  zeroForOne: boolean,
  amountIn: bigint,
): bigint {
  const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0];
  return (amountIn * 997n * reserveOut) / (reserveIn * 1_000n + amountIn * 997n);
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

/** The integer square root, by Newton's method from above. */
function squareRoot(value: bigint): bigint {
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (root + value / root) / 2n;
    if (next >= root) return root;
    root = next;
  }
}
