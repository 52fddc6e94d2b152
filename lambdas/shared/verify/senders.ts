import type { Keccak } from './keccak.ts';
import {
  ADDRESS_DIGITS,
  digitsOf,
  type EncodedMember,
  encodeItems,
  HASH_DIGITS,
  type NodeJson,
  numberOf,
} from './members.ts';
import { numberDigits, rlpString } from './rlp.ts';
import { enveloped, parityName, type TransactionForm } from './transactions.ts';

/**
 * The public key that signed a hash, in hex digits as all else; undefined where no key did.
 * @param signature its two numbers, 32 bytes each
 */
export type Recover = (hash: string, signature: string, parity: 0 | 1) => string | undefined;

/** What a whole block is verified with. */
export interface VerifyTools {
  readonly keccak: Keccak;
  readonly recover: Recover;
}

/** Least `v` of a transaction that names no chain, and of one that does (EIP-155): the parity beside twice the chain id. */
const LEGACY_V = 27n;
const CHAIN_V = 35n;
/** Sender of a transaction that nobody signed, as OP Stack chains before Bedrock have them: `r` and `s` are 0. */
const NO_SIGNER = '0'.repeat(ADDRESS_DIGITS);
const nothing = () => rlpString('');
/** What a signature is over in place of itself, where it names its chain. */
const IN_PLACE_OF_SIGNATURE: readonly EncodedMember[] = [
  ['v', (object) => rlpString(numberDigits((chainOf(numberOf(object, 'v')) ?? 0n).toString(16)))],
  ['r', nothing],
  ['s', nothing],
];

/** A transaction, and its members without the signature, encoded: what that begins to be over. */
interface Signed {
  readonly transaction: NodeJson;
  readonly type: number;
  readonly form: TransactionForm;
  readonly items: string;
}

/**
 * Whether nothing contradicts the sender that a node tells of a transaction: its signer, or its type. One that is a part of its
 * encoding comes out of the hash, and nothing shows that of an imported one.
 * @throws {UnencodableError}
 */
export function isSender(tools: VerifyTools, signed: Signed): boolean {
  const { transaction, form } = signed;
  const from = digitsOf(transaction.from, 'from');
  if (form.sender !== undefined) return from === form.sender;
  if (form.signature === undefined || form.hasForeignHash === true) return true;
  return from === signerOf(tools, signed);
}

function signerOf(
  { keccak, recover }: VerifyTools,
  { transaction, type, form, items }: Signed,
): string | undefined {
  const { isBare } = form;
  const v = numberOf(transaction, isBare === true ? 'v' : parityName(transaction));
  const [r, s] = [numberOf(transaction, 'r'), numberOf(transaction, 's')];
  // The root holds the signature, so that none can be left out of a signed one.
  if (isBare === true && r === 0n && s === 0n) return NO_SIGNER;
  const hasChain = isBare === true && chainOf(v) !== undefined;
  const parity = isBare === true ? v - (hasChain ? CHAIN_V : LEGACY_V) : v;
  if (parity < 0n || (parity > 1n && !hasChain)) return undefined;
  const signed = hasChain ? items + encodeItems(transaction, IN_PLACE_OF_SIGNATURE) : items;
  const hash = keccak(enveloped(signed, type, form));
  const signature = [r, s].map((half) => half.toString(16).padStart(HASH_DIGITS, '0'));
  const key = recover(hash, signature.join(''), parity % 2n === 0n ? 0 : 1);
  return key === undefined ? undefined : keccak(key).slice(-ADDRESS_DIGITS);
}

/** The chain that `v` of a legacy signature names; undefined for one that is good on each. */
function chainOf(v: bigint): bigint | undefined {
  return v < CHAIN_V ? undefined : (v - CHAIN_V) / 2n;
}
