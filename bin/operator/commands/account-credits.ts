import type { Item, Store } from '../../../lambdas/access/store/store.ts';
import { showAccount } from '../../../lambdas/settlement/account-statement.ts';
import { CREDITS_AND_DEBITS, isDebit, ledgerRange } from '../../../lambdas/settlement/settlement-ledger.ts';
import { type Command, requiredText } from '../context/command.ts';
import { formatComputeUnits } from '../context/compute-units.ts';
import { inPages, type ListedPage } from '../context/listing.ts';
import { retriedReads } from '../context/retried-reads.ts';

/** Records that are printed at once. */
const RECORDS_PER_PAGE = 500;
const HEADINGS = ['created', 'kind', 'CU', 'reference', 'by', 'reason'];

export const accountCredits: Command = {
  name: 'account credits',
  summary: 'list what an account was granted and what was taken back, with who did it, by reference',
  positionals: [{ name: 'account' }],
  async run({ store }, args) {
    const { account } = await showAccount(store, requiredText(args, 'account'));
    return {
      name: 'credits',
      headings: HEADINGS,
      empty: 'Nothing was granted yet.',
      pages: creditPages(retriedReads(store), account),
    };
  },
};

async function* creditPages(store: Store, account: string): AsyncGenerator<ListedPage> {
  for await (const items of inPages(ledgerRange({ store }, account, CREDITS_AND_DEBITS), RECORDS_PER_PAGE)) {
    const records = items.map(recordOf);
    yield {
      items: records,
      rows: records.map(({ created_at, kind, cu, reference, by = '-', reason = '' }) => [
        created_at,
        kind,
        formatComputeUnits(cu),
        reference,
        by,
        reason,
      ]),
    };
  }
}

function recordOf(item: Item) {
  return {
    created_at: String(item.created_at),
    kind: isDebit(item) ? 'debit' : 'credit',
    cu: Number(item.cu),
    reference: String(item.reference),
    ...(item.by !== undefined && { by: String(item.by) }),
    ...(item.reason !== undefined && { reason: String(item.reason) }),
  };
}
