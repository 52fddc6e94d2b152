import type { Hex, RawLog, RawTransaction } from '../../chain-data/decode/raw-block.ts';
import type { RelaxableCheck } from '../../shared/runtime/settings.ts';
import { BlockError } from './block-error.ts';
import { type BloomRelation, compareBloom } from './compare-bloom.ts';
import { isOutside } from './outside-transactions.ts';
import type { IsRelaxed } from './relaxed-checks.ts';

/** The check to relax for a bloom that is related so to those of the receipts. */
const BLOOM_CHECKS: Readonly<Record<Exclude<BloomRelation, 'equal'>, RelaxableCheck>> = {
  zeros: 'zeroBloom',
  extra: 'extraBloomBits',
  other: 'logsBloom',
};

/** A transaction and what its receipt adds to the bloom of its block. */
interface BloomedTransaction {
  readonly transaction: Pick<RawTransaction, 'from' | 'to' | 'gas'>;
  /** The bloom is null where it is not known. */
  readonly receipt: { readonly logsBloom: Hex | null; readonly logs: readonly RawLog[] };
}

/**
 * Checks that the receipts' blooms make up that of their block, as far as the chain's settings ask for it.
 * @throws {BlockError} with the check that failed
 */
export function checkBloom(
  { number, logsBloom }: { readonly number: number; readonly logsBloom: Hex | null },
  pairs: readonly BloomedTransaction[],
  isRelaxed: IsRelaxed,
): void {
  if (logsBloom === null || isRelaxed('logsBloom', number)) return;
  const relationOf = (counted: readonly BloomedTransaction[]): BloomRelation => {
    const blooms = counted.flatMap(({ receipt: { logsBloom: bloom, logs } }) =>
      bloom === null ? [] : { logsBloom: bloom, logs },
    );
    // Without some of its receipts' blooms a block's is only known to have theirs.
    const relation = compareBloom(logsBloom, blooms);
    return relation === 'extra' && blooms.length < counted.length ? 'equal' : relation;
  };
  const inside = pairs.filter(({ transaction }) => !isOutside(transaction));
  const relation = relationOf(isRelaxed('stateSync', number) ? inside : pairs);
  if (relation === 'equal' || isRelaxed(BLOOM_CHECKS[relation], number)) return;
  const check = relationOf(inside) === 'equal' ? 'stateSync' : BLOOM_CHECKS[relation];
  throw new BlockError('inconsistent', number, 'bloom of other logs', check);
}
