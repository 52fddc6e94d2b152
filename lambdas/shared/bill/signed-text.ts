import { verify } from 'node:crypto';

/** What a signature is made with. */
export type SignatureKind = 'ecdsa' | 'ed25519';

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
    const publicKey = { key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' } as const;
    return verify(kind === 'ecdsa' ? 'sha256' : null, Buffer.from(text), publicKey, bytes);
  } catch {
    return false;
  }
}
