import { randomBytes } from 'node:crypto';
import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { renewIssuer } from '../../../lambdas/seal/renew-issuer.ts';
import { sealHead } from '../../../lambdas/seal/seal-head.ts';
import { sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import type { Command } from '../context/command.ts';

export const seal: Command = {
  name: 'seal',
  summary:
    'sign a head of what is settled now, and make the key of receipts of the day, as the hourly run does',
  positionals: [],
  flags: {
    'new-key': {
      type: 'boolean',
      summary: 'make another key of receipts, and withdraw those before: one is lost, or was seen by others',
    },
  },
  async run({ store, clock, openBucket, openSigner, writeIssuer }, args, notices) {
    if (openBucket === undefined || openSigner === undefined || writeIssuer === undefined)
      throw new InputError('this gateway is of an older version and signs nothing: deploy it first');
    const heads = await openBucket('heads');
    const signer = await openSigner();
    const { head, records } = await sealHead({
      store,
      clock,
      pause: sleep,
      telemetry: notices,
      heads,
      evidence: await openBucket('evidence'),
      signer,
      randomBytes: (count) => randomBytes(count),
    });
    const made = await renewIssuer({ clock, heads, signer, writeIssuer }, args['new-key'] === true);
    const lines = [
      head === undefined
        ? 'Nothing was to be sealed, and this hour has its head.'
        : `Head ${head.number} has ${records} records. Its root is ${head.root}.`,
      ...(made === undefined ? [] : [`Receipts of ${made.day} have key ${made.revision}.`]),
    ];
    return { json: { head: head ?? null, records, issuer: made ?? null }, text: lines.join('\n') };
  },
};
