import { ServiceError, startJsonEndpoint } from '../processes/json-endpoint.ts';
import type { LocalServer } from '../processes/listen-locally.ts';
import type { LocalSecrets } from './secrets.ts';

const GET_SECRET_VALUE = 'secretsmanager.GetSecretValue';
const PUT_SECRET_VALUE = 'secretsmanager.PutSecretValue';
const MAX_REQUEST_BYTES = 128 * 1024;

/**
 * Serves secrets by the JSON 1.1 protocol of Secrets Manager. `secrets` may be filled later.
 * @param accessKeyId the only access key that it knows
 * @param put keeps a new value of a secret
 */
export function startSecretsEndpoint(
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
