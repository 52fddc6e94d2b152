import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** Credentials of AWS; with a session token if they are temporary. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** A POST to a service, before it is signed. */
export interface UnsignedPost {
  /** Of letters and slashes alone: nothing in it needs an escape. */
  readonly path: string;
  /** By their lower-case names, `host` among them. All of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Gives the headers of a request with its signature, made at a time in milliseconds since the epoch. */
export type SignPost = (
  post: UnsignedPost,
  credentials: Credentials,
  now: number,
) => Readonly<Record<string, string>>;

/**
 * Makes signatures for one service in one region, version 4. The key of a day is derived once.
 * Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function createSigner(service: string, region: string): SignPost {
  let derivedFor = '';
  let derived: KeyObject | undefined;

  function signingKey(secret: string, day: string): KeyObject {
    const purpose = `${day} ${secret}`;
    if (derived !== undefined && derivedFor === purpose) return derived;
    derivedFor = purpose;
    derived = [day, region, service, 'aws4_request'].reduce(
      (key, part) => createSecretKey(createHmac('sha256', key).update(part).digest()),
      createSecretKey(`AWS4${secret}`, 'utf8'),
    );
    return derived;
  }

  return ({ path, headers, body }, { accessKeyId, secretAccessKey, sessionToken }, now) => {
    const time = new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '');
    const day = time.slice(0, 8);
    const scope = `${day}/${region}/${service}/aws4_request`;
    const dated = {
      ...headers,
      'x-amz-date': time,
      ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
    };
    const fields = Object.entries(dated).sort(([one], [other]) => (one < other ? -1 : 1));
    const names = fields.map(([name]) => name).join(';');
    const lines = fields.map(([name, value]) => `${name}:${value.trim()}\n`).join('');
    const canonical = `POST\n${path}\n\n${lines}\n${names}\n${hash('sha256', body)}`;
    const text = `${ALGORITHM}\n${time}\n${scope}\n${hash('sha256', canonical)}`;
    const key = signingKey(secretAccessKey, day);
    const signature = createHmac('sha256', key).update(text).digest('hex');
    const credential = `Credential=${accessKeyId}/${scope}`;
    return {
      ...dated,
      authorization: `${ALGORITHM} ${credential}, SignedHeaders=${names}, Signature=${signature}`,
    };
  };
}
