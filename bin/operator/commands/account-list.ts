import { requireAccountId } from '../../../lambdas/access/accounts/account-id.ts';
import { listAccounts } from '../../../lambdas/accounts/list-accounts.ts';
import type { AccountStatement } from '../../../lambdas/settlement/account-statement.ts';
import { type Command, optionalText } from '../context/command.ts';
import { formatComputeUnits } from '../context/compute-units.ts';
import { pagesAfter } from '../context/listing.ts';
import { retriedReads } from '../context/retried-reads.ts';

export const accountList: Command = {
  name: 'account list',
  summary: 'list all accounts by id',
  positionals: [],
  flags: { after: { type: 'string', summary: 'only the accounts after this one' } },
  async run({ store }, args) {
    const after = optionalText(args, 'after');
    if (after !== undefined) requireAccountId(after);
    const patient = retriedReads(store);
    const readPage = async (behind: string | undefined) => {
      const { accounts, next } = await listAccounts(patient, behind);
      return { entries: accounts, next };
    };
    return {
      name: 'accounts',
      headings: ['account', 'plan', 'granted', 'charged', 'balance', 'created'],
      pages: pagesAfter(after, readPage, row),
    };
  },
};

function row({ account, plan, granted_cu, charged_cu, balance_cu, created_at }: AccountStatement): string[] {
  return [account, plan, ...[granted_cu, charged_cu, balance_cu].map(formatComputeUnits), created_at];
}
