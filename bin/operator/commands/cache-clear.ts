import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { newVersion, VERSION_MAX_AGE_MS } from '../../../lambdas/rpc/cache/cache-version.ts';
import { packResponse } from '../../../lambdas/rpc/cache/shared-tier.ts';
import { type Command, requiredText } from '../context/command.ts';
import { renderRecord } from '../context/text-table.ts';

const MILLISECONDS_PER_SECOND = 1_000;

export const cacheClear: Command = {
  name: 'cache clear',
  summary: 'clear the cache of a chain, in all instances within ten seconds',
  positionals: [{ name: 'chain' }],
  async run({ cache, clock }, args) {
    if (cache === undefined)
      throw new InputError('this gateway has no output for its cache: deploy it again');
    const chain = requiredText(args, 'chain');
    if (!cache.chains.includes(chain)) throw new InputError(`unknown chain ${chain}`);
    const packed = await packResponse(newVersion(chain, clock.now()));
    if (packed !== undefined) await cache.store.write([packed]);
    const cleared = { chain, cleared: true, within_seconds: VERSION_MAX_AGE_MS / MILLISECONDS_PER_SECOND };
    return {
      json: cleared,
      text: renderRecord({ chain, cache: `cleared, everywhere within ${cleared.within_seconds} s` }),
    };
  },
};
