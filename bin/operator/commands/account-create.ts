import { randomBytes } from 'node:crypto';
import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { createAccount } from '../../../lambdas/accounts/create-account.ts';
import { accountText } from '../context/account-text.ts';
import { type Command, optionalText } from '../context/command.ts';
import { parseComputeUnits } from '../context/compute-units.ts';
import { GRANTED_BY, grantedBy } from '../context/granted-by.ts';
import { requirePlan, shardsOfPlan } from '../context/plan.ts';

const OPENING_REFERENCE = 'opening';
const GENERATED_ID_BYTES = 6;

export const accountCreate: Command = {
  name: 'account create',
  summary: 'create an account (its id is generated if none is given)',
  positionals: [{ name: 'account', optional: true }],
  flags: {
    plan: { type: 'string', summary: "plan of the account (default: the gateway's default plan)" },
    credit: { type: 'string', summary: 'compute units that it starts with' },
    reference: { type: 'string', summary: `reference of that credit (default: ${OPENING_REFERENCE})` },
    by: GRANTED_BY,
  },
  async run(context, args) {
    const account = optionalText(args, 'account') ?? generatedId();
    const plan = requirePlan(context, optionalText(args, 'plan') ?? context.defaultPlan);
    const cu = optionalText(args, 'credit');
    const reference = optionalText(args, 'reference');
    if (cu === undefined && reference !== undefined) throw new InputError('--reference needs --credit');
    const credit =
      cu === undefined
        ? {}
        : {
            credit: {
              cu: parseComputeUnits(cu),
              reference: reference ?? OPENING_REFERENCE,
              by: grantedBy(args),
            },
          };
    const request = { account, plan, shards: shardsOfPlan(context, plan), ...credit };
    const created = await createAccount(context.store, context.clock, request);
    return { json: created, text: accountText(created) };
  },
};

function generatedId(): string {
  return `account-${randomBytes(GENERATED_ID_BYTES).toString('hex')}`;
}
