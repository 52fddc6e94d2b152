import { ProofError } from '../errors.ts';
import {
  asAddress,
  asAddressOrNull,
  asData,
  asFlag,
  asHash,
  asListed,
  asQuantity,
  type Decoded,
  decodeMembers,
  listedMembers,
} from './members.ts';
import { decodeRlp } from './rlp.ts';

/** What begins a list in RLP, as transactions without a type do. */
const FIRST_LIST_BYTE = 0xc0;

const SIGNATURE = { yParity: asQuantity, r: asQuantity, s: asQuantity };
const CALL = { to: asAddressOrNull, value: asQuantity, input: asData };
const ACCESS_LIST = {
  accessList: listedMembers({ address: asAddress, storageKeys: asListed(asHash) }),
};
const FEE_CALL = {
  ...{ chainId: asQuantity, nonce: asQuantity, maxPriorityFeePerGas: asQuantity, maxFeePerGas: asQuantity },
  ...{ gas: asQuantity, ...CALL, ...ACCESS_LIST },
};
/** A message of the parent chain runs with a most price of gas. */
const PRICED_CALL = { gasPrice: asQuantity, gas: asQuantity, ...CALL };

/** Members of a transaction by its type, in the order of its encoding. No two kinds of chains use one type for two. */
const MEMBERS = {
  0: {
    ...{ nonce: asQuantity, gasPrice: asQuantity, gas: asQuantity, ...CALL },
    ...{ v: asQuantity, r: asQuantity, s: asQuantity },
  },
  1: {
    ...{ chainId: asQuantity, nonce: asQuantity, gasPrice: asQuantity, gas: asQuantity, ...CALL },
    ...{ ...ACCESS_LIST, ...SIGNATURE },
  },
  2: { ...FEE_CALL, ...SIGNATURE },
  3: { ...FEE_CALL, maxFeePerBlobGas: asQuantity, blobVersionedHashes: asListed(asHash), ...SIGNATURE },
  4: {
    ...FEE_CALL,
    authorizationList: listedMembers({
      chainId: asQuantity,
      address: asAddress,
      nonce: asQuantity,
      ...SIGNATURE,
    }),
    ...SIGNATURE,
  },
  // Messages of Nitro.
  100: { chainId: asQuantity, requestId: asHash, from: asAddress, to: asAddress, value: asQuantity },
  101: { chainId: asQuantity, from: asAddress, nonce: asQuantity, ...PRICED_CALL },
  102: { chainId: asQuantity, requestId: asHash, from: asAddress, ...PRICED_CALL },
  104: {
    ...{ chainId: asQuantity, nonce: asQuantity, from: asAddress, ...PRICED_CALL, ticketId: asHash },
    ...{ refundTo: asAddress, maxRefund: asQuantity, submissionFeeRefund: asQuantity },
  },
  105: {
    ...{
      chainId: asQuantity,
      requestId: asHash,
      from: asAddress,
      l1BaseFee: asQuantity,
      depositValue: asQuantity,
    },
    ...{ gasPrice: asQuantity, gas: asQuantity, retryTo: asAddressOrNull, retryValue: asQuantity },
    ...{ beneficiary: asAddress, maxSubmissionFee: asQuantity, refundTo: asAddress, retryData: asData },
  },
  106: { chainId: asQuantity, input: asData },
  // A deposit of the OP stack.
  126: {
    ...{ sourceHash: asHash, from: asAddress, to: asAddressOrNull, mint: asQuantity, value: asQuantity },
    ...{ gas: asQuantity, isSystemTx: asFlag, input: asData },
  },
};

type MembersByType = typeof MEMBERS;

/** A transaction as its encoding has it, by its type. */
export type DecodedTransaction = {
  [Type in keyof MembersByType]: { readonly type: Type } & Decoded<MembersByType[Type]>;
}[keyof MembersByType];

/** The type of a transaction or a receipt, and what is behind it. */
export interface Enveloped {
  readonly type: number;
  readonly content: Uint8Array;
}

/** Reads the type that a value of a trie begins with: 0 where it is a list. @throws {ProofError} where it is neither */
export function readEnvelope(value: Uint8Array): Enveloped {
  const [first = 0] = value;
  if (first >= FIRST_LIST_BYTE) return { type: 0, content: value };
  if (first === 0) throw new ProofError('a transaction or a receipt has no type');
  return { type: first, content: value.subarray(1) };
}

/** @throws {ProofError} for a type that is not known, or another encoding */
export function decodeTransaction({ type, content }: Enveloped): DecodedTransaction {
  const members = MEMBERS[type as keyof MembersByType] as MembersByType[keyof MembersByType] | undefined;
  if (members === undefined) throw new ProofError(`transactions of type ${type} are not known`);
  return { type, ...decodeMembers(decodeRlp(content), members) } as DecodedTransaction;
}
