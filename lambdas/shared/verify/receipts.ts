import {
  address,
  data,
  type EncodedMember,
  encodeMembers,
  hash,
  hashes,
  isAbsent,
  type NodeJson,
  objects,
  quantity,
} from './members.ts';
import { typeDigits } from './transactions.ts';

/** Type of a deposit of the OP stack, whose receipt has two members more since the fork Canyon. */
const DEPOSIT_TYPE = 0x7e;

const AFTER_STATUS: readonly EncodedMember[] = [
  ['cumulativeGasUsed', quantity],
  ['logsBloom', data],
  [
    'logs',
    objects([
      ['address', address],
      ['topics', hashes],
      ['data', data],
    ]),
  ],
];
const WITH_STATUS: readonly EncodedMember[] = [['status', quantity], ...AFTER_STATUS];
/** Before Byzantium a receipt has the root of the state behind its transaction. */
const WITH_ROOT: readonly EncodedMember[] = [['root', hash], ...AFTER_STATUS];
const OF_DEPOSIT: readonly EncodedMember[] = [
  ...WITH_STATUS,
  ['depositNonce', quantity],
  ['depositReceiptVersion', quantity],
];

/** A receipt as its block's root has it, in hex digits. @throws {UnencodableError} */
export function encodeReceipt(receipt: NodeJson, type: number, isBare: boolean): string {
  const encoded = encodeMembers(receipt, membersOf(receipt, type));
  return isBare ? encoded : typeDigits(type) + encoded;
}

function membersOf(receipt: NodeJson, type: number): readonly EncodedMember[] {
  if (isAbsent(receipt.status)) return WITH_ROOT;
  return type === DEPOSIT_TYPE && !isAbsent(receipt.depositReceiptVersion) ? OF_DEPOSIT : WITH_STATUS;
}
