import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { ProofError } from '../errors.ts';
import type { DecodedTransaction, Enveloped } from './decode-transaction.ts';
import { asBytes, asList, type BytesText, hexText, parseHex } from './members.ts';
import { decodeRlp, encodeNumber, joinList, listContent } from './rlp.ts';

/** `v` and parity, `r` and `s`: what a signature is, behind what it is over. */
const SIGNATURE_ITEMS = 3;
/** Least `v` of a transaction that names no chain, and of one that does (EIP-155): the parity beside twice the chain id. */
const LEGACY_V = 27n;
const CHAIN_V = 35n;
/** What stands in place of `r` and `s` under a signature that names its chain. */
const NOTHING = Uint8Array.of(0x80, 0x80);
const ADDRESS_DIGITS = 40;
/** Sender of a transaction that nobody signed, as OP Stack chains before Bedrock have them: `r` and `s` are 0. */
const NO_SIGNER: BytesText = `0x${'0'.repeat(ADDRESS_DIGITS)}`;
/** ArbOS, which makes the internal transactions of Nitro. */
const ARBOS: BytesText = '0x00000000000000000000000000000000000a4b05';

/**
 * Who sent a transaction: who signed it, or whom its encoding names.
 * @throws {ProofError} where its signature is nobody's
 */
export function senderOf(envelope: Enveloped, transaction: DecodedTransaction): BytesText {
  if ('from' in transaction) return transaction.from;
  if (!('r' in transaction)) return ARBOS;
  const { r, s } = transaction;
  const isLegacy = 'v' in transaction;
  if (isLegacy && r === 0n && s === 0n) return NO_SIGNER;
  const v = isLegacy ? transaction.v : transaction.yParity;
  const chainId = isLegacy && v >= CHAIN_V ? (v - CHAIN_V) / 2n : undefined;
  const parity = !isLegacy ? v : chainId === undefined ? v - LEGACY_V : (v - CHAIN_V) % 2n;
  const hash = keccak_256(signedBytes(envelope, chainId));
  const key = parity === 0n || parity === 1n ? publicKey(hash, r, s, Number(parity)) : undefined;
  if (key === undefined) throw new ProofError('nobody has signed the transaction');
  return `0x${hexText(keccak_256(key)).slice(-ADDRESS_DIGITS)}`;
}

/** What the signature of a transaction is over: its encoding without it, and with the chain that a legacy one names. */
function signedBytes({ type, content }: Enveloped, chainId: bigint | undefined): Uint8Array {
  const signature = asList(decodeRlp(content)).slice(-SIGNATURE_ITEMS);
  const bytes = signature.reduce((sum, item) => sum + encodeNumber(asBytes(item)).length, 0);
  const signed = listContent(content).slice(0, -bytes);
  const list = joinList(chainId === undefined ? [signed] : [signed, encodeNumber(bytesOf(chainId)), NOTHING]);
  return type === 0 ? list : Uint8Array.of(type, ...list);
}

/** The 64 bytes of the key that signed a hash; undefined where none did. */
function publicKey(hash: Uint8Array, r: bigint, s: bigint, parity: number): Uint8Array | undefined {
  try {
    const signature = new secp256k1.Signature(r, s).addRecoveryBit(parity);
    // Before its bytes stands how they are written.
    return parseHex(`0x${signature.recoverPublicKey(hash).toHex(false).slice(2)}`, 'key');
  } catch {
    return undefined;
  }
}

function bytesOf(number: bigint): Uint8Array {
  const digits = number === 0n ? '' : number.toString(16);
  return parseHex(`0x${digits.length % 2 === 0 ? digits : `0${digits}`}`, 'chain id');
}
