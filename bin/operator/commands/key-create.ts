import { createKey } from '../../../lambdas/accounts/keys.ts';
import { notesOn } from '../../../lambdas/accounts/parse-bounds.ts';
import { BOUND_FLAGS, boundsOf, boundsRecord } from '../context/bounds.ts';
import { type Command, optionalText, requiredText } from '../context/command.ts';
import { renderRecord } from '../context/text-table.ts';

export const keyCreate: Command = {
  name: 'key create',
  summary: 'create an API key; it is shown only once',
  positionals: [{ name: 'account' }],
  flags: { label: { type: 'string', summary: 'what the key is for' }, ...BOUND_FLAGS },
  async run(context, args) {
    const { store, clock } = context;
    const label = optionalText(args, 'label') ?? '';
    const bounds = boundsOf(context, args);
    const key = await createKey(store, clock, { account: requiredText(args, 'account'), label, bounds });
    const record = renderRecord({
      'api key': key.api_key,
      'key id': key.key_id,
      account: key.account,
      label: key.label,
      created: key.created_at,
      ...boundsRecord(bounds),
    });
    const notes = [...notesOn(bounds), 'Save the key now: it is not stored and cannot be shown again.'];
    return { json: key, text: [record, ...notes].join('\n\n') };
  },
};
