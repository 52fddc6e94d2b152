import type { AccountBooks } from './account-books.ts';
import { type ObservedAccount, pendingCu } from './observed-account.ts';
import { hourEndMs } from './settlement-hours.ts';
import { BILLING_UNIT_CU } from './settlement-record.ts';
import { PENDING_SHARDS } from './tables.ts';

/** Time after the end of its hour in which an account without usage has left the pending index, in milliseconds. */
const INDEX_LAG_MS = 6 * 3_600_000;

/** Something that is true of every account's books at every moment. */
export interface Invariant {
  readonly name: string;
  /** Figures of one account that the invariant is about; summed over all accounts in a report. */
  readonly figures: (books: PresentBooks) => Readonly<Record<string, bigint>>;
  /** What is wrong; undefined if nothing is. */
  readonly violation: (books: PresentBooks, nowMs: number) => string | undefined;
}

/** Books of an account that is there. */
export type PresentBooks = AccountBooks & { readonly observed: ObservedAccount };

/** The invariants that hold for each account. */
export const INVARIANTS: readonly Invariant[] = [
  equality('granted = credits', ({ observed, creditedCu }) => ({
    granted_cu: observed.granted,
    credits_cu: creditedCu,
  })),
  equality('charged = settled + pending', ({ observed }) => ({
    charged_cu: observed.charged,
    settled_and_pending_cu: observed.settled + pendingCu(observed),
  })),
  equality('settled = sum of records', ({ observed, records }) => ({
    settled_cu: observed.settled,
    records_cu: records.settledCu,
  })),
  equality('balance = credits - records - pending', ({ observed, creditedCu, records }) => ({
    balance_cu: observed.granted - observed.charged,
    ledger_balance_cu: creditedCu - records.settledCu - pendingCu(observed),
  })),
  equality('billing units x 1000 + remainders = settled', ({ observed, records }) => ({
    units_and_remainders_cu: records.billingUnits * BILLING_UNIT_CU + records.remainderCu,
    settled_cu: observed.settled,
  })),
  {
    name: 'records follow from each other',
    figures: ({ records }) => ({ records: records.records, billing_units: records.billingUnits }),
    violation: ({ records }) => records.fault,
  },
  {
    name: 'unsettled accounts are in the index',
    figures: ({ observed }) => ({
      unsettled_accounts: observed.pending.size > 0 ? 1n : 0n,
      indexed_accounts: observed.pendingHour !== undefined ? 1n : 0n,
    }),
    violation: ({ observed }, nowMs) => indexFault(observed, nowMs),
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

/** An index entry without usage is what a settlement leaves that was stopped; the next one takes it away. */
function indexFault(
  { pending, pendingHour, pendingShard }: ObservedAccount,
  nowMs: number,
): string | undefined {
  if (pendingHour === undefined) return pending.size > 0 ? 'usage without pending_hour' : undefined;
  if (pendingShard === undefined || pendingShard < 0n || pendingShard >= PENDING_SHARDS) {
    return `pending_shard ${pendingShard}`;
  }
  const left = pending.size === 0 && hourEndMs(pendingHour) + INDEX_LAG_MS <= nowMs;
  return left ? `pending_hour ${pendingHour} without usage` : undefined;
}
