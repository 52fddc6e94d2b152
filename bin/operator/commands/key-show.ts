import { showKey } from '../../../lambdas/accounts/keys.ts';
import { keyRecord } from '../context/bounds.ts';
import { type Command, requiredText } from '../context/command.ts';
import { renderRecord } from '../context/text-table.ts';

export const keyShow: Command = {
  name: 'key show',
  summary: 'show a key and its bounds',
  positionals: [{ name: 'key-id' }],
  async run({ store }, args) {
    const key = await showKey(store, requiredText(args, 'key-id'));
    return { json: key, text: renderRecord(keyRecord(key)) };
  },
};
