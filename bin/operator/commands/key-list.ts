import { type KeyDescription, listKeys, requireKeyId } from '../../../lambdas/accounts/keys.ts';
import { showAccount } from '../../../lambdas/settlement/account-statement.ts';
import { type Command, optionalText, requiredText } from '../context/command.ts';
import { pagesAfter } from '../context/listing.ts';
import { retriedReads } from '../context/retried-reads.ts';

export const keyList: Command = {
  name: 'key list',
  summary: 'list all keys of an account',
  positionals: [{ name: 'account' }],
  flags: { after: { type: 'string', summary: 'continue a list that ended early, after this key id' } },
  async run({ store }, args) {
    const after = optionalText(args, 'after');
    if (after !== undefined) requireKeyId(after);
    const { account } = await showAccount(store, requiredText(args, 'account'));
    const patient = retriedReads(store);
    const readPage = async (behind: string | undefined) => {
      const { keys, next } = await listKeys(patient, account, behind);
      return { entries: keys, next };
    };
    return {
      name: 'keys',
      headings: ['key id', 'key', 'label', 'status', 'created'],
      pages: pagesAfter(after, readPage, row),
    };
  },
};

function row({ key_id, last4, label, status, created_at }: KeyDescription): string[] {
  return [key_id, `...${last4}`, label, status, created_at];
}
