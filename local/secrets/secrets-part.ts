import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Resolver } from '../template/intrinsics.ts';
import type { Template } from '../template/template.ts';
import { keepSecret, type LocalSecrets, openSecrets } from './secrets.ts';
import { startSecretsEndpoint } from './secrets-endpoint.ts';

/** The secrets of a run, behind the protocol of Secrets Manager. */
export interface SecretsPart {
  readonly url: string;
  /** By ARN. Empty until a template is known. */
  readonly values: LocalSecrets;
  /** Makes the secrets of a template known. */
  open(template: Template, resolve: Resolver): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts the secrets of a run.
 * @param file holds them between runs; only its owner may read it
 * @param accessKeyId the only access key that the endpoint knows
 */
export async function startSecrets(file: string, accessKeyId: string): Promise<SecretsPart> {
  const values = new Map<string, string>();
  let keep = async (_secret: readonly [string, string]): Promise<void> => undefined;
  const { url, close } = await startSecretsEndpoint(values, accessKeyId, async (arn, value) => {
    await keep([arn, value]);
    values.set(arn, value);
  });
  return {
    url,
    values,
    async open(template, resolve) {
      await mkdir(dirname(file), { recursive: true });
      for (const [arn, value] of await openSecrets(template, resolve, file)) values.set(arn, value);
      keep = (secret) => keepSecret(template, resolve, file, secret);
    },
    close,
  };
}
