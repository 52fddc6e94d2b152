import { creditAccount } from '../../../lambdas/accounts/credit-account.ts';
import { accountText } from '../context/account-text.ts';
import { type Command, requiredText } from '../context/command.ts';
import { parseComputeUnits } from '../context/compute-units.ts';
import { GRANTED_BY, grantedBy } from '../context/granted-by.ts';

export const accountCredit: Command = {
  name: 'account credit',
  summary: 'grant compute units, once per reference',
  positionals: [{ name: 'account' }, { name: 'cu' }],
  flags: {
    reference: {
      type: 'string',
      needed: true,
      summary: 'what the credit is for; repeating it changes nothing',
    },
    by: GRANTED_BY,
  },
  async run({ store, clock }, args) {
    const credit = {
      cu: parseComputeUnits(requiredText(args, 'cu')),
      reference: requiredText(args, 'reference'),
      by: grantedBy(args),
    };
    const credited = await creditAccount(store, clock, requiredText(args, 'account'), credit);
    const note = credited.already_applied
      ? `\n\nCredit ${credit.reference} was applied before; nothing has changed.`
      : '';
    return { json: credited, text: accountText(credited) + note };
  },
};
