import type { Hex, RawLog, RawReceipt } from '../../chain-data/decode/raw-block.ts';
import { furtherMembers } from './further-members.ts';
import {
  type JsonObject,
  lackableReader,
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
} from './json-shape.ts';

/** A receipt as the node returns it. */
export interface NodeReceipt extends Omit<RawReceipt, 'cumulativeGasUsed'> {
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  readonly transactionIndex: number;
  /** Null where the node leaves it out and `mayLack` allows it. */
  readonly logsBloom: Hex | null;
  /** Null as `logsBloom`. */
  readonly cumulativeGasUsed: bigint | null;
}

const MAX_TOPICS = 4;

/** Parts of the fee, each with a column. A part that is not a number is stored among the further members. */
const FEE_MEMBERS = ['l1Fee', 'blobGasUsed', 'blobGasPrice'];
/** Members that are stored elsewhere; the bloom follows from the logs. */
const KNOWN: ReadonlySet<string> = new Set([
  ...[
    'blockHash',
    'blockNumber',
    'blockTimestamp',
    'transactionHash',
    'transactionIndex',
    'from',
    'to',
    'type',
    'status',
    'contractAddress',
    'gasUsed',
    'gasUsedForL1',
    'cumulativeGasUsed',
    'effectiveGasPrice',
    'l1BlockNumber',
    'logs',
    'logsBloom',
  ],
  ...FEE_MEMBERS,
]);

/**
 * Reads a receipt. `mayLack`: whether the node may leave out its bloom, and the gas that was used up to it.
 * @throws {ShapeError} where a member is missing or of another shape, or a log is of another block or transaction
 */
export function parseReceipt(value: unknown, mayLack: boolean): NodeReceipt {
  const receipt = readObject(value, 'receipt');
  const read = lackableReader(receipt, 'receipt', mayLack);
  const blockHash = readHash(receipt.blockHash, 'receipt.blockHash');
  const transactionHash = readHash(receipt.transactionHash, 'receipt.transactionHash');
  return {
    blockHash,
    transactionHash,
    transactionIndex: readInteger(receipt.transactionIndex, 'receipt.transactionIndex'),
    logsBloom: read<Hex | null>('logsBloom', readData, null),
    status: readStatus(receipt.status),
    contractAddress: optional(receipt, 'contractAddress', readAddress),
    gasUsed: readQuantity(receipt.gasUsed, 'receipt.gasUsed'),
    gasUsedForL1: optional(receipt, 'gasUsedForL1', readQuantity),
    cumulativeGasUsed: read<bigint | null>('cumulativeGasUsed', readQuantity, null),
    effectiveGasPrice: optional(receipt, 'effectiveGasPrice', readQuantity),
    l1BlockNumber: optional(receipt, 'l1BlockNumber', readInteger),
    l1Fee: quantityOrNull(receipt.l1Fee),
    blobGasUsed: quantityOrNull(receipt.blobGasUsed),
    blobGasPrice: quantityOrNull(receipt.blobGasPrice),
    ...furtherMembers(receipt, knownOf(receipt)),
    logs: readArray(receipt.logs, 'receipt.logs').map((log) => parseLog(log, blockHash, transactionHash)),
  };
}

function knownOf(receipt: JsonObject): ReadonlySet<string> {
  const unread = FEE_MEMBERS.filter(
    (name) => receipt[name] !== undefined && quantityOrNull(receipt[name]) === null,
  );
  return unread.length === 0 ? KNOWN : new Set([...KNOWN].filter((name) => !unread.includes(name)));
}

function parseLog(value: unknown, blockHash: Hex, transactionHash: Hex): RawLog {
  const log = readObject(value, 'log');
  if (log.removed === true) throw new ShapeError('log.removed');
  if (readHash(log.blockHash, 'log.blockHash') !== blockHash) throw new ShapeError('log.blockHash');
  if (readHash(log.transactionHash, 'log.transactionHash') !== transactionHash)
    throw new ShapeError('log.transactionHash');
  const topics = readArray(log.topics, 'log.topics').map((topic) => readHash(topic, 'log.topics'));
  if (topics.length > MAX_TOPICS) throw new ShapeError('log.topics');
  return {
    logIndex: readInteger(log.logIndex, 'log.logIndex'),
    address: readAddress(log.address, 'log.address'),
    topics,
    data: readData(log.data, 'log.data'),
  };
}

/** Receipts from before Byzantium have a state root in place of a status. */
function readStatus(value: unknown): 0 | 1 | null {
  if (value === undefined || value === null) return null;
  if (value === '0x1') return 1;
  if (value === '0x0') return 0;
  throw new ShapeError('receipt.status');
}
