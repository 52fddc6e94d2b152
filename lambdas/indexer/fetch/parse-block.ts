import type { Hex, RawBlock, RawTransaction } from '../../chain-data/decode/raw-block.ts';
import {
  type JsonObject,
  optional,
  readAddress,
  readArray,
  readData,
  readHash,
  readInteger,
  readObject,
  readQuantity,
  ShapeError,
} from './json-shape.ts';

/** A transaction as its block has it, without its receipt. */
export type BlockTransaction = Omit<RawTransaction, 'receipt'>;

/** A block as the node tells it, without receipts and traces. */
export interface NodeBlock extends Omit<RawBlock, 'transactions' | 'traces'> {
  readonly logsBloom: Hex;
  readonly transactions: readonly BlockTransaction[];
}

/** Longest value of a further member: a hash. */
const MAX_EXTRA_LENGTH = 66;
const MAX_EXTRA_MEMBERS = 32;
/** Names of further members that are kept. */
const MEMBER_NAME = /^\w{1,64}$/;
const SHORT_HEX = /^0x[0-9a-f]*$/;
/** Arbitrum's types end at 106; the receipts of no chain have a larger one. */
const MAX_TYPE = 0xff;

const BLOCK_MEMBERS: ReadonlySet<string> = new Set([
  ...[
    'number',
    'hash',
    'parentHash',
    'timestamp',
    'miner',
    'gasLimit',
    'gasUsed',
    'baseFeePerGas',
    'stateRoot',
  ],
  ...[
    'transactionsRoot',
    'receiptsRoot',
    'extraData',
    'size',
    'l1BlockNumber',
    'sendCount',
    'sendRoot',
    'logsBloom',
  ],
]);
/** Signatures and what stands in the block already are left out too. */
const TRANSACTION_MEMBERS: ReadonlySet<string> = new Set([
  ...[
    'hash',
    'type',
    'from',
    'to',
    'nonce',
    'value',
    'gas',
    'gasPrice',
    'maxFeePerGas',
    'maxPriorityFeePerGas',
  ],
  ...['input', 'requestId', 'blockHash', 'blockNumber', 'blockTimestamp', 'transactionIndex', 'chainId'],
  ...['v', 'r', 's', 'yParity'],
]);

/**
 * Reads a block with whole transactions.
 * @throws {ShapeError} where a member is missing or of another shape, or a transaction names another place
 */
export function parseBlock(value: unknown): NodeBlock {
  const block = readObject(value, 'block');
  const hash = readHash(block.hash, 'block.hash');
  return {
    number: readInteger(block.number, 'block.number'),
    hash,
    parentHash: readHash(block.parentHash, 'block.parentHash'),
    timestamp: readInteger(block.timestamp, 'block.timestamp'),
    miner: readAddress(block.miner, 'block.miner'),
    gasLimit: readQuantity(block.gasLimit, 'block.gasLimit'),
    gasUsed: readQuantity(block.gasUsed, 'block.gasUsed'),
    baseFeePerGas: optional(block, 'baseFeePerGas', readQuantity),
    stateRoot: readHash(block.stateRoot, 'block.stateRoot'),
    transactionsRoot: readHash(block.transactionsRoot, 'block.transactionsRoot'),
    receiptsRoot: readHash(block.receiptsRoot, 'block.receiptsRoot'),
    extraData: readData(block.extraData, 'block.extraData'),
    size: readInteger(block.size, 'block.size'),
    l1BlockNumber: optional(block, 'l1BlockNumber', readInteger),
    sendCount: optional(block, 'sendCount', readInteger),
    sendRoot: optional(block, 'sendRoot', readHash),
    extra: extraMembers(block, BLOCK_MEMBERS),
    logsBloom: readData(block.logsBloom, 'block.logsBloom'),
    transactions: readArray(block.transactions, 'block.transactions').map((transaction, index) =>
      parseTransaction(transaction, hash, index),
    ),
  };
}

function parseTransaction(value: unknown, blockHash: Hex, index: number): BlockTransaction {
  const transaction = readObject(value, 'transaction');
  if (readHash(transaction.blockHash, 'transaction.blockHash') !== blockHash)
    throw new ShapeError('transaction.blockHash');
  if (readInteger(transaction.transactionIndex, 'transaction.transactionIndex') !== index)
    throw new ShapeError('transaction.transactionIndex');
  const type = optional(transaction, 'type', readInteger) ?? 0;
  if (type > MAX_TYPE) throw new ShapeError('transaction.type');
  return {
    hash: readHash(transaction.hash, 'transaction.hash'),
    type,
    from: readAddress(transaction.from, 'transaction.from'),
    to: optional(transaction, 'to', readAddress),
    nonce: readQuantity(transaction.nonce, 'transaction.nonce'),
    value: readQuantity(transaction.value, 'transaction.value'),
    gas: readQuantity(transaction.gas, 'transaction.gas'),
    gasPrice: optional(transaction, 'gasPrice', readQuantity),
    maxFeePerGas: optional(transaction, 'maxFeePerGas', readQuantity),
    maxPriorityFeePerGas: optional(transaction, 'maxPriorityFeePerGas', readQuantity),
    input: readData(transaction.input, 'transaction.input'),
    requestId: optional(transaction, 'requestId', readHash),
    extra: extraMembers(transaction, TRANSACTION_MEMBERS),
  };
}

/** Short hex members that have no column of their own. */
function extraMembers(object: JsonObject, known: ReadonlySet<string>): Record<string, Hex> {
  const extra: [string, Hex][] = [];
  for (const member in object) {
    const value = object[member];
    if (known.has(member) || typeof value !== 'string' || value.length > MAX_EXTRA_LENGTH) continue;
    if (MEMBER_NAME.test(member) && isShortHex(value)) extra.push([member, value]);
  }
  return Object.fromEntries(extra.slice(0, MAX_EXTRA_MEMBERS));
}

function isShortHex(text: string): text is Hex {
  return SHORT_HEX.test(text);
}
