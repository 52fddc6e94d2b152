import type { Hex, RawBlock, RawTransaction, RawWithdrawal } from '../../chain-data/decode/raw-block.ts';
import { ZERO_ADDRESS, ZERO_HASH } from '../../shared/chain-database/hex.ts';
import type { IsRelaxed } from './block-error.ts';
import { furtherMembers } from './further-members.ts';
import {
  lackableReader,
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
import { signatureOf } from './signature.ts';

/** A transaction as its block has it, without its receipt. */
export type BlockTransaction = Omit<RawTransaction, 'receipt'>;

/** A block as the node tells it, without receipts and traces. */
export interface NodeBlock extends Omit<RawBlock, 'transactions' | 'traces'> {
  readonly transactions: readonly BlockTransaction[];
}

/** The types of EIP-2718 end at 127, Arbitrum's at 106, zkSync's at 255; some chains number theirs higher. */
const MAX_TYPE = 0x7fff;
/** A deposit of the OP stack, whose nonce the state has and not the transaction: some nodes name it in the receipt alone. */
const DEPOSIT_TYPE = 0x7e;
/** Later times, in seconds, are of a node that counts milliseconds: this is the year 5138. */
const MAX_SECONDS = 100_000_000_000;
const MILLISECONDS_PER_SECOND = 1_000;

/** Each a literal: words that are split from a text are looked up more slowly. */
const BLOCK_MEMBERS: ReadonlySet<string> = new Set([
  'number',
  'hash',
  'parentHash',
  'timestamp',
  'miner',
  'gasLimit',
  'gasUsed',
  'baseFeePerGas',
  'stateRoot',
  'transactionsRoot',
  'receiptsRoot',
  'extraData',
  'size',
  'l1BlockNumber',
  'sendCount',
  'sendRoot',
  'logsBloom',
  'transactions',
]);
/** Signatures are read apart, and what stands in the block already is left out. */
const TRANSACTION_MEMBERS: ReadonlySet<string> = new Set([
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
  'input',
  'requestId',
  'blockHash',
  'blockNumber',
  'blockTimestamp',
  'transactionIndex',
  'chainId',
  'v',
  'r',
  's',
  'yParity',
]);

/**
 * Reads a block with whole transactions.
 * @throws {ShapeError} where a member is missing or of another shape, or a transaction names another place
 */
export function parseBlock(value: unknown, isRelaxed: IsRelaxed): NodeBlock {
  const block = readObject(value, 'block');
  const hash = readHash(block.hash, 'block.hash');
  const number = readInteger(block.number, 'block.number');
  const mayLack = isRelaxed('missingMembers', number);
  const read = lackableReader(block, 'block', mayLack);
  const readRoot = (name: string) => read<Hex>(name, readHash, ZERO_HASH);
  return {
    number,
    hash,
    parentHash: readHash(block.parentHash, 'block.parentHash'),
    timestamp: readTimestamp(block.timestamp, isRelaxed('millisecondTimes', number)),
    miner: read<Hex>('miner', readAddress, ZERO_ADDRESS),
    gasLimit: readQuantity(block.gasLimit, 'block.gasLimit'),
    gasUsed: readQuantity(block.gasUsed, 'block.gasUsed'),
    baseFeePerGas: optional(block, 'baseFeePerGas', readQuantity),
    stateRoot: readRoot('stateRoot'),
    transactionsRoot: readRoot('transactionsRoot'),
    receiptsRoot: readRoot('receiptsRoot'),
    extraData: read<Hex>('extraData', readData, '0x'),
    size: read<number | null>('size', readInteger, null),
    l1BlockNumber: optional(block, 'l1BlockNumber', readInteger),
    sendCount: optional(block, 'sendCount', readInteger),
    sendRoot: optional(block, 'sendRoot', readHash),
    withdrawals: parseWithdrawals(block.withdrawals),
    ...furtherMembers(block, BLOCK_MEMBERS),
    logsBloom: read<Hex | null>('logsBloom', readData, null),
    transactions: readArray(block.transactions, 'block.transactions').map((transaction, index) =>
      parseTransaction(transaction, hash, index, mayLack),
    ),
  };
}

/** A block's time in seconds since the epoch. */
export function readTimestamp(value: unknown, inMilliseconds: boolean): number {
  const time = readInteger(value, 'block.timestamp');
  if (inMilliseconds) return Math.floor(time / MILLISECONDS_PER_SECOND);
  if (time >= MAX_SECONDS) throw new ShapeError('block.timestamp', 'millisecondTimes');
  return time;
}

/**
 * @param hash of its block
 * @param mayLack whether it may leave out what its block says too
 */
function parseTransaction(value: unknown, hash: Hex, index: number, mayLack: boolean): BlockTransaction {
  const transaction = readObject(value, 'transaction');
  const read = lackableReader(transaction, 'transaction', mayLack);
  if (read('blockHash', readHash, hash) !== hash) throw new ShapeError('transaction.blockHash');
  if (read('transactionIndex', readInteger, index) !== index)
    throw new ShapeError('transaction.transactionIndex');
  const type = optional(transaction, 'type', readInteger) ?? 0;
  if (type > MAX_TYPE) throw new ShapeError('transaction.type');
  return {
    hash: readHash(transaction.hash, 'transaction.hash'),
    type,
    from: readAddress(transaction.from, 'transaction.from'),
    to: optional(transaction, 'to', readAddress),
    nonce:
      type === DEPOSIT_TYPE
        ? optional(transaction, 'nonce', readQuantity)
        : readQuantity(transaction.nonce, 'transaction.nonce'),
    value: readQuantity(transaction.value, 'transaction.value'),
    gas: readQuantity(transaction.gas, 'transaction.gas'),
    gasPrice: optional(transaction, 'gasPrice', readQuantity),
    maxFeePerGas: optional(transaction, 'maxFeePerGas', readQuantity),
    maxPriorityFeePerGas: optional(transaction, 'maxPriorityFeePerGas', readQuantity),
    input: readData(transaction.input, 'transaction.input'),
    requestId: optional(transaction, 'requestId', readHash),
    ...signatureOf(transaction, type),
    ...furtherMembers(transaction, TRANSACTION_MEMBERS),
  };
}

/** Reads the withdrawals of a block. A list of another form is none: the block has it among its further members all the same. */
export function parseWithdrawals(value: unknown): readonly RawWithdrawal[] {
  if (value === undefined || value === null) return [];
  try {
    return readArray(value, 'block.withdrawals').map((item) => {
      const withdrawal = readObject(item, 'withdrawal');
      return {
        index: readQuantity(withdrawal.index, 'withdrawal.index'),
        validatorIndex: readQuantity(withdrawal.validatorIndex, 'withdrawal.validatorIndex'),
        address: readAddress(withdrawal.address, 'withdrawal.address'),
        amountGwei: readQuantity(withdrawal.amount, 'withdrawal.amount'),
      };
    });
  } catch (error) {
    if (error instanceof ShapeError) return [];
    throw error;
  }
}
