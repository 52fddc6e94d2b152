import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';

/** Tags of the encoding of certificates (DER). */
const TAG = { integer: 0x02, utf8: 0x0c, time: 0x18, sequence: 0x30, set: 0x31 } as const;
const LONG_LENGTH = 0x82;
const SHORT = 128;
/** Object identifiers, encoded: ECDSA with SHA-256, and the common name of a subject. */
const ECDSA_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex');
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const BIT_STRING = 0x03;

/** A key and a certificate of a server, in PEM. */
export interface ServerCertificate {
  readonly key: string;
  readonly cert: string;
}

/** A certificate that its own key has signed, for one name, valid from one time to another. */
export function selfSignedCertificate(name: string, from: Date, to: Date): ServerCertificate {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const algorithm = der(TAG.sequence, ECDSA_SHA256);
  const subject = der(
    TAG.sequence,
    der(TAG.set, der(TAG.sequence, COMMON_NAME, der(TAG.utf8, Buffer.from(name)))),
  );
  const validity = der(TAG.sequence, time(from), time(to));
  const serial = der(TAG.integer, Buffer.from([1]));
  // Of the first version, which has no extensions.
  const body = der(TAG.sequence, serial, algorithm, subject, validity, subject, publicKey);
  const signature = der(BIT_STRING, Buffer.from([0]), sign('sha256', body, privateKey));
  const certificate = der(TAG.sequence, body, algorithm, signature);
  const lines = certificate.toString('base64').replaceAll(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < SHORT ? [tag, length] : [tag, LONG_LENGTH, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

/** Such as `20260131235959Z`. */
function time(at: Date): Buffer {
  return der(TAG.time, Buffer.from(`${at.toISOString().replaceAll(/[-:T]|\..*/g, '')}Z`));
}
