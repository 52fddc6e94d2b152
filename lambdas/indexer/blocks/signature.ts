import type { Hex } from '../../chain-data/decode/raw-block.ts';
import { HASH_DIGITS } from '../../shared/verify/members.ts';
import { numberDigits } from '../../shared/verify/rlp.ts';
import { parityName } from '../../shared/verify/transactions.ts';
import { type JsonObject, quantityOrNull } from './json-shape.ts';

/** Transactions without an envelope, which Nitro imported too: their `v` is more than a parity. */
const BARE: ReadonlySet<number> = new Set([0x00, 0x78]);

/** The signature of a transaction, in one piece; nothing where the node tells none. Only a chain's form asks for it. */
export function signatureOf(transaction: JsonObject, type: number): { readonly signature?: Hex } {
  const [r, s, v] = ['r', 's', BARE.has(type) ? 'v' : parityName(transaction)].map((name) =>
    quantityOrNull(transaction[name])?.toString(16),
  );
  if (r === undefined || s === undefined || v === undefined) return {};
  const halves = [r, s].map((half) => half.padStart(HASH_DIGITS, '0'));
  return { signature: `0x${halves.join('')}${numberDigits(v)}` };
}

/** The members of a transaction of a type that {@link signatureOf} made a signature of. */
export function signatureMembers(signature: Hex, type: number): JsonObject {
  const half = (place: number) => signature.slice(2 + place * HASH_DIGITS, 2 + (place + 1) * HASH_DIGITS);
  const v = `0x${half(2) || '0'}`;
  return { r: `0x${half(0)}`, s: `0x${half(1)}`, ...(BARE.has(type) ? { v } : { yParity: v }) };
}
