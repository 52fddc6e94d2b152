import { showAccount } from '../../lambdas/access/accounts.ts';
import { type KeyDescription, listKeys, requireKeyId } from '../../lambdas/access/keys.ts';
import type { Store } from '../../lambdas/access/store.ts';
import { type Command, optionalText, requiredText } from './command.ts';
import type { ListedPage } from './listing.ts';
import { patientReads } from './patient-reads.ts';

export const keyList: Command = {
  name: 'key list',
  summary: 'list all keys of an account',
  positionals: [{ name: 'account' }],
  flags: { after: { type: 'string', summary: 'the rest of a list that ended early, behind this key id' } },
  async run({ store }, args) {
    const after = optionalText(args, 'after');
    if (after !== undefined) requireKeyId(after);
    const { account } = await showAccount(store, requiredText(args, 'account'));
    return {
      name: 'keys',
      headings: ['key id', 'key', 'label', 'status', 'created'],
      pages: keyPages(patientReads(store), account, after),
    };
  },
};

async function* keyPages(
  store: Store,
  account: string,
  after: string | undefined,
): AsyncGenerator<ListedPage> {
  let next = after;
  do {
    const page = await listKeys(store, account, next);
    next = page.next;
    yield {
      items: page.keys,
      rows: page.keys.map(row),
      ...(next !== undefined && { goOn: `--after ${next}` }),
    };
  } while (next !== undefined);
}

function row({ key_id, last4, label, status, created_at }: KeyDescription): string[] {
  return [key_id, `...${last4}`, label, status, created_at];
}
