import type { AccountItem } from '../../../lambdas/access/accounts/account-item.ts';
import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { rebuildAccount } from '../../../lambdas/accounts/rebuild-account.ts';
import { sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import { ACCOUNT, type Command, type Context, optionalText, switchFlag } from '../context/command.ts';
import { accountIds, listOutcome } from '../context/listing.ts';
import { formatCount } from '../context/text-table.ts';

export const accountRebuild: Command = {
  name: 'account rebuild',
  summary: 'rebuild the account item from its credits, plans, keys, settlement records and lanes',
  positionals: [{ ...ACCOUNT, optional: true }],
  flags: { all: switchFlag('rebuild all accounts; correct items stay as they are') },
  example: 'account rebuild acme',
  async run(context, args) {
    const account = optionalText(args, 'account');
    if ((account === undefined) === (args.all !== true)) {
      throw new InputError('account rebuild needs either ACCOUNT or --all');
    }
    const accounts = account === undefined ? accountIds(context.store) : [account];
    return listOutcome({
      name: 'accounts',
      headings: ['account', 'was', 'granted', 'settled', 'open from'],
      entries: await Array.fromAsync(accounts, (one) => rebuild(context, one)),
      row: ({ account: id, changed, before, after }) => {
        const was = before === null ? 'gone' : changed ? 'wrong' : 'right';
        return [id, was, formatCount(after.granted_cu), formatCount(after.settled_cu), after.open_from];
      },
    });
  },
};

async function rebuild({ store, clock }: Context, account: string) {
  const { before, after } = await rebuildAccount({ store, clock, pause: sleep }, account);
  const was = before === undefined ? null : itemJson(before);
  const is = itemJson(after);
  return { account, changed: JSON.stringify(was) !== JSON.stringify(is), before: was, after: is };
}

function itemJson(item: AccountItem) {
  return {
    plan: item.plan,
    plan_revision: Number(item.planRevision),
    shards: item.shards,
    keys: item.keys,
    granted_cu: Number(item.granted),
    debited_cu: Number(item.debited),
    settled_cu: Number(item.settled),
    open_from: item.openFrom,
    closed_cu: Number(item.closed),
    created_at: item.createdAt,
  };
}
