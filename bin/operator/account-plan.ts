import { setPlan } from '../../lambdas/access/accounts.ts';
import { accountText } from './account-text.ts';
import { type Command, requiredText } from './command.ts';
import { requirePlan } from './plan.ts';

export const accountPlan: Command = {
  name: 'account plan',
  summary: 'put an account on another plan',
  positionals: [{ name: 'account' }, { name: 'plan' }],
  async run(context, args) {
    const plan = requirePlan(context, requiredText(args, 'plan'));
    const account = await setPlan(context.store, requiredText(args, 'account'), plan);
    return { json: account, text: accountText(account) };
  },
};
