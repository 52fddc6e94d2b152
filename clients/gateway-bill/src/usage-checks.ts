import { usageHash } from '../../../lambdas/shared/bill/lane-leaf.ts';
import { dearestCall, priceListAt } from '../../../lambdas/shared/bill/price-list.ts';
import { wrongUsage } from '../../../lambdas/shared/bill/recomputed-usage.ts';
import { type Bill, lanesName, type Stated } from './bill.ts';
import type { LanePosition } from './lane-position.ts';

/** Most calls of a request. */
const MAX_CALLS = 100;

/** What is wrong with what records bill; undefined: the price of their usage, which is the one that they state. */
export function badUsage({ settlements, prices }: Bill, records: readonly Stated[]): string | undefined {
  const stated = new Map(records.map((record) => [lanesName(record), record]));
  for (const row of settlements) {
    const record = stated.get(lanesName(row));
    if (record === undefined) continue;
    if (typeof row.usage !== 'string') return `the usage of record ${record.number} is not shown`;
    if (usageHash(row.usage) !== record.usage) return `record ${record.number} states another usage`;
    const billed = { used: row.usage, total: record.total_cu };
    const wrong = wrongUsage(billed, priceListAt(prices, record.hour));
    if (wrong !== undefined) return `of record ${record.number}, ${wrong}`;
  }
  return undefined;
}

/** What a lane was at, by a header, a receipt or its record. */
export interface KnownPosition extends Pick<LanePosition, 'n' | 'total' | 'billed'> {
  /** Whether a header says so: then its charge is one that the customer knows. */
  readonly isTold: boolean;
}

/** What became of the comparison of a lane's positions with what its requests were billed. */
interface Risen {
  /** What is wrong; undefined: nothing. */
  readonly failure: string | undefined;
  /** Charges without a header. */
  readonly untold: number;
}

/**
 * Compares the rise of a lane from one position to the next with what was billed. Between neighbours it is exactly
 * that; of charges between them without a header, each is at least 1 CU and at most the dearest request.
 * @param positions in the order of their charges, each with more than the one before
 */
export function risenLane(name: string, positions: readonly KnownPosition[], dearestCu: number): Risen {
  let before: Pick<KnownPosition, 'n' | 'total'> = { n: 0, total: 0 };
  let untold = 0;
  for (const position of positions) {
    const { n, total, billed, isTold } = position;
    const charges = n - before.n - (billed === undefined ? 0 : 1);
    const rise = total - before.total;
    const rest = rise - (billed ?? 0);
    if (charges === 0 && rest !== 0)
      return {
        untold,
        failure: `request ${n} of lane ${name} was billed ${billed} CU, and its lane rose by ${rise}`,
      };
    if (rest < charges || rest > charges * dearestCu)
      return {
        untold,
        failure: `lane ${name} rose by ${rise} CU from ${before.n} to ${n} charges${
          billed === undefined ? '' : `, of which the last was ${billed}`
        }: the other ${charges} are no ${rest} CU`,
      };
    untold += n - before.n - (isTold ? 1 : 0);
    before = position;
  }
  return { failure: undefined, untold };
}

/** Most that a request can cost, by the lists that the bill is held to. */
export function dearestRequest({ prices }: Pick<Bill, 'prices'>): number {
  return MAX_CALLS * Math.max(...prices.map(dearestCall));
}
