import { type Clock, isWithin, systemClock } from '../runtime/clock.ts';
import { errorField, log } from '../runtime/log.ts';
import type { Telemetry } from '../runtime/telemetry.ts';
import { withRetry } from '../runtime/with-retry.ts';
import type { ClientConfig } from './client-settings.ts';
import { connectSecrets } from './secrets.ts';

/** A value is read again, beside what it is asked for, once it is this old. */
const SECRET_MAX_AGE_MS = 5 * 60 * 1_000;
/** A value this old is waited for: its reads may have stood still with an instance between its requests. */
const SECRET_WAIT_AGE_MS = 15 * 60 * 1_000;
/** Time after a failed read in which the value that is known does. */
const RETRY_PAUSE_MS = 30_000;
const CONNECT_TIMEOUT_MS = 500;
/** Time for one attempt, connection and response included, in milliseconds. */
const REQUEST_TIMEOUT_MS = 1_000;
const READ_RETRY = { pausesMs: [50] };

/** Reads a secret by its name. Rejects if it cannot be read and never could. */
export type ReadSecret = (name: string) => Promise<string>;

interface Cached {
  readonly value: string;
  /** When the read began, in milliseconds since the epoch. */
  readonly readAt: number;
  /** When a later read failed, in milliseconds since the epoch. */
  readonly failedAt?: number;
}

/**
 * Keeps secrets in memory. A value of five minutes is answered and read again beside; one of fifteen is read first. A
 * secret that cannot be read again keeps its value, and is left alone for half a minute. Concurrent reads of one secret
 * are one. The names come from the stage's settings, so their number is bounded.
 */
export function cacheSecrets(
  fetchSecret: ReadSecret,
  { clock, log }: { readonly clock: Clock; readonly log: Telemetry['log'] },
): ReadSecret {
  const cache = new Map<string, Cached>();
  const reads = new Map<string, Promise<string>>();

  const refresh = async (name: string): Promise<string> => {
    const readAt = clock.now();
    const known = cache.get(name);
    try {
      const value = await fetchSecret(name);
      cache.set(name, { value, readAt });
      return value;
    } catch (error) {
      if (known === undefined) throw error;
      log('warn', 'secret_not_refreshed', { error: errorField(error) });
      cache.set(name, { ...known, failedAt: clock.now() });
      return known.value;
    }
  };

  return async (name) => {
    const now = clock.now();
    const known = cache.get(name);
    if (known !== undefined && isSettled(known, now)) return known.value;
    const read = reads.get(name) ?? refresh(name).finally(() => reads.delete(name));
    reads.set(name, read);
    return known !== undefined && isWithin(known.readAt, now, SECRET_WAIT_AGE_MS) ? known.value : read;
  };
}

/** Whether a value needs no new read at the moment. */
function isSettled({ readAt, failedAt }: Cached, now: number): boolean {
  if (isWithin(readAt, now, SECRET_MAX_AGE_MS)) return true;
  return failedAt !== undefined && isWithin(failedAt, now, RETRY_PAUSE_MS);
}

/** Fetches strings from Secrets Manager. Opens no connection before the first: not every stage has secrets. */
export function createSecretFetcher(clientConfig?: ClientConfig): ReadSecret {
  const secrets = connectSecrets({
    config: clientConfig,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    timeoutMs: REQUEST_TIMEOUT_MS,
  });
  return (name) => withRetry(() => secrets.read(name), READ_RETRY);
}

/** Reads a secret of this account. */
export const readSecret: ReadSecret = cacheSecrets(createSecretFetcher(), { clock: systemClock, log });
