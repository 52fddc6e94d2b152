import type { AccountBooks } from './account-books.ts';
import { UNIT_CU } from './ledger-sums.ts';

/** Something that is true of every account's books at every moment. */
interface Invariant {
  readonly name: string;
  /** Figures of one account that the invariant is about; summed over all accounts in a report. */
  readonly figures: (books: AccountBooks) => Readonly<Record<string, bigint>>;
  /** What is wrong; undefined if nothing is. */
  readonly violation: (books: AccountBooks) => string | undefined;
}

/** The invariants that hold for each account. */
export const INVARIANTS: readonly Invariant[] = [
  equality('granted = credits', ({ item, ledger }) => ({
    granted_cu: item.granted,
    credits_cu: ledger.creditedCu,
  })),
  equality('debited = debits', ({ item, ledger }) => ({
    debited_cu: item.debited,
    debits_cu: ledger.debitedCu,
  })),
  equality('settled = sum of records', ({ item, ledger }) => ({
    settled_cu: item.settled,
    records_cu: ledger.settledCu,
  })),
  equality('balance = credits - debits - records - pending', ({ item, ledger, pendingCu, openCu }) => ({
    balance_cu: item.granted - item.debited - item.closed - openCu,
    ledger_balance_cu: ledger.creditedCu - ledger.debitedCu - ledger.settledCu - pendingCu,
  })),
  equality('billing units x 1000 + remainders = settled', ({ item, ledger }) => ({
    units_and_remainders_cu: ledger.billingUnits * UNIT_CU + ledger.remainderCu,
    settled_cu: item.settled,
  })),
  {
    name: 'records follow from each other',
    figures: ({ ledger }) => ({ records: ledger.records, billing_units: ledger.billingUnits }),
    violation: ({ ledger }) => ledger.fault,
  },
  {
    name: 'no hour is settled beyond its lanes',
    figures: ({ pendingCu }) => ({ pending_cu: pendingCu }),
    violation: ({ pending }) => {
      const negative = [...pending].filter(([, cu]) => cu < 0n).map(([hour, cu]) => `${hour}: ${cu} pending`);
      return negative.length === 0 ? undefined : negative.join(', ');
    },
  },
  noHours('unsettled hours are on the work list', ({ orphans }) => orphans),
  noHours('closed hours have the lanes of their records', ({ unlike }) => unlike),
  {
    name: 'lanes and records bill the price of their usage',
    figures: ({ recomputed }) => ({ recomputed: recomputed.count, recomputed_cu: recomputed.cu }),
    violation: ({ recomputed: { firstWrong, wrongCount } }) =>
      wrongCount > 1 ? `${firstWrong}; and ${wrongCount - 1} more` : firstWrong,
  },
];

/** Two figures that are equal. */
function equality(name: string, figures: Invariant['figures']): Invariant {
  return {
    name,
    figures,
    violation: (books) => {
      const entries = Object.entries(figures(books));
      const [first] = entries;
      if (entries.every(([, value]) => value === first?.[1])) return undefined;
      return entries.map(([figure, value]) => `${figure} ${value}`).join(', ');
    },
  };
}

/** There is no hour of a kind. */
function noHours(name: string, hours: (books: AccountBooks) => readonly string[]): Invariant {
  return {
    name,
    figures: (books) => ({ hours: BigInt(hours(books).length) }),
    violation: (books) => (hours(books).length === 0 ? undefined : hours(books).join(', ')),
  };
}
