import type { Plan, Scope } from '../plan/plan.ts';
import { oneBlock } from '../plan/window.ts';

/** A transaction whose place was found before the statement. */
interface PlacedTransaction {
  /** SQL of its row where it was found, as `place`: after a reorganisation there may be another one. */
  readonly with: readonly string[];
  /** What limits rows to its own. */
  readonly where: readonly string[];
}

/** The transaction of a hash. Its block is a parameter, so that PostgreSQL plans for the one partition that has it. */
export function placedTransaction({ schema, bind }: Scope, hash: string): PlacedTransaction {
  const { block, index } = bind.place(hash);
  return {
    with: [
      `place AS (SELECT block_number, tx_index FROM ${schema}.transactions
        WHERE block_number = ${block} AND tx_index = ${index} AND hash = ${bind.bytes(hash)})`,
    ],
    where: [`t.block_number = ${block}`, `t.tx_index = ${index}`],
  };
}

/** What limits rows to those of one transaction, and refuses one that is not there or not final. */
export function ofTransaction(
  scope: Scope,
  hash: string,
): Pick<Plan, 'with' | 'exists' | 'window' | 'absent'> & PlacedTransaction {
  return {
    ...placedTransaction(scope, hash),
    exists: 'EXISTS (SELECT 1 FROM place)',
    window: oneBlock('(SELECT block_number FROM place)', 't.block_number'),
    absent: `there is no transaction ${hash}`,
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
