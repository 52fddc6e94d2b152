import { type KeyStatus, setKeyStatus } from '../../../lambdas/accounts/keys.ts';
import { type Command, requiredText } from '../context/command.ts';
import { renderRecord } from '../context/text-table.ts';

export const keyDisable: Command = statusCommand('key disable', 'disable a key at once', 'disabled');
export const keyEnable: Command = statusCommand('key enable', 'enable a disabled key', 'active');

function statusCommand(name: string, summary: string, status: KeyStatus): Command {
  return {
    name,
    summary,
    positionals: [{ name: 'key-id' }],
    async run({ store, clock }, args) {
      const key = await setKeyStatus(store, clock, requiredText(args, 'key-id'), status);
      const { key_id, account, label, created_at } = key;
      const text = renderRecord({
        'key id': key_id,
        account,
        label,
        status: key.status,
        created: created_at,
      });
      return { json: key, text };
    },
  };
}
