import {
  address,
  data,
  type EncodedMember,
  encodeMembers,
  hash,
  isAbsent,
  type NodeJson,
  quantity,
} from './members.ts';
import { UnencodableError } from './rlp.ts';

const NONCE_DIGITS = 16;

/** Members that every header has, in the order of its encoding. */
const ALWAYS: readonly EncodedMember[] = [
  ['parentHash', hash],
  ['sha3Uncles', hash],
  ['miner', address],
  ['stateRoot', hash],
  ['transactionsRoot', hash],
  ['receiptsRoot', hash],
  ['logsBloom', data],
  ['difficulty', quantity],
  ['number', quantity],
  ['gasLimit', quantity],
  ['gasUsed', quantity],
  ['timestamp', quantity],
  ['extraData', data],
  ['mixHash', hash],
  ['nonce', eightBytes],
];
/** Members that forks have added, each behind all that came before. */
const SINCE_FORKS: readonly EncodedMember[] = [
  ['baseFeePerGas', quantity],
  ['withdrawalsRoot', hash],
  ['blobGasUsed', quantity],
  ['excessBlobGas', quantity],
  ['parentBeaconBlockRoot', hash],
  ['requestsHash', hash],
];
/** Members that are beside the header, or follow from it. */
const BESIDE: ReadonlySet<string> = new Set([
  ...['hash', 'size', 'totalDifficulty', 'transactions', 'uncles', 'withdrawals'],
  ...['l1BlockNumber', 'sendCount', 'sendRoot'],
]);
const HEADER: ReadonlySet<string> = new Set([...ALWAYS, ...SINCE_FORKS].map(([name]) => name));

/** A header as its hash is made of, in hex digits. @throws {UnencodableError} where a member is absent or of another shape */
export function encodeHeader(header: NodeJson): string {
  const last = SINCE_FORKS.findLastIndex(([name]) => !isAbsent(header[name]));
  return encodeMembers(header, [...ALWAYS, ...SINCE_FORKS.slice(0, last + 1)]);
}

/** A member that no form of header has: a fork may have added it. Undefined if it is absent. */
export function unknownMember(header: NodeJson): string | undefined {
  return Object.keys(header).find(
    (name) => !HEADER.has(name) && !BESIDE.has(name) && !isAbsent(header[name]),
  );
}

function eightBytes(header: NodeJson, name: string): string {
  const { [name]: value } = header;
  if (typeof value !== 'string' || value.length !== NONCE_DIGITS + 2) throw new UnencodableError(name);
  return data(header, name);
}
