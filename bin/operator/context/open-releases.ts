import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import type { ReleaseAccess } from '../release/release-access.ts';
import type { Context } from './command.ts';

/** The releases of a gateway. Rejects with {@link InputError} if it has none. */
export async function openReleases({ openReleases: open }: Context): Promise<ReleaseAccess> {
  if (open === undefined) throw new InputError('only a stack in AWS has releases; deploy an older one again');
  return open();
}
