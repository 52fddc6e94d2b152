import { randomUUID } from 'node:crypto';
import { connectService, type Service, type ServiceClientOptions } from './service-client.ts';

const SECRETS_MANAGER: Service = {
  name: 'secretsmanager',
  endpointVariable: 'AWS_ENDPOINT_URL_SECRETS_MANAGER',
  contentType: 'application/x-amz-json-1.1',
};

export interface SecretsOptions extends Omit<ServiceClientOptions, 'service'> {
  /** Time for one secret, connection and answer included, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Reads the text of a secret, once.
 * @throws ServiceError if Secrets Manager refuses or fails, ExchangeError if there is no whole answer
 */
export type FetchSecret = (name: string) => Promise<string>;

/** Connects to Secrets Manager. Opens no connection before its first use. */
export function connectSecrets({ timeoutMs, ...options }: SecretsOptions): FetchSecret {
  const send = connectService({ ...options, service: SECRETS_MANAGER });
  return async (name) => {
    const request = {
      path: '/',
      target: 'secretsmanager.GetSecretValue',
      input: { SecretId: name },
      timeoutMs,
    };
    const { SecretString }: { readonly SecretString?: string } = Object(await send(request));
    if (SecretString === undefined) throw new Error(`secret ${name} holds no text`);
    return SecretString;
  };
}

/**
 * Stores the text of a secret as its new version, once.
 * @throws ServiceError if Secrets Manager refuses or fails, ExchangeError if there is no whole answer
 */
export type StoreSecret = (name: string, text: string) => Promise<void>;

/** {@link connectSecrets} for one who may write. */
export function connectSecretStore({ timeoutMs, ...options }: SecretsOptions): StoreSecret {
  const send = connectService({ ...options, service: SECRETS_MANAGER });
  return async (name, text) => {
    const input = { SecretId: name, ClientRequestToken: randomUUID(), SecretString: text };
    await send({ path: '/', target: 'secretsmanager.PutSecretValue', input, timeoutMs });
  };
}
