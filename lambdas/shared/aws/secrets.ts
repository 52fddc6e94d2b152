import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { type AwsClientOptions, clientSettings } from './client-settings.ts';

/** Texts in Secrets Manager. Each method sends one request, once, and rejects with an exception of the SDK. */
interface Secrets {
  /** Reads the text of a secret, by its name or ARN. */
  read(id: string): Promise<string>;
  /** Stores a text as a secret's new version. */
  write(id: string, text: string): Promise<void>;
}

/** Connects to Secrets Manager. Opens no connection before its first use. */
export function connectSecrets(options: AwsClientOptions): Secrets {
  let client: SecretsManagerClient | undefined;
  const open = () => {
    client ??= new SecretsManagerClient(clientSettings('AWS_ENDPOINT_URL_SECRETS_MANAGER', options));
    return client;
  };
  return {
    async read(id) {
      const { SecretString } = await open().send(new GetSecretValueCommand({ SecretId: id }));
      if (SecretString === undefined) throw new Error(`secret ${id} holds no text`);
      return SecretString;
    },
    async write(id, text) {
      await open().send(new PutSecretValueCommand({ SecretId: id, SecretString: text }));
    },
  };
}
