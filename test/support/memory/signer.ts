import { generateKeyPairSync, sign } from 'node:crypto';
import type { HeadSigner } from '../../../lambdas/shared/aws/head-signer.ts';

/** A key that signs heads, in memory. */
export function memorySigner(): HeadSigner & { readonly key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  return {
    key,
    publicKey: async () => key,
    sign: async (text) => sign('sha256', Buffer.from(text), privateKey).toString('base64'),
  };
}
