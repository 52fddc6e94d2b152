import { LOCAL_REGION } from './template/intrinsics.ts';

/** Configuration of an AWS SDK client that speaks to an endpoint of this run; nobody checks the credentials. */
export function localClientConfig(endpoint: string) {
  return {
    endpoint,
    region: LOCAL_REGION,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  };
}
