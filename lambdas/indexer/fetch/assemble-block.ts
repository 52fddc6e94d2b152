import type { Hex, RawBlock, RawTransaction } from '../../chain-data/decode/raw-block.ts';
import { hexDigits } from '../../shared/chain-database/hex.ts';
import { BlockError } from './block-error.ts';
import { ShapeError } from './json-shape.ts';
import { type BlockTransaction, type NodeBlock, parseBlock } from './parse-block.ts';
import { type NodeReceipt, parseReceipt } from './parse-receipt.ts';

/** A block with its receipts, but without its traces. */
export type UntracedBlock = Omit<RawBlock, 'traces'>;

/** Reads a block's JSON; throws {@link BlockError} unless it is that very block. */
export function readNodeBlock(number: number, json: unknown): NodeBlock {
  if (json === null) throw new BlockError('missing', number, 'no block');
  const block = shaped(number, () => parseBlock(json));
  if (block.number !== number)
    throw new BlockError('inconsistent', number, `the node sent block ${block.number}`);
  return block;
}

/**
 * Joins a block and its receipts, in the order of its transactions, after making sure that they belong together: each names
 * the block and the transaction, logs are counted without a gap, and the receipts' blooms make up the block's.
 * @throws {BlockError}
 */
export function assembleBlock(block: NodeBlock, json: unknown): UntracedBlock {
  const { number } = block;
  if (!Array.isArray(json))
    throw new BlockError(json === null ? 'missing' : 'malformed', number, 'no receipts');
  if (json.includes(null)) throw new BlockError('missing', number, 'a receipt is null');
  if (json.length !== block.transactions.length)
    throw new BlockError('inconsistent', number, `${json.length} receipts of ${block.transactions.length}`);
  const receipts = shaped(number, () => json.map(parseReceipt));
  let logs = 0;
  const transactions = block.transactions.map((transaction, index) => {
    const receipt = receipts[index] as NodeReceipt;
    checkReceipt(block, transaction, index, receipt);
    for (const log of receipt.logs) {
      if (log.logIndex !== logs) throw new BlockError('inconsistent', number, 'a log is missing');
      logs += 1;
    }
    return joinReceipt(transaction, receipt);
  });
  if (!isUnion(block.logsBloom, receipts))
    throw new BlockError('inconsistent', number, 'bloom of other logs');
  const { logsBloom, ...header } = block;
  return { ...header, transactions };
}

function checkReceipt(
  block: NodeBlock,
  transaction: BlockTransaction,
  index: number,
  receipt: NodeReceipt,
): void {
  if (receipt.blockHash !== block.hash)
    throw new BlockError('inconsistent', block.number, 'receipts of another block');
  if (receipt.transactionHash !== transaction.hash || receipt.transactionIndex !== index)
    throw new BlockError('inconsistent', block.number, 'a receipt of another transaction');
}

function joinReceipt(transaction: BlockTransaction, receipt: NodeReceipt): RawTransaction {
  const { blockHash, transactionHash, transactionIndex, logsBloom, ...kept } = receipt;
  return { ...transaction, receipt: kept };
}

/** Whether a block's bloom is its receipts' ones laid over each other. */
function isUnion(logsBloom: Hex, receipts: readonly NodeReceipt[]): boolean {
  const expected = bytesOf(logsBloom);
  const union = Buffer.alloc(expected.length);
  for (const receipt of receipts) {
    if (receipt.logs.length === 0) continue;
    const bloom = bytesOf(receipt.logsBloom);
    if (bloom.length !== union.length) return false;
    for (let index = 0; index < union.length; index += 1)
      union[index] = (union[index] ?? 0) | (bloom[index] ?? 0);
  }
  return union.equals(expected);
}

function bytesOf(data: Hex): Buffer {
  return Buffer.from(hexDigits(data), 'hex');
}

function shaped<T>(number: number, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ShapeError) throw new BlockError('malformed', number, error.message);
    throw error;
  }
}
