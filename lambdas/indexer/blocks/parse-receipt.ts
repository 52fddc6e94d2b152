import type { Hex, RawLog } from '../../chain-data/decode/raw-block.ts';
import { furtherMembers } from './further-members.ts';
import {
  type JsonObject,
  lackable,
  optional,
  quantityOrNull,
  readAddress,
  readArray,
  readData,
  readHash,
  readInteger,
  readObject,
  readQuantity,
  ShapeError,
  shapeOf,
} from './json-shape.ts';

const MAX_TOPICS = 4;

/** Parts of the fee, each with a column. A part that is not a number is stored among the further members. */
const FEES = { l1Fee: quantityOrNull, blobGasUsed: quantityOrNull, blobGasPrice: quantityOrNull };
const RECEIPT = {
  blockHash: readHash,
  transactionHash: readHash,
  transactionIndex: readInteger,
  logsBloom: lackable(readData, null),
  status: readStatus,
  contractAddress: optional(readAddress),
  gasUsed: readQuantity,
  gasUsedForL1: optional(readQuantity),
  cumulativeGasUsed: lackable(readQuantity, null),
  effectiveGasPrice: optional(readQuantity),
  l1BlockNumber: optional(readInteger),
  ...FEES,
};
const readReceipt = shapeOf('receipt', RECEIPT);
/** With members that are stored elsewhere; the bloom follows from the logs. */
const KNOWN: ReadonlySet<string> = new Set([
  ...Object.keys(RECEIPT),
  ...['blockNumber', 'blockTimestamp', 'from', 'to', 'type', 'logs'],
]);
const readLog = shapeOf('log', {
  logIndex: readInteger,
  address: readAddress,
  topics: readTopics,
  data: readData,
});

/** A receipt as the node returns it; its bloom and the gas used up to it are null where the node leaves them out. */
export type NodeReceipt = ReturnType<typeof parseReceipt>;

/**
 * Reads a receipt. `mayLack`: whether the node may leave out its bloom, and the gas that was used up to it.
 * @throws {ShapeError} where a member is missing or of another shape, or a log is of another block or transaction
 */
export function parseReceipt(value: unknown, mayLack: boolean) {
  const receipt = readObject(value, 'receipt');
  const read = readReceipt(receipt, mayLack);
  return {
    ...read,
    ...furtherMembers(receipt, knownOf(receipt, read)),
    logs: readArray(receipt.logs, 'receipt.logs').map((log) => parseLog(log, read)),
  };
}

function knownOf(
  receipt: JsonObject,
  read: Readonly<Record<keyof typeof FEES, bigint | null>>,
): ReadonlySet<string> {
  const unread = Object.keys(FEES).filter(
    (name) => receipt[name] !== undefined && read[name as keyof typeof FEES] === null,
  );
  return unread.length === 0 ? KNOWN : new Set([...KNOWN].filter((name) => !unread.includes(name)));
}

function parseLog(value: unknown, of: Readonly<Record<'blockHash' | 'transactionHash', Hex>>): RawLog {
  const log = readObject(value, 'log');
  if (log.removed === true) throw new ShapeError('log.removed');
  for (const name of ['blockHash', 'transactionHash'] as const)
    if (readHash(log[name], `log.${name}`) !== of[name]) throw new ShapeError(`log.${name}`);
  return readLog(log);
}

function readTopics(value: unknown, member: string): readonly Hex[] {
  const topics = readArray(value, member).map((topic) => readHash(topic, member));
  if (topics.length > MAX_TOPICS) throw new ShapeError(member);
  return topics;
}

/** Receipts from before Byzantium have a state root in place of a status. */
function readStatus(value: unknown): 0 | 1 | null {
  if (value === undefined || value === null) return null;
  if (value === '0x1') return 1;
  if (value === '0x0') return 0;
  throw new ShapeError('receipt.status');
}
