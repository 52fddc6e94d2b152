import { ProofError } from '../errors.ts';
import {
  asAddress,
  asBytes,
  asData,
  asFixed,
  asFlag,
  asHash,
  asList,
  asListed,
  asQuantity,
  type BytesText,
  type Decoded,
  decodeMembers,
  listedMembers,
} from './members.ts';
import { decodeRlp, type RlpPart } from './rlp.ts';

const BLOOM_BYTES = 256;
const HASH_BYTES = 32;
const bloom = asFixed(BLOOM_BYTES);
const LOG = { address: asAddress, topics: asListed(asHash), data: asData };
const AFTER_STATUS = { cumulativeGasUsed: asQuantity, logsBloom: bloom, logs: listedMembers(LOG) };
const DEPOSIT = { depositNonce: asQuantity, depositReceiptVersion: asQuantity };
const DEPOSIT_TYPE = 0x7e;
const DEPOSIT_ITEMS = 6;

export type DecodedLog = Decoded<typeof LOG>;

/** A receipt as its encoding has it. */
export interface DecodedReceipt extends Decoded<typeof AFTER_STATUS>, Partial<Decoded<typeof DEPOSIT>> {
  readonly type: number;
  /** Whether the transaction succeeded; null before Byzantium. */
  readonly success: boolean | null;
  /** Root of the state behind the transaction, before Byzantium; null from then on. */
  readonly stateRoot: BytesText | null;
}

/** @throws {ProofError} for another encoding */
export function decodeReceipt({
  type,
  content,
}: {
  readonly type: number;
  readonly content: Uint8Array;
}): DecodedReceipt {
  const items = asList(decodeRlp(content));
  const [first, ...rest] = items;
  if (first === undefined) throw new ProofError('a receipt is empty');
  const isRoot = asBytes(first).length === HASH_BYTES;
  const outcome = { success: isRoot ? null : asFlag(first), stateRoot: isRoot ? asHash(first) : null };
  const isDeposit = type === DEPOSIT_TYPE && items.length === DEPOSIT_ITEMS;
  return {
    type,
    ...outcome,
    ...decodeMembers(rest, isDeposit ? { ...AFTER_STATUS, ...DEPOSIT } : AFTER_STATUS),
  };
}

const HEADER = {
  ...{
    parentHash: asHash,
    sha3Uncles: asHash,
    miner: asAddress,
    stateRoot: asHash,
    transactionsRoot: asHash,
  },
  ...{
    receiptsRoot: asHash,
    logsBloom: bloom,
    difficulty: asQuantity,
    number: asQuantity,
    gasLimit: asQuantity,
  },
  ...{ gasUsed: asQuantity, timestamp: asQuantity, extraData: asData, mixHash: asHash, nonce: asFixed(8) },
};
/** Members that forks have added, each behind all that came before. */
const SINCE_FORKS = {
  ...{
    baseFeePerGas: asQuantity,
    withdrawalsRoot: asHash,
    blobGasUsed: asQuantity,
    excessBlobGas: asQuantity,
  },
  ...{ parentBeaconBlockRoot: asHash, requestsHash: asHash },
};

/** A header as its encoding has it. */
export type DecodedHeader = Decoded<typeof HEADER> & Partial<Decoded<typeof SINCE_FORKS>>;

/** @throws {ProofError} for a header of a later fork, or another encoding */
export function decodeHeader(item: RlpPart): DecodedHeader {
  const added = asList(item).length - Object.keys(HEADER).length;
  const members = Object.entries(SINCE_FORKS).slice(0, Math.max(0, added));
  return decodeMembers(item, { ...HEADER, ...Object.fromEntries(members) }) as DecodedHeader;
}
