import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ServiceError, startJsonEndpoint } from '../processes/json-endpoint.ts';
import type { LocalServer } from '../processes/listen-locally.ts';
import type { Resolver } from '../template/intrinsics.ts';
import type { Template } from '../template/template.ts';
import { keepSecret, type LocalSecrets, openSecrets } from './secrets.ts';

const GET_SECRET_VALUE = 'secretsmanager.GetSecretValue';
const PUT_SECRET_VALUE = 'secretsmanager.PutSecretValue';
const MAX_REQUEST_BYTES = 128 * 1024;

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

/**
 * Serves secrets by the JSON 1.1 protocol of Secrets Manager. `secrets` may be filled later.
 * @param accessKeyId the only access key that it knows
 * @param put keeps a new value of a secret
 */
function startSecretsEndpoint(
  secrets: LocalSecrets,
  accessKeyId: string,
  put: (arn: string, value: string) => Promise<void>,
): Promise<LocalServer> {
  return startJsonEndpoint({
    maxRequestBytes: MAX_REQUEST_BYTES,
    contentType: 'application/x-amz-json-1.1',
    accessKeyId,
    respond: async ({ target, input: { SecretId: arn, SecretString: text } }) => {
      const value = secrets.get(String(arn));
      if (target !== GET_SECRET_VALUE && target !== PUT_SECRET_VALUE)
        throw new ServiceError('UnknownOperationException', `${target} is not supported locally`);
      if (value === undefined)
        throw new ServiceError(
          'ResourceNotFoundException',
          "Secrets Manager can't find the specified secret.",
        );
      const response = { ARN: arn, Name: arn, VersionStages: ['AWSCURRENT'] };
      if (target === GET_SECRET_VALUE) return JSON.stringify({ ...response, SecretString: value });
      await put(String(arn), String(text));
      return JSON.stringify(response);
    },
  });
}
