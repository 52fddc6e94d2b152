import { describeRefusals } from '../../../lambdas/access/store/refusal-store.ts';
import { showKey } from '../../../lambdas/accounts/keys.ts';
import { keyRecord, refusalsRecord } from '../context/bounds.ts';
import { type Command, requiredText } from '../context/command.ts';
import { renderRecord } from '../context/text-table.ts';

export const keyShow: Command = {
  name: 'key show',
  summary: 'show a key, its bounds, and what they refused in the last 24 hours',
  positionals: [{ name: 'key-id' }],
  async run({ store, refusals: refusalStore, clock }, args) {
    const key = await showKey(store, requiredText(args, 'key-id'));
    if (refusalStore === undefined) return { json: key, text: renderRecord(keyRecord(key)) };
    const now = clock.now();
    const refusals = describeRefusals(await refusalStore.read(key.key_id, now), now);
    return {
      json: { ...key, refusals },
      text: renderRecord({ ...keyRecord(key), ...refusalsRecord(refusals) }),
    };
  },
};
