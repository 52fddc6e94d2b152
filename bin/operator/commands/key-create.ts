import { createKey } from '../../../lambdas/accounts/keys.ts';
import { type Command, optionalText, requiredText } from '../context/command.ts';
import { renderRecord } from '../context/text-table.ts';

export const keyCreate: Command = {
  name: 'key create',
  summary: 'create an API key; it is shown only once',
  positionals: [{ name: 'account' }],
  flags: { label: { type: 'string', summary: 'what the key is for' } },
  async run({ store, clock }, args) {
    const label = optionalText(args, 'label') ?? '';
    const key = await createKey(store, clock, { account: requiredText(args, 'account'), label });
    const record = renderRecord({
      'api key': key.api_key,
      'key id': key.key_id,
      account: key.account,
      label: key.label,
      created: key.created_at,
    });
    return { json: key, text: `${record}\n\nSave the key now: it is not stored and cannot be shown again.` };
  },
};
