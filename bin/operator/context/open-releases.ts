import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import type { ReleaseAccess } from '../release/release-access.ts';
import type { WebReleases } from '../release/web-weights.ts';
import type { Context } from './command.ts';

/** The releases of a gateway. Rejects with {@link InputError} if it has none. */
export async function openReleases({ openReleases: open }: Context): Promise<ReleaseAccess> {
  if (open === undefined) throw new InputError('only a stack in AWS has releases; deploy an older one again');
  return open();
}

/** The revisions of a web function that has a canary. Rejects with {@link InputError} if there is none. */
export async function openWebReleases({ openWebReleases: open }: Context): Promise<WebReleases> {
  if (open === undefined)
    throw new InputError(
      'only a stack in AWS with a web function and releases.canary shares its requests by weights',
    );
  return open();
}
