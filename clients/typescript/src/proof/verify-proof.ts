import { keccak_256 } from '@noble/hashes/sha3.js';
import { ProofError } from '../errors.ts';
import {
  type DecodedHeader,
  type DecodedLog,
  type DecodedReceipt,
  decodeHeader,
  decodeReceipt,
} from './decode-block.ts';
import { type DecodedTransaction, decodeTransaction, readEnvelope } from './decode-transaction.ts';
import { type BytesText, hexText, parseHex } from './members.ts';
import { decodeRlp } from './rlp.ts';
import { senderOf } from './sender.ts';
import { trieValue } from './trie-value.ts';

export type { DecodedHeader, DecodedLog, DecodedReceipt, DecodedTransaction };

/** `data` of `getTransactionProof`, as far as it is read: what else it says is not proven. */
export interface SentProof {
  readonly transaction_index: number;
  readonly key: string;
  readonly header: string;
  readonly transaction_path: readonly string[];
  readonly receipt_path: readonly string[];
  readonly log_place: number | null;
}

/** What a proof proves: all of it is decoded from what leads to the hash of the block, and nothing of it is the gateway's word. */
export interface VerifiedProof {
  readonly block: DecodedHeader & { readonly hash: BytesText };
  /** `index`: its place in the block. `raw`: its encoding. `from`: who signed it, or whom its encoding names. */
  readonly transaction: DecodedTransaction & {
    readonly hash: BytesText;
    readonly index: number;
    readonly raw: BytesText;
    readonly from: BytesText;
  };
  readonly receipt: DecodedReceipt;
  /** The log that was asked for, with its place in the receipt; undefined if none was. */
  readonly log: (DecodedLog & { readonly place: number }) | undefined;
}

const HASH_BYTES = 32;
/** Nodes of a path: a block of 2^32 transactions has no longer one. */
const MAX_NODES = 16;

/**
 * Verifies a proof of the gateway by the hash of a block, which has to come from elsewhere: from a node of yours, or from
 * nodes of two operators.
 * @param blockHash `0x` and 64 hex digits
 * @returns what is proven: compare `transaction.hash` with the one that you asked for
 * @throws {ProofError} where anything does not come out
 */
export function verifyProof(proof: SentProof, blockHash: string): VerifiedProof {
  if (typeof proof !== 'object' || proof === null) throw new ProofError('the proof is no object');
  const wanted = parseHex(blockHash, 'the hash of the block');
  if (wanted.length !== HASH_BYTES) throw new ProofError('the hash of the block has not 32 bytes');
  const header = parseHex(proof.header, 'header');
  const hash = hexText(keccak_256(header));
  if (hash !== hexText(wanted)) throw new ProofError(`the proof is of the block ${hash}`);
  const block = decodeHeader(decodeRlp(header));
  const index = proof.transaction_index;
  const key = keyOf(index);
  if (hexText(parseHex(proof.key, 'key')) !== key) throw new ProofError('the key is that of another place');
  const valueIn = (root: string, path: unknown, name: string) =>
    trieValue({ root, key: key.slice(2), nodes: nodesOf(path, name) });
  const value = valueIn(block.transactionsRoot, proof.transaction_path, 'transaction_path');
  const envelope = readEnvelope(value);
  const ofReceipt = readEnvelope(valueIn(block.receiptsRoot, proof.receipt_path, 'receipt_path'));
  if (ofReceipt.type !== envelope.type)
    throw new ProofError('the receipt is of another type than its transaction');
  const receipt = decodeReceipt(ofReceipt);
  const transaction = decodeTransaction(envelope);
  return {
    block: { ...block, hash },
    transaction: {
      ...transaction,
      from: senderOf(envelope, transaction),
      hash: hexText(keccak_256(value)),
      index,
      raw: hexText(value),
    },
    receipt,
    log: logOf(receipt, proof.log_place),
  };
}

/** The RLP of a place, which is its key in the tries of a block. */
function keyOf(index: unknown): string {
  if (!Number.isSafeInteger(index) || Number(index) < 0)
    throw new ProofError('transaction_index is no place');
  if (index === 0) return '0x80';
  const digits = Number(index).toString(16);
  const whole = digits.length % 2 === 0 ? digits : `0${digits}`;
  if (whole.length === 2 && whole < '80') return `0x${whole}`;
  return `0x${(0x80 + whole.length / 2).toString(16)}${whole}`;
}

function nodesOf(path: unknown, name: string): readonly Uint8Array[] {
  if (!Array.isArray(path) || path.length > MAX_NODES) throw new ProofError(`${name} is no list of nodes`);
  return path.map((node) => parseHex(node, name));
}

function logOf({ logs }: DecodedReceipt, place: unknown): VerifiedProof['log'] {
  if (place === null) return undefined;
  const log = typeof place === 'number' ? logs[place] : undefined;
  if (log === undefined) throw new ProofError(`the receipt has no log in the place ${place}`);
  return { ...log, place: Number(place) };
}
