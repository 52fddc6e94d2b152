import { setPlan } from '../../../lambdas/accounts/set-plan.ts';
import { accountText } from '../context/account-text.ts';
import { type Command, requiredText } from '../context/command.ts';
import { requirePlan, shardsOfPlan } from '../context/plan.ts';

export const accountPlan: Command = {
  name: 'account plan',
  summary: 'put an account on another plan',
  positionals: [{ name: 'account' }, { name: 'plan' }],
  async run(context, args) {
    const plan = requirePlan(context, requiredText(args, 'plan'));
    const change = { plan, shards: shardsOfPlan(context, plan) };
    const account = await setPlan(context.store, context.clock, requiredText(args, 'account'), change);
    return { json: account, text: accountText(account) };
  },
};
