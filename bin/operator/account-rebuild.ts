import type { AccountItem } from '../../lambdas/access/accounts/account-item.ts';
import { rebuildAccount } from '../../lambdas/settlement/rebuild-account.ts';
import { type Command, requiredText } from './command.ts';
import { formatComputeUnits } from './compute-units.ts';
import { renderTable } from './text-table.ts';

export const accountRebuild: Command = {
  name: 'account rebuild',
  summary: 'make the account item anew from its credits, plans, keys, settlement records and lanes',
  positionals: [{ name: 'account' }],
  async run({ store, clock }, args) {
    const account = requiredText(args, 'account');
    const { before, after } = await rebuildAccount(store, clock, account);
    const [was, is] = [before && itemJson(before), itemJson(after)];
    const changed = JSON.stringify(was) !== JSON.stringify(is);
    const rows = Object.entries(is).map(([name, value]) => {
      return [name, was === undefined ? 'gone' : shown(was[name as keyof ItemJson]), shown(value)];
    });
    const note = changed
      ? 'The account item is rebuilt.'
      : 'The account item was right; nothing has changed.';
    return {
      json: { account, changed, before: was ?? null, after: is },
      text: `${renderTable(['', 'was', 'is'], rows)}\n\n${note}`,
    };
  },
};

type ItemJson = ReturnType<typeof itemJson>;

function itemJson(item: AccountItem) {
  return {
    plan: item.plan,
    plan_revision: Number(item.planRevision),
    shards: item.shards,
    keys: item.keys,
    granted_cu: Number(item.granted),
    settled_cu: Number(item.settled),
    open_from: item.openFrom,
    settled_open_cu: Object.fromEntries([...item.settledOpen].map(([hour, cu]) => [hour, Number(cu)])),
    created_at: item.createdAt,
  };
}

function shown(value: ItemJson[keyof ItemJson]): string {
  if (typeof value === 'number') return formatComputeUnits(value);
  if (typeof value === 'string') return value;
  const hours = Object.entries(value).map(([hour, cu]) => `${hour}: ${formatComputeUnits(cu)}`);
  return hours.length === 0 ? 'none' : hours.join(', ');
}
