import { randomBytes } from 'node:crypto';
import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { sealHead } from '../../../lambdas/seal/seal-head.ts';
import { sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import type { Command } from '../context/command.ts';

export const seal: Command = {
  name: 'seal',
  summary: 'sign a head of what is settled now, as the hourly run does',
  positionals: [],
  async run({ store, clock, openBucket, openSigner }, _args, notices) {
    if (openBucket === undefined || openSigner === undefined)
      throw new InputError('this gateway is of an older version and signs no heads: deploy it first');
    const { head, records } = await sealHead({
      store,
      clock,
      pause: sleep,
      telemetry: notices,
      heads: await openBucket('heads'),
      evidence: await openBucket('evidence'),
      signer: await openSigner(),
      randomBytes: (count) => randomBytes(count),
    });
    return {
      json: { head: head ?? null, records },
      text:
        head === undefined
          ? 'Nothing was to be sealed, and this hour has its head.'
          : `Head ${head.number} has ${records} records. Its root is ${head.root}.`,
    };
  },
};
