import { type AccountStatement, listAccounts, requireAccountId } from '../../lambdas/access/accounts.ts';
import type { Store } from '../../lambdas/access/store.ts';
import { type Command, optionalText } from './command.ts';
import { formatComputeUnits } from './compute-units.ts';
import type { ListedPage } from './listing.ts';
import { patientReads } from './patient-reads.ts';

export const accountList: Command = {
  name: 'account list',
  summary: 'list all accounts by id',
  positionals: [],
  flags: { after: { type: 'string', summary: 'only the accounts behind this one' } },
  async run({ store }, args) {
    const after = optionalText(args, 'after');
    if (after !== undefined) requireAccountId(after);
    return {
      name: 'accounts',
      headings: ['account', 'plan', 'granted', 'charged', 'balance', 'created'],
      pages: accountPages(patientReads(store), after),
    };
  },
};

async function* accountPages(store: Store, after: string | undefined): AsyncGenerator<ListedPage> {
  let next = after;
  do {
    const page = await listAccounts(store, next);
    next = page.next;
    yield {
      items: page.accounts,
      rows: page.accounts.map(row),
      ...(next !== undefined && { goOn: `--after ${next}` }),
    };
  } while (next !== undefined);
}

function row({ account, plan, granted_cu, charged_cu, balance_cu, created_at }: AccountStatement): string[] {
  return [account, plan, ...[granted_cu, charged_cu, balance_cu].map(formatComputeUnits), created_at];
}
