import type { SecretsManagerClientConfig } from '@aws-sdk/client-secrets-manager';
import { type Clock, systemClock } from '../clock.ts';
import { errorField, log } from '../log.ts';

const SECRET_MAX_AGE_MS = 5 * 60 * 1_000;
const CONNECTION_TIMEOUT_MS = 500;
/** Time for all attempts together. */
const REQUEST_TIMEOUT_MS = 2_000;
const ATTEMPTS = 2;

/** Reads a secret by its name. Rejects if it cannot be read and never could. */
export type ReadSecret = (name: string) => Promise<string>;

interface Cached {
  readonly value: string;
  /** Milliseconds since the epoch. */
  readonly readAt: number;
}

/**
 * Keeps secrets in memory for five minutes. Concurrent reads of one secret are one. A secret that cannot be read
 * again keeps its value. The names come from the stage's settings, so their number is bounded.
 */
export function cacheSecrets(fetchSecret: ReadSecret, clock: Clock): ReadSecret {
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
      return known.value;
    }
  };

  return async (name) => {
    const known = cache.get(name);
    if (known !== undefined && isFresh(known, clock.now())) return known.value;
    const read = reads.get(name) ?? refresh(name).finally(() => reads.delete(name));
    reads.set(name, read);
    return read;
  };
}

function isFresh(cached: Cached, now: number): boolean {
  const age = now - cached.readAt;
  return age >= 0 && age < SECRET_MAX_AGE_MS;
}

/** Fetches strings from Secrets Manager. The client is loaded with the first secret: not every stage has any. */
export function createSecretFetcher(clientConfig?: SecretsManagerClientConfig): ReadSecret {
  let connected: ReturnType<typeof connect> | undefined;
  return async (name) => {
    connected ??= connect(clientConfig);
    const { client, GetSecretValueCommand } = await connected;
    const command = new GetSecretValueCommand({ SecretId: name });
    const { SecretString } = await client.send(command, {
      abortSignal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    if (SecretString === undefined) throw new Error(`secret ${name} holds no text`);
    return SecretString;
  };
}

async function connect(clientConfig: SecretsManagerClientConfig | undefined) {
  const { SecretsManagerClient, GetSecretValueCommand } = await import('@aws-sdk/client-secrets-manager');
  const client = new SecretsManagerClient({
    maxAttempts: ATTEMPTS,
    requestHandler: { connectionTimeout: CONNECTION_TIMEOUT_MS },
    ...clientConfig,
  });
  return { client, GetSecretValueCommand };
}

/** Reads a secret of this account, at most five minutes old. */
export const readSecret: ReadSecret = cacheSecrets(createSecretFetcher(), systemClock);
