import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';

const ALGORITHM = 'AWS4-HMAC-SHA256';
const TERMINATOR = 'aws4_request';

/** Credentials of AWS; with a session token if they are temporary. */
interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** The headers of a POST with its signature. Names are in lower case, before and after. */
export type SignPost = (
  headers: Readonly<Record<string, string>>,
  body: string,
  credentials: Credentials,
  now: Date,
) => Record<string, string>;

/**
 * Signs POSTs to the root path of a service by Signature Version 4, as the SDK's signer does, in a third of its time: it
 * derives the key once for each day and secret, and waits for nothing.
 */
export function createSigner(region: string, service: string): SignPost {
  let kept: { readonly of: string; readonly key: KeyObject } | undefined;
  const keyOf = (secret: string, day: string): KeyObject => {
    if (kept?.of !== day + secret) {
      const parts = [day, region, service, TERMINATOR];
      const key = parts.reduce<string | Buffer>(
        (before, part) => hmac(before, part).digest(),
        `AWS4${secret}`,
      );
      kept = { of: day + secret, key: createSecretKey(Buffer.from(key)) };
    }
    return kept.key;
  };
  return (headers, body, { accessKeyId, secretAccessKey, sessionToken }, now) => {
    const time = `${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
    const day = time.slice(0, 8);
    const token: Record<string, string> = sessionToken ? { 'x-amz-security-token': sessionToken } : {};
    const signed: Record<string, string> = { ...headers, 'x-amz-date': time, ...token };
    const names = Object.keys(signed).sort();
    const lines = names.map((name) => `${name}:${signed[name]}\n`).join('');
    const request = `POST\n/\n\n${lines}\n${names.join(';')}\n${hash('sha256', body)}`;
    const scope = `${day}/${region}/${service}/${TERMINATOR}`;
    const text = `${ALGORITHM}\n${time}\n${scope}\n${hash('sha256', request)}`;
    const signature = hmac(keyOf(secretAccessKey, day), text).digest('hex');
    const credential = `Credential=${accessKeyId}/${scope}`;
    signed.authorization = `${ALGORITHM} ${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
    return signed;
  };
}

function hmac(key: string | Buffer | KeyObject, text: string) {
  return createHmac('sha256', key).update(text);
}
