import { createHmac } from 'node:crypto';

/** What a seal is for: one of a kind is none of the other. */
type SealPurpose = 'cursor' | 'etag';

/**
 * Seals a text for an account: 43 characters of base64url that nobody can compute without the key of the stage.
 * @param about what the text belongs to; two lists never mean the same
 */
export type Seal = (purpose: SealPurpose, about: readonly unknown[], text: string) => string;

/** @param key secret of the stage */
export function createSeal(key: string | Uint8Array): Seal {
  return (purpose, about, text) =>
    createHmac('sha256', key)
      .update(`${JSON.stringify([purpose, ...about])}\n`)
      .update(text)
      .digest('base64url');
}
