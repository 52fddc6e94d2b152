import type { Hex } from '../../chain-data/decode/raw-block.ts';
import { hexDigits } from '../../shared/chain-database/hex.ts';

/**
 * How a block's bloom relates to its receipts' ones laid over each other:
 * - `equal`: as it must be.
 * - `zeros`: the block has none.
 * - `extra`: it has all of theirs, and bits that none of them has.
 * - `other`: it lacks some of theirs.
 */
export type BloomRelation = 'equal' | 'zeros' | 'extra' | 'other';

/** What a receipt adds to the bloom of its block. */
interface Bloomed {
  readonly logsBloom: Hex;
  readonly logs: readonly unknown[];
}

/** Compares a block's bloom with those of its receipts. */
export function compareBloom(logsBloom: Hex, receipts: readonly Bloomed[]): BloomRelation {
  const expected = bytesOf(logsBloom);
  const union = Buffer.alloc(expected.length);
  for (const receipt of receipts) {
    if (receipt.logs.length === 0) continue;
    const bloom = bytesOf(receipt.logsBloom);
    if (bloom.length !== union.length) return isZero(expected) ? 'zeros' : 'other';
    for (let index = 0; index < union.length; index += 1)
      union[index] = (union[index] ?? 0) | (bloom[index] ?? 0);
  }
  if (union.equals(expected)) return 'equal';
  if (isZero(expected)) return 'zeros';
  return union.every((bits, index) => (bits & ~(expected[index] ?? 0)) === 0) ? 'extra' : 'other';
}

function isZero(bloom: Buffer): boolean {
  return bloom.every((byte) => byte === 0);
}

function bytesOf(data: Hex): Buffer {
  return Buffer.from(hexDigits(data), 'hex');
}
