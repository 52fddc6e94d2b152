import { hash } from 'node:crypto';

/** An API key: `rgw_` and 64 lower-case hex digits. */
export const API_KEY_PATTERN = /^rgw_[0-9a-f]{64}$/;
/** The id of a key: the SHA-256 of the whole key, in hex. */
export const KEY_ID_PATTERN = /^[0-9a-f]{64}$/;

const KEY_BYTES = 32;

/** A new API key from a source of random bytes (`randomBytes` of node:crypto). */
export function generateApiKey(randomBytes: (size: number) => Buffer): string {
  return `rgw_${randomBytes(KEY_BYTES).toString('hex')}`;
}

/** The id under which a key is stored; the key cannot be had from it. */
export function keyIdOf(apiKey: string): string {
  return hash('sha256', apiKey);
}
