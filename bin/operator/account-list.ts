import { type AccountStatement, listAccounts, requireAccountId } from '../../lambdas/access/accounts.ts';
import { type Command, optionalText } from './command.ts';
import { formatComputeUnits } from './compute-units.ts';
import { renderTable } from './text-table.ts';

/** Most accounts that one call prints. */
const MAX_LISTED_ACCOUNTS = 1_000;

export const accountList: Command = {
  name: 'account list',
  summary: `list accounts by id, ${MAX_LISTED_ACCOUNTS.toLocaleString('en-US')} at most`,
  positionals: [],
  flags: { after: { type: 'string', summary: 'list the accounts behind this one' } },
  async run({ store }, args) {
    const accounts: AccountStatement[] = [];
    let next = optionalText(args, 'after');
    if (next !== undefined) requireAccountId(next);
    do {
      const page = await listAccounts(store, next);
      accounts.push(...page.accounts);
      next = page.next;
    } while (next !== undefined && accounts.length < MAX_LISTED_ACCOUNTS);
    const more = next === undefined ? '' : `\n\nThere may be more: --after ${next}`;
    return {
      json: { accounts, ...(next !== undefined && { next }) },
      text:
        renderTable(['account', 'plan', 'granted', 'charged', 'balance', 'created'], accounts.map(row)) +
        more,
    };
  },
};

function row({ account, plan, granted_cu, charged_cu, balance_cu, created_at }: AccountStatement): string[] {
  return [account, plan, ...[granted_cu, charged_cu, balance_cu].map(formatComputeUnits), created_at];
}
