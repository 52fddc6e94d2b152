import type { Hex, RawBlock, RawTransaction, RawWithdrawal } from '../../chain-data/decode/raw-block.ts';
import { ZERO_ADDRESS } from '../../shared/chain-database/hex.ts';
import { furtherMembers } from './further-members.ts';
import {
  lackable,
  optional,
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
import type { IsRelaxed } from './relaxed-checks.ts';

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
const ZERO_HASH: Hex = `0x${'0'.repeat(64)}`;

const readRoot = lackable(readHash, ZERO_HASH);
const BLOCK = {
  number: readInteger,
  hash: readHash,
  parentHash: readHash,
  miner: lackable(readAddress, ZERO_ADDRESS),
  gasLimit: readQuantity,
  gasUsed: readQuantity,
  baseFeePerGas: optional(readQuantity),
  stateRoot: readRoot,
  transactionsRoot: readRoot,
  receiptsRoot: readRoot,
  extraData: lackable(readData, '0x'),
  size: lackable(readInteger, null),
  l1BlockNumber: optional(readInteger),
  sendCount: optional(readInteger),
  sendRoot: optional(readHash),
  logsBloom: lackable(readData, null),
};
const readBlock = shapeOf('block', BLOCK);
const BLOCK_MEMBERS: ReadonlySet<string> = new Set([...Object.keys(BLOCK), 'timestamp', 'transactions']);

const TRANSACTION = {
  hash: readHash,
  type: optional(readInteger, 0),
  from: readAddress,
  to: optional(readAddress),
  nonce: optional(readQuantity),
  value: readQuantity,
  gas: readQuantity,
  gasPrice: optional(readQuantity),
  maxFeePerGas: optional(readQuantity),
  maxPriorityFeePerGas: optional(readQuantity),
  input: readData,
  requestId: optional(readHash),
};
const readTransaction = shapeOf('transaction', TRANSACTION);
const PLACE = { blockHash: lackable(readHash, null), transactionIndex: lackable(readInteger, null) };
const readPlace = shapeOf('transaction', PLACE);
/** Signatures and what stands in the block already are left out too. */
const TRANSACTION_MEMBERS: ReadonlySet<string> = new Set([
  ...Object.keys({ ...TRANSACTION, ...PLACE }),
  ...['blockNumber', 'blockTimestamp', 'chainId', 'v', 'r', 's', 'yParity'],
]);

const readWithdrawal = shapeOf('withdrawal', {
  index: readQuantity,
  validatorIndex: readQuantity,
  address: readAddress,
  amount: readQuantity,
});

/**
 * Reads a block with whole transactions.
 * @throws {ShapeError} where a member is missing or of another shape, or a transaction names another place
 */
export function parseBlock(value: unknown, isRelaxed: IsRelaxed): NodeBlock {
  const block = readObject(value, 'block');
  const number = readInteger(block.number, 'block.number');
  const mayLack = isRelaxed('missingMembers', number);
  const read = readBlock(block, mayLack);
  return {
    ...read,
    timestamp: readTimestamp(block.timestamp, isRelaxed('millisecondTimes', number)),
    withdrawals: parseWithdrawals(block.withdrawals),
    ...furtherMembers(block, BLOCK_MEMBERS),
    transactions: readArray(block.transactions, 'block.transactions').map((transaction, index) =>
      parseTransaction(transaction, { hash: read.hash, index, mayLack }),
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

/** Where a transaction must be, and whether it may leave out what its block says too. */
interface TransactionPlace {
  /** Hash of its block. */
  readonly hash: Hex;
  readonly index: number;
  readonly mayLack: boolean;
}

function parseTransaction(value: unknown, { hash, index, mayLack }: TransactionPlace): BlockTransaction {
  const transaction = readObject(value, 'transaction');
  const place = readPlace(transaction, mayLack);
  if ((place.blockHash ?? hash) !== hash) throw new ShapeError('transaction.blockHash');
  if ((place.transactionIndex ?? index) !== index) throw new ShapeError('transaction.transactionIndex');
  const read = readTransaction(transaction);
  if (read.type > MAX_TYPE) throw new ShapeError('transaction.type');
  if (read.nonce === null && read.type !== DEPOSIT_TYPE) throw new ShapeError('transaction.nonce');
  return { ...read, ...furtherMembers(transaction, TRANSACTION_MEMBERS) };
}

/** Reads the withdrawals of a block. A list of another form is none: the block has it among its further members all the same. */
function parseWithdrawals(value: unknown): readonly RawWithdrawal[] {
  if (value === undefined || value === null) return [];
  try {
    return readArray(value, 'block.withdrawals').map((item) => {
      const { amount, ...withdrawal } = readWithdrawal(readObject(item, 'withdrawal'));
      return { ...withdrawal, amountGwei: amount };
    });
  } catch (error) {
    if (error instanceof ShapeError) return [];
    throw error;
  }
}
