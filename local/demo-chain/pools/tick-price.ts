/** The price 1 as Uniswap V3 and V4 write the square root of a price: with 96 binary places. */
export const Q96 = 2n ** 96n;
const Q128 = 2n ** 128n;
const Q32 = 2n ** 32n;
const MAX_UINT256 = 2n ** 256n - 1n;

/** Entry i is 1.0001^(-2^i / 2) with 128 binary places, rounded as the contracts have it. */
const HALVINGS: readonly bigint[] = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n,
];

/** Square root of the price at a tick, to the last digit as the contracts compute it. */
export function sqrtPriceAtTick(tick: number): bigint {
  const distance = Math.abs(tick);
  let ratio = Q128;
  for (const [bit, halving] of HALVINGS.entries()) {
    if (Math.floor(distance / 2 ** bit) % 2 === 1) ratio = (ratio * halving) / Q128;
  }
  if (tick > 0) ratio = MAX_UINT256 / ratio;
  return (ratio + Q32 - 1n) / Q32;
}

/** The tick nearest to a price (raw units of token 1 for one of token 0) that a pool of this spacing can use. */
export function nearestTick(price: number, tickSpacing: number): number {
  return Math.round(Math.log(price) / Math.log(1.0001) / tickSpacing) * tickSpacing;
}
