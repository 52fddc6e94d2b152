import type { Store } from '../../../lambdas/access/store/store.ts';
import { showAccount } from '../../../lambdas/settlement/account-statement.ts';
import { settlementRecords } from '../../../lambdas/settlement/settlement-ledger.ts';
import { type Command, requiredText } from '../context/command.ts';
import { inPages, type ListedPage } from '../context/listing.ts';
import { retriedReads } from '../context/retried-reads.ts';
import { SETTLEMENT_HEADINGS, settlementJson, settlementRow } from '../context/settlement-text.ts';

/** Records that are printed at once. */
const RECORDS_PER_PAGE = 500;

export const settlements: Command = {
  name: 'settlements',
  summary: 'list all settlement records of an account, oldest hour first',
  positionals: [{ name: 'account' }],
  async run({ store }, args) {
    const { account } = await showAccount(store, requiredText(args, 'account'));
    return {
      name: 'settlements',
      headings: SETTLEMENT_HEADINGS,
      empty: 'Nothing is settled yet.',
      pages: settlementPages(retriedReads(store), account),
    };
  },
};

async function* settlementPages(store: Store, account: string): AsyncGenerator<ListedPage> {
  for await (const records of inPages(settlementRecords({ store }, account), RECORDS_PER_PAGE)) {
    yield { items: records.map(settlementJson), rows: records.map(settlementRow) };
  }
}
