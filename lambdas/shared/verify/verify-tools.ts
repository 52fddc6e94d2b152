import { instantiateSecp256k1 } from '@bitauth/libauth/build/lib/crypto/secp256k1.js';
import { openKeccak } from './keccak.ts';
import type { VerifyTools } from './senders.ts';

let opened: Promise<VerifyTools> | undefined;

/**
 * Opens what whole blocks are verified with once per process. Signers are recovered by libsecp256k1 in WebAssembly, at an eighth
 * of the time that JavaScript takes: 123 kB of a bundle and 16 MB, which only those have that import this.
 */
export function openVerifyTools(): Promise<VerifyTools> {
  opened ??= openOnce();
  return opened;
}

async function openOnce(): Promise<VerifyTools> {
  const [keccak, { recoverPublicKeyUncompressed }] = await Promise.all([
    openKeccak(),
    instantiateSecp256k1(),
  ]);
  return {
    keccak,
    recover: (hash, signature, parity) => {
      const key = recoverPublicKeyUncompressed(bytesOf(signature), parity, bytesOf(hash));
      // It begins with a byte that says how it is written.
      return typeof key === 'string' ? undefined : Buffer.from(key.subarray(1)).toString('hex');
    },
  };
}

function bytesOf(digits: string): Uint8Array {
  return Buffer.from(digits, 'hex');
}
