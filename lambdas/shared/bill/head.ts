import { leafHash } from './merkle-tree.ts';
import { isSignatureOf, parseObject } from './signed-text.ts';

/** What comes before the first head. */
export const NO_HEAD = '0'.repeat(64);
/** Key of the newest head, beside its own. */
export const LATEST_HEAD = 'heads/latest.json';
const HASH = /^[0-9a-f]{64}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const MAX_TEXT = 1_024;

/** What the gateway had settled by an hour: the root over the hashes of all records that no head before has. */
export interface Head {
  /** From 1 on, without a gap. */
  readonly number: number;
  /** Hash of the head before, {@link NO_HEAD} for the first. */
  readonly previous: string;
  readonly root: string;
  /** Leaves below the root, a power of two: random ones fill it up, so that it does not tell how many accounts there are. */
  readonly count: number;
  /** ISO 8601. */
  readonly sealed_at: string;
  /** Where the bucket was lost before it: the number of the last head in it. This head follows that one. */
  readonly lost?: number;
  /** SHA-256 of the price lists that there were, as {@link priceListsKey} has them; hex. Absent: an earlier head. */
  readonly prices?: string;
}

/** A head as it is published. */
export interface SignedHead {
  /** The head as text, which is what is signed. */
  readonly head: string;
  /** ECDSA over P-256 and SHA-256, DER, in base64. */
  readonly signature: string;
  /** Public key that it was signed with: SubjectPublicKeyInfo, DER, in base64. */
  readonly key: string;
}

/** Key of a head's object. */
export function headKey(number: number): string {
  return `heads/${number}.json`;
}

/** Key of the object with the leaves below a root: their hashes in hex, a line each. */
export function headLeavesKey(root: string): string {
  return `leaves/${root}`;
}

/** Key of the object with the price lists of a head, by their hash. */
export function priceListsKey(hash: string): string {
  return `prices/${hash}`;
}

/** A head as text: its members in this order, as JSON without spaces. */
export function headText({ number, previous, root, count, sealed_at, lost, prices }: Head): string {
  return JSON.stringify({ number, previous, root, count, sealed_at, lost, prices });
}

/** What the next head names this one by. */
export function headHash(text: string): string {
  return leafHash(text).toString('hex');
}

/** Reads the text of a head; undefined: invalid. */
export function parseHead(text: string): Head | undefined {
  const head = parseObject(text, MAX_TEXT) as Partial<Head> | undefined;
  const isHead =
    Number.isSafeInteger(head?.number) &&
    (head?.number ?? 0) > 0 &&
    Number.isSafeInteger(head?.count) &&
    HASH.test(String(head?.previous)) &&
    HASH.test(String(head?.root)) &&
    TIME.test(String(head?.sealed_at)) &&
    (head?.lost === undefined || head.lost === (head.number ?? 0) - 1) &&
    (head?.prices === undefined || HASH.test(head.prices));
  return isHead && headText(head as Head) === text ? (head as Head) : undefined;
}

/** Reads a published head; undefined: invalid. What it says may still be wrong. */
export function parseSignedHead(text: string): SignedHead | undefined {
  const signed = parseObject(text, 4 * MAX_TEXT) as Partial<SignedHead> | undefined;
  const { head, signature, key } = signed ?? {};
  if (typeof head !== 'string' || typeof signature !== 'string' || typeof key !== 'string') return undefined;
  return { head, signature, key };
}

/** Whether a head was signed with a public key: SubjectPublicKeyInfo, DER, in base64. */
export function isSignedBy({ head, signature }: SignedHead, key: string): boolean {
  return isSignatureOf(head, signature, key, 'ecdsa');
}
