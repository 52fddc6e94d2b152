import type { JsonValue, RawReceipt } from './raw-block.ts';

const QUANTITY = /^0x[0-9a-f]{1,64}$/i;
const MILLIONTHS = 1_000_000n;
/** What the scalar is multiplied by in place of being millionths, since the Jovian fork. */
const JOVIAN_FACTOR = 100n;

/**
 * What a transaction of the OP stack paid the operator of its chain, in wei: the receipt has the terms, and since the Jovian fork
 * the scalar of the data footprint too. Null where the chain has no such fee.
 */
export function operatorFee({ extra, gasUsed }: RawReceipt): bigint | null {
  const [scalar, constant] = [quantity(extra.operatorFeeScalar), quantity(extra.operatorFeeConstant)];
  if (scalar === null || constant === null) return null;
  const isJovian = extra.daFootprintGasScalar !== undefined;
  const byGas = isJovian ? gasUsed * scalar * JOVIAN_FACTOR : (gasUsed * scalar) / MILLIONTHS;
  return byGas + constant;
}

function quantity(value: JsonValue | undefined): bigint | null {
  return typeof value === 'string' && QUANTITY.test(value) ? BigInt(value) : null;
}
