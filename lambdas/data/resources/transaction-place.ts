import type { Plan, Scope } from '../plan/plan.ts';
import { oneBlock } from '../plan/window.ts';

const BLOCK = '(SELECT block_number FROM place)';

/** What limits rows to those of one transaction, and refuses one that is not there or not final. */
export function ofTransaction(
  { schema, bind }: Scope,
  hash: string,
): Pick<Plan, 'with' | 'exists' | 'window' | 'absent'> & { readonly where: readonly string[] } {
  return {
    with: [
      `place AS (SELECT block_number, tx_index FROM ${schema}.transaction_hashes WHERE hash = ${bind.bytes(hash)})`,
    ],
    exists: 'EXISTS (SELECT 1 FROM place)',
    window: oneBlock(BLOCK, 't.block_number'),
    absent: `there is no transaction ${hash}`,
    where: ['t.tx_index = (SELECT tx_index FROM place)'],
  };
}

/** What limits rows to those of one block, and refuses one that is not there or not final. */
export function ofBlock({ schema, bind }: Scope, number: number): Pick<Plan, 'exists' | 'window' | 'absent'> {
  const block = bind.integer(number);
  return {
    exists: `EXISTS (SELECT 1 FROM ${schema}.blocks WHERE number = ${block})`,
    window: oneBlock(block, 't.block_number'),
    absent: `block ${number} has no live row`,
  };
}
