import { debitAccount } from '../../../lambdas/accounts/debit-account.ts';
import { accountText } from '../context/account-text.ts';
import { type Command, requiredText } from '../context/command.ts';
import { parseComputeUnits } from '../context/compute-units.ts';
import { GRANTED_BY, grantedBy } from '../context/granted-by.ts';

export const accountDebit: Command = {
  name: 'account debit',
  summary: 'take back compute units that were granted, once per reference',
  positionals: [{ name: 'account' }, { name: 'cu' }],
  flags: {
    reference: {
      type: 'string',
      needed: true,
      summary: 'which debit it is; repeating it changes nothing',
    },
    reason: { type: 'string', needed: true, summary: 'why, as the customer reads it' },
    by: { ...GRANTED_BY, summary: 'who takes it back, for its record (default: your login name)' },
    'below-zero': { type: 'boolean', summary: 'take back more than the balance, too' },
  },
  async run({ store, clock }, args) {
    const debit = {
      cu: parseComputeUnits(requiredText(args, 'cu'), 'debit'),
      reference: requiredText(args, 'reference'),
      reason: requiredText(args, 'reason'),
      by: grantedBy(args),
      belowZero: args['below-zero'] === true,
    };
    const debited = await debitAccount(store, clock, requiredText(args, 'account'), debit);
    const note = debited.already_applied
      ? `\n\nDebit ${debit.reference} was applied before; nothing has changed.`
      : '';
    return { json: debited, text: accountText(debited) + note };
  },
};
