import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { updateKeyBounds } from '../../../lambdas/accounts/keys.ts';
import { notesOn } from '../../../lambdas/accounts/parse-bounds.ts';
import { BOUND_FLAGS, boundsOf, keyRecord } from '../context/bounds.ts';
import { type Command, optionalText, requiredText } from '../context/command.ts';
import { renderRecord } from '../context/text-table.ts';

const FLAGS = {
  ...BOUND_FLAGS,
  clear: { type: 'string', summary: 'bounds to take away, such as ips,expires' },
} as const;

export const keyUpdate: Command = {
  name: 'key update',
  summary: 'change the bounds of a key; they count within ten seconds',
  positionals: [{ name: 'key-id' }],
  flags: FLAGS,
  async run(context, args) {
    if (Object.keys(FLAGS).every((name) => optionalText(args, name) === undefined))
      throw new InputError('key update needs a bound to set, or --clear');
    const change = (before: Parameters<typeof boundsOf>[2]) => boundsOf(context, args, before);
    const key = await updateKeyBounds(context.store, requiredText(args, 'key-id'), change);
    return { json: key, text: [renderRecord(keyRecord(key)), ...notesOn(key.bounds ?? {})].join('\n\n') };
  },
};
