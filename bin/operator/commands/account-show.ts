import { showAccount } from '../../../lambdas/settlement/account-statement.ts';
import { accountText } from '../context/account-text.ts';
import { type Command, requiredText } from '../context/command.ts';

export const accountShow: Command = {
  name: 'account show',
  summary: 'show plan, balance and usage that is not yet settled',
  positionals: [{ name: 'account' }],
  async run({ store }, args) {
    const account = await showAccount(store, requiredText(args, 'account'));
    return { json: account, text: accountText(account) };
  },
};
