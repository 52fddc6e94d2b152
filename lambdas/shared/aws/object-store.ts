import { hash } from 'node:crypto';
import type { AwsClientOptions } from './client-settings.ts';
import { connectSigned } from './signed-service.ts';

const OK = 200;
const PARTIAL = 206;
/** No such object, or an object without such bytes. */
const ABSENT = [404, 416];
/** Responses of S3 to a condition that does not hold: the object is there, or is being put at this moment. */
const TAKEN = [409, 412];
const ENDPOINT_VARIABLE = 'AWS_ENDPOINT_URL_S3';

/** A bucket, and how a client speaks to S3. */
interface ObjectStoreOptions extends AwsClientOptions {
  readonly bucket: string;
}

/** Objects of one bucket. Each method sends one request, once, and rejects with an Error if it did not succeed. */
export interface ObjectStore {
  put(key: string, body: string | Uint8Array): Promise<void>;
  /** Puts an object that is not there yet; resolves to whether it did. */
  putNew(key: string, body: string | Uint8Array): Promise<boolean>;
  /** Resolves to undefined if there is no such object. `part`: only these bytes of it, undefined if it has none of them. */
  get(key: string, part?: { readonly from: number; readonly bytes: number }): Promise<Buffer | undefined>;
}

/** Connects to a bucket. Opens no connection before its first use. */
type ConnectObjects = (options: ObjectStoreOptions) => ObjectStore;

export const connectObjects: ConnectObjects = ({ bucket, ...options }) => {
  const send = connectSigned({
    ...options,
    service: 's3',
    endpointVariable: ENDPOINT_VARIABLE,
    hostOf: (region) => `s3.${region}.amazonaws.com`,
  });
  const pathOf = (key: string) => `/${bucket}/${key}`;
  const put = async (key: string, body: string | Uint8Array, headers: Readonly<Record<string, string>>) => {
    // A bucket with a lock takes nothing without a checksum.
    const checksum = { 'x-amz-checksum-sha256': hash('sha256', body, 'base64') };
    const all = { ...headers, ...checksum };
    const { statusCode } = await send({ method: 'PUT', path: pathOf(key), headers: all, body });
    return statusCode;
  };
  return {
    async put(key, body) {
      const status = await put(key, body, {});
      if (status !== OK) throw refused(status);
    },
    async putNew(key, body) {
      const status = await put(key, body, { 'if-none-match': '*' });
      if (TAKEN.includes(status)) return false;
      if (status !== OK) throw refused(status);
      return true;
    },
    async get(key, part) {
      const range = part && { range: `bytes=${part.from}-${part.from + part.bytes - 1}` };
      const { statusCode, body } = await send({ method: 'GET', path: pathOf(key), headers: { ...range } });
      if (ABSENT.includes(statusCode)) return undefined;
      if (statusCode !== OK && statusCode !== PARTIAL) throw refused(statusCode);
      return Buffer.from(body);
    },
  };
};

function refused(status: number): Error {
  return new Error(`S3 answered with status ${status}`);
}
