import { createKeccak } from 'hash-wasm';
import { UnencodableError } from './rlp.ts';

/** Keccak-256 of bytes in hex digits, as hex digits. @throws {UnencodableError} for what are no hex digits */
export type Keccak = (digits: string) => string;

let opened: Promise<Keccak> | undefined;

/** Opens the hash once per process: WebAssembly, at a third of the time that JavaScript takes. */
export function openKeccak(): Promise<Keccak> {
  opened ??= createKeccak(256).then((hasher) => (digits: string) => {
    const bytes = Buffer.from(digits, 'hex');
    // A digit that is none ends the bytes early.
    if (bytes.length * 2 !== digits.length) throw new UnencodableError('hex');
    return hasher.init().update(bytes).digest('hex');
  });
  return opened;
}
