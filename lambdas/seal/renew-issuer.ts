import { generateKeyPairSync } from 'node:crypto';
import type { HeadSigner } from '../shared/aws/head-signer.ts';
import type { ObjectStore } from '../shared/aws/object-store.ts';
import {
  type Certificate,
  certificateKey,
  certificateText,
  type IssuerSecret,
  isCertified,
  LATEST_CERTIFICATE,
  parseCertificate,
  type SignedCertificate,
  toSignedCertificate,
  utcDay,
} from '../shared/bill/certificate.ts';
import { parseObject } from '../shared/bill/signed-text.ts';
import type { Clock } from '../shared/runtime/clock.ts';

/** Certificates of one day: each run that was stopped between leaves one. */
const MAX_REVISIONS = 100;
const MAX_OBJECT = 4_096;

/** What the key of receipts is made with. */
interface IssuerBooks {
  readonly clock: Clock;
  /** The bucket that the API shows to anybody. */
  readonly heads: ObjectStore;
  readonly signer: HeadSigner;
  /** Stores what signs receipts, where their signer alone reads it. */
  readonly writeIssuer: (text: string) => Promise<void>;
}

/**
 * Makes the key that signs the receipts of this day and the next, unless the day has one.
 *
 *   bucket   certificates/2026-11-20.1.json ----------------- latest.json
 *   secret                                   key, certificate
 *
 * Stopped before `latest.json` is put: the next run makes another key, and the certificate of this one is never used again.
 * Rejects with an Error if the bucket, the key or the secret fails: receipts are signed with the key of the day before.
 * @param anew makes one in any case and withdraws those before: a key is lost, or was seen by others
 * @returns undefined: the day has its key
 */
export async function renewIssuer(books: IssuerBooks, anew = false): Promise<Certificate | undefined> {
  const { clock, heads, signer, writeIssuer } = books;
  const day = utcDay(clock.now());
  const latest = await readLatest(heads);
  if (!anew && latest !== undefined && latest.day >= day) return undefined;
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  for (let revision = 1; revision <= MAX_REVISIONS; revision += 1) {
    const certificate = { day, revision, key, ...(anew && { withdraws: true as const }) };
    if ((await heads.get(certificateKey(certificate))) !== undefined) continue;
    const signed = await certify(signer, certificate);
    const published = `${JSON.stringify(signed)}\n`;
    if (!(await heads.putNew(certificateKey(certificate), published))) continue;
    const private_key = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
    const secret: IssuerSecret = { private_key, certificate: signed };
    await writeIssuer(JSON.stringify(secret));
    await heads.put(LATEST_CERTIFICATE, published);
    return certificate;
  }
  throw new Error(`day ${day} has ${MAX_REVISIONS} certificates`);
}

async function certify(signer: HeadSigner, certificate: Certificate): Promise<SignedCertificate> {
  const text = certificateText(certificate);
  const [signature, key] = await Promise.all([signer.sign(text), signer.publicKey()]);
  const signed = { certificate: text, signature, key };
  if (!isCertified(signed)) throw new Error('the signature is not one of the key');
  return signed;
}

async function readLatest(heads: ObjectStore): Promise<Certificate | undefined> {
  const object = await heads.get(LATEST_CERTIFICATE);
  if (object === undefined) return undefined;
  const signed = toSignedCertificate(parseObject(object.toString('utf8'), MAX_OBJECT));
  const certificate = signed && parseCertificate(signed.certificate);
  if (certificate === undefined) throw new Error(`${LATEST_CERTIFICATE} is no certificate`);
  return certificate;
}
