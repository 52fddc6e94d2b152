import { randomBytes } from 'node:crypto';
import { LOCAL_REGION } from './template/intrinsics.ts';

const ACCESS_KEY_BYTES = 16;

/** An access key that no other run has. Letters and digits only: DynamoDB Local takes no others. */
export function newAccessKeyId(): string {
  return randomBytes(ACCESS_KEY_BYTES).toString('hex');
}

/** Configuration of an AWS SDK client that speaks to an endpoint of this run; the signature is not checked. */
export function localClientConfig(endpoint: string, accessKeyId: string) {
  return {
    endpoint,
    region: LOCAL_REGION,
    credentials: { accessKeyId, secretAccessKey: 'local' },
  };
}

export type LocalClientConfig = ReturnType<typeof localClientConfig>;
