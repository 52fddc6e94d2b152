import {
  describeRefusals,
  type KeyHolder,
  type RefusalStore,
  type RefusalsDescription,
} from 'gateway-access';
import type { Clock } from '../shared/runtime/clock.ts';
import { errorField, log } from '../shared/runtime/log.ts';

/** What the bounds of a key refused; undefined if it has none, or the store does not say: the account comes without. */
export async function readRefusals(
  { keyId, account, bounds }: KeyHolder,
  store: Pick<RefusalStore, 'read'>,
  clock: Clock,
): Promise<RefusalsDescription | undefined> {
  if (bounds === undefined || Object.keys(bounds).length === 0) return undefined;
  const now = clock.now();
  try {
    return describeRefusals(await store.read(keyId, now), now);
  } catch (error) {
    log('warn', 'refusals_unavailable', { account, error: errorField(error) });
    return undefined;
  }
}
