import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { LruMap } from '../runtime/expiring-memory.ts';

const MAX_PUBLIC_KEYS = 16;
/** Those that were used last: a bill has thousands of signatures of few keys, and to read one takes as long as to verify with it. */
const publicKeys = new LruMap<KeyObject>(MAX_PUBLIC_KEYS);

/** What a signature is made with. */
type SignatureKind = 'ecdsa' | 'ed25519';

/** Reads a JSON object; undefined: the text is none, or is longer than `maxLength`. */
export function parseObject(text: string, maxLength: number): object | undefined {
  if (text.length > maxLength) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether a text was signed with a public key.
 * @param signature in base64; of ECDSA over P-256 and SHA-256, in DER
 * @param key SubjectPublicKeyInfo, DER, in base64
 */
export function isSignatureOf(text: string, signature: string, key: string, kind: SignatureKind): boolean {
  const bytes = Buffer.from(signature, 'base64');
  // Base64 has texts that differ and mean the same bytes.
  if (bytes.toString('base64') !== signature) return false;
  try {
    return verify(kind === 'ecdsa' ? 'sha256' : null, Buffer.from(text), publicKeyOf(key), bytes);
  } catch {
    return false;
  }
}

/** Throws if invalid. */
function publicKeyOf(text: string): KeyObject {
  const known = publicKeys.get(text);
  if (known !== undefined) return known;
  const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
  publicKeys.set(text, key);
  return key;
}
