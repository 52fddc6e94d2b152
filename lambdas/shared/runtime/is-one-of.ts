import { createHash, timingSafeEqual } from 'node:crypto';

/** SHA-256 of a secret that travels in a header, whose bytes are Latin-1. */
function secretDigest(secret: string): Buffer {
  return createHash('sha256').update(secret, 'latin1').digest();
}

/** Whether a secret is one of those with these digests. Digests are compared, and each in the same time. */
export function isOneOf(presented: string, accepted: readonly Uint8Array[]): boolean {
  const digest = secretDigest(presented);
  return accepted.filter((one) => timingSafeEqual(digest, one)).length > 0;
}
