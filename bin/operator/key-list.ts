import { listKeys } from '../../lambdas/access/keys.ts';
import { type Command, requiredText } from './command.ts';
import { renderTable } from './text-table.ts';

export const keyList: Command = {
  name: 'key list',
  summary: 'list the keys of an account',
  positionals: [{ name: 'account' }],
  async run({ store }, args) {
    const keys = await listKeys(store, requiredText(args, 'account'));
    const rows = keys.map((key) => [key.key_id, `...${key.last4}`, key.label, key.status, key.created_at]);
    return { json: { keys }, text: renderTable(['key id', 'key', 'label', 'status', 'created'], rows) };
  },
};
