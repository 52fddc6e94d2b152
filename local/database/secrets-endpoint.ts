import type { LocalServer } from '../listen-locally.ts';
import { ServiceError, startJsonEndpoint } from './json-endpoint.ts';
import type { Secrets } from './secrets.ts';

const GET_SECRET_VALUE = 'secretsmanager.GetSecretValue';
const MAX_REQUEST_BYTES = 64 * 1024;

/** Serves secrets by the JSON 1.1 protocol of Secrets Manager. `secrets` may be filled later. */
export function startSecretsEndpoint(secrets: Secrets): Promise<LocalServer> {
  return startJsonEndpoint({
    maxRequestBytes: MAX_REQUEST_BYTES,
    contentType: 'application/x-amz-json-1.1',
    answer: async ({ target, input: { SecretId: arn } }) => {
      if (target !== GET_SECRET_VALUE)
        throw new ServiceError('UnknownOperationException', `${target} is not supported locally`);
      const value = secrets.get(String(arn));
      if (value === undefined)
        throw new ServiceError(
          'ResourceNotFoundException',
          "Secrets Manager can't find the specified secret.",
        );
      return JSON.stringify({ ARN: arn, Name: arn, SecretString: value, VersionStages: ['AWSCURRENT'] });
    },
  });
}
