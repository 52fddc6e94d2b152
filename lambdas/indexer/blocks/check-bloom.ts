import type { Hex, RawTransaction } from '../../chain-data/decode/raw-block.ts';
import { hexDigits } from '../../shared/chain-database/hex.ts';
import type { RelaxableCheck } from '../../shared/runtime/settings.ts';
import type { UntracedBlock } from './assemble-block.ts';
import { BlockError, type IsRelaxed } from './block-error.ts';
import { isOutside } from './outside-transactions.ts';

/**
 * How a block's bloom relates to its receipts' ones laid over each other:
 * - `equal`: as it must be.
 * - `zeros`: the block has none.
 * - `extra`: it has all of theirs, and bits that none of them has.
 * - `other`: it lacks some of theirs.
 */
type BloomRelation = 'equal' | 'zeros' | 'extra' | 'other';

/** The check to relax for a bloom that is related so to those of the receipts. */
const BLOOM_CHECKS: Readonly<Record<Exclude<BloomRelation, 'equal'>, RelaxableCheck>> = {
  zeros: 'zeroBloom',
  extra: 'extraBloomBits',
  other: 'logsBloom',
};

/**
 * Checks that the receipts' blooms make up that of their block, as far as the chain's settings ask for it.
 * @param blooms by the index of their transaction; null where one is not known
 * @throws {BlockError} with the check that failed
 */
export function checkBloom(
  { number, logsBloom, transactions }: UntracedBlock,
  blooms: readonly (Hex | null)[],
  isRelaxed: IsRelaxed,
): void {
  if (logsBloom === null || isRelaxed('logsBloom', number)) return;
  const relationOf = (isCounted: (transaction: RawTransaction) => boolean): BloomRelation => {
    const counted = transactions.flatMap((transaction, index) =>
      isCounted(transaction) ? [{ logs: transaction.receipt.logs, bloom: blooms[index] ?? null }] : [],
    );
    const known = counted.flatMap(({ logs, bloom }) => (bloom === null || logs.length === 0 ? [] : bloom));
    const relation = compareBloom(bytesOf(logsBloom), known.map(bytesOf));
    // Without some of its receipts' blooms a block's is only known to have theirs.
    return relation === 'extra' && counted.some(({ bloom }) => bloom === null) ? 'equal' : relation;
  };
  const ofInside = () => relationOf((transaction) => !isOutside(transaction));
  const relation = isRelaxed('stateSync', number) ? ofInside() : relationOf(() => true);
  if (relation === 'equal' || isRelaxed(BLOOM_CHECKS[relation], number)) return;
  const check = ofInside() === 'equal' ? 'stateSync' : BLOOM_CHECKS[relation];
  throw new BlockError('inconsistent', number, 'bloom of other logs', check);
}

function compareBloom(expected: Buffer, blooms: readonly Buffer[]): BloomRelation {
  const isZero = () => expected.every((byte) => byte === 0);
  const union = Buffer.alloc(expected.length);
  for (const bloom of blooms) {
    if (bloom.length !== union.length) return isZero() ? 'zeros' : 'other';
    for (let index = 0; index < union.length; index += 1)
      union[index] = (union[index] ?? 0) | (bloom[index] ?? 0);
  }
  if (union.equals(expected)) return 'equal';
  if (isZero()) return 'zeros';
  return union.every((bits, index) => (bits & ~(expected[index] ?? 0)) === 0) ? 'extra' : 'other';
}

function bytesOf(data: Hex): Buffer {
  return Buffer.from(hexDigits(data), 'hex');
}
