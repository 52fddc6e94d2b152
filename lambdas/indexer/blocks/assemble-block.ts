import type { RawBlock, RawLog, RawTransaction } from '../../chain-data/decode/raw-block.ts';
import { BlockError, type IsRelaxed } from './block-error.ts';
import { quantityOrNull, ShapeError } from './json-shape.ts';
import { isOfBlock, transactionOfBlock } from './outside-transactions.ts';
import { type BlockTransaction, type NodeBlock, parseBlock } from './parse-block.ts';
import { type NodeReceipt, parseReceipt } from './parse-receipt.ts';

/** A block with its receipts, but without its traces. */
export type UntracedBlock = Omit<RawBlock, 'traces'>;

/** Reads a block's JSON; throws {@link BlockError} unless it is that very block. */
export function readNodeBlock(number: number, json: unknown, isRelaxed: IsRelaxed): NodeBlock {
  if (json === null) throw new BlockError('missing', number, 'no block');
  const block = shaped(number, () => parseBlock(json, isRelaxed));
  if (block.number !== number)
    throw new BlockError('inconsistent', number, `the node sent block ${block.number}`);
  return block;
}

/**
 * Joins a block and its receipts, in the order of its transactions, after making sure that they belong together: each names
 * the block and the transaction, and logs are counted without a gap. What a chain's settings relax is not looked at.
 * @returns the block, and the blooms of its receipts
 * @throws {BlockError} with the check that failed, where it can be relaxed
 */
export function assembleBlock(block: NodeBlock, json: unknown, isRelaxed: IsRelaxed) {
  const pairs = pairUp(block, readReceipts(block, json, isRelaxed), isRelaxed);
  for (const [index, { transaction, receipt }] of pairs.entries()) {
    if (receipt.blockHash !== block.hash)
      throw new BlockError('inconsistent', block.number, 'receipts of another block');
    if (receipt.transactionHash !== transaction.hash || receipt.transactionIndex !== index)
      throw new BlockError('inconsistent', block.number, 'a receipt of another transaction');
  }
  const numberLogs = logNumberer(block.number, isRelaxed('logIndex', block.number));
  let gasUsed = 0n;
  const transactions = pairs.map(({ transaction, receipt }) => {
    gasUsed = receipt.cumulativeGasUsed ?? gasUsed + receipt.gasUsed;
    return joinReceipt(transaction, receipt, numberLogs(receipt.logs), gasUsed);
  });
  const assembled: UntracedBlock = { ...block, transactions };
  return { block: assembled, blooms: pairs.map(({ receipt }) => receipt.logsBloom) };
}

function readReceipts(block: NodeBlock, json: unknown, isRelaxed: IsRelaxed): readonly NodeReceipt[] {
  const { number } = block;
  if (!Array.isArray(json))
    throw new BlockError(json === null ? 'missing' : 'malformed', number, 'no receipts');
  if (json.includes(null)) throw new BlockError('missing', number, 'a receipt is null');
  const mayLack = isRelaxed('missingMembers', number);
  return shaped(number, () => json.map((receipt) => parseReceipt(receipt, mayLack)));
}

/** The transactions with their receipts; the block itself counts as one where it has a receipt and may. */
function pairUp(block: NodeBlock, told: readonly NodeReceipt[], isRelaxed: IsRelaxed) {
  const { number } = block;
  const ofBlock = told.filter(isOfBlock);
  const [own] = isRelaxed('blockReceipt', number) ? ofBlock : [];
  const transactions =
    own === undefined ? block.transactions : [...block.transactions, transactionOfBlock(block)];
  const hashes = new Set(transactions.map(({ hash }) => hash));
  const receipts = isRelaxed('receiptCount', number)
    ? told.filter(({ transactionHash }) => hashes.has(transactionHash))
    : told;
  if (receipts.length !== transactions.length) {
    const surplus = receipts.filter(({ transactionHash }) => !hashes.has(transactionHash));
    const check = ofBlock.length > 0 ? 'blockReceipt' : 'receiptCount';
    const detail = `${receipts.length} receipts of ${transactions.length}`;
    throw new BlockError('inconsistent', number, detail, surplus.length > 0 ? check : undefined);
  }
  return transactions.map((transaction, index) => ({ transaction, receipt: receipts[index] as NodeReceipt }));
}

/** Numbers the logs of one transaction after the other; those of a strict chain must be numbered so already. */
function logNumberer(number: number, mayRenumber: boolean) {
  let next = 0;
  return (logs: readonly RawLog[]) =>
    logs.map((log) => {
      const logIndex = next++;
      if (log.logIndex === logIndex) return log;
      if (mayRenumber) return { ...log, logIndex };
      throw new BlockError('inconsistent', number, 'a log is missing', 'logIndex');
    });
}

function joinReceipt(
  transaction: BlockTransaction,
  receipt: NodeReceipt,
  logs: readonly RawLog[],
  cumulativeGasUsed: bigint,
): RawTransaction {
  const { blockHash, transactionHash, transactionIndex, logsBloom, ...kept } = receipt;
  const nonce = transaction.nonce ?? quantityOrNull(receipt.extra.depositNonce);
  return { ...transaction, nonce, receipt: { ...kept, logs, cumulativeGasUsed } };
}

function shaped<T>(number: number, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ShapeError) throw new BlockError('malformed', number, error.message, error.check);
    throw error;
  }
}
