import { isSignatureOf, parseObject } from './signed-text.ts';

/** Key of the newest certificate, beside its own. */
export const LATEST_CERTIFICATE = 'certificates/latest.json';
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;
/** Days of UTC on which a key may sign: its own, and the next, until that has its key. */
const GOOD_DAYS = 2;
const MAX_TEXT = 1_024;

/** Says that receipts of two days may be signed with a key. */
export interface Certificate {
  /** The first of the days, of UTC: `2026-11-20`. */
  readonly day: string;
  /** Of the certificates of that day, from 1 on. */
  readonly revision: number;
  /** Public key, of Ed25519: SubjectPublicKeyInfo, DER, in base64. */
  readonly key: string;
  /** No certificate before it is good any more: their keys are lost, or were seen by others. */
  readonly withdraws?: true;
}

/** A certificate as it is published, and as each receipt carries it. */
export interface SignedCertificate {
  /** The certificate as text, which is what is signed. */
  readonly certificate: string;
  /** ECDSA over P-256 and SHA-256, DER, in base64. */
  readonly signature: string;
  /** Public key that it was signed with, the one of the heads: SubjectPublicKeyInfo, DER, in base64. */
  readonly key: string;
}

/** What signs receipts, as its secret holds it, in JSON. */
export interface IssuerSecret {
  /** Of Ed25519: PKCS #8, DER, in base64. */
  readonly private_key: string;
  readonly certificate: SignedCertificate;
}

/** Key of a certificate's object. */
export function certificateKey({ day, revision }: Pick<Certificate, 'day' | 'revision'>): string {
  return `certificates/${day}.${revision}.json`;
}

/** A certificate as text: its members in this order, as JSON without spaces. */
export function certificateText({ day, revision, key, withdraws }: Certificate): string {
  return JSON.stringify({ day, revision, key, withdraws });
}

/** Reads the text of a certificate; undefined: invalid. */
export function parseCertificate(text: string): Certificate | undefined {
  const parsed = parseObject(text, MAX_TEXT) as Partial<Certificate> | undefined;
  const { day, revision, key, withdraws } = parsed ?? {};
  if (typeof day !== 'string' || !DAY.test(day) || Number.isNaN(Date.parse(day))) return undefined;
  if (!Number.isSafeInteger(revision) || (revision ?? 0) < 1 || typeof key !== 'string') return undefined;
  const certificate = { day, revision: Number(revision), key, ...(withdraws === true && { withdraws }) };
  return certificateText(certificate) === text ? certificate : undefined;
}

/** Reads a signed certificate; undefined: invalid. What it says may still be wrong. */
export function toSignedCertificate(value: unknown): SignedCertificate | undefined {
  const { certificate, signature, key } = Object(value) as Partial<SignedCertificate>;
  if (typeof certificate !== 'string' || typeof signature !== 'string' || typeof key !== 'string')
    return undefined;
  return { certificate, signature, key };
}

/** Whether a certificate was signed with the public key that it names. */
export function isCertified({ certificate, signature, key }: SignedCertificate): boolean {
  return isSignatureOf(certificate, signature, key, 'ecdsa');
}

/** Whether a key may sign at a time, in milliseconds since the epoch. */
export function isGoodAt({ day }: Certificate, timeMs: number): boolean {
  const from = Date.parse(day);
  return timeMs >= from && timeMs < from + GOOD_DAYS * DAY_MS;
}

/** The day of a time, in UTC. */
export function utcDay(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}
