import { showAccount } from '../../lambdas/access/accounts.ts';
import { listSettlements } from '../../lambdas/access/settlement-ledger.ts';
import { type Command, requiredText } from './command.ts';
import { renderSettlements, settlementJson } from './settlement-text.ts';

export const settlements: Command = {
  name: 'settlements',
  summary: 'list the settlement records of an account, oldest hour first',
  positionals: [{ name: 'account' }],
  async run({ store }, args) {
    const { account } = await showAccount(store, requiredText(args, 'account'));
    const records = await listSettlements(store, account);
    return {
      json: { settlements: records.map(settlementJson) },
      text: records.length === 0 ? 'Nothing is settled yet.' : renderSettlements(records),
    };
  },
};
