import { BlockError } from '../blocks/block-error.ts';
import type { NodeBlock } from '../blocks/parse-block.ts';
import type { BatchSize } from './batch-size.ts';
import { callInBatches } from './call-in-batches.ts';
import type { RetryingClient } from './retrying-client.ts';
import type { BatchOptions, NodeResponse } from './send-batch.ts';

/**
 * The receipts of one block's transactions, one call each: for nodes without `eth_getBlockReceipts`, and for blocks
 * whose receipts are more than one response holds.
 * @throws {BlockError} if a receipt is not there
 * @throws {NodeError} where the node cannot be asked
 */
export async function readReceipts(
  node: RetryingClient,
  block: NodeBlock,
  size: BatchSize,
  options: BatchOptions,
): Promise<unknown[]> {
  const calls = block.transactions.map(({ hash }) => ({
    method: 'eth_getTransactionReceipt',
    params: [hash],
  }));
  const answers = await callInBatches(node, calls, size, options);
  return answers.map((answer: NodeResponse) => {
    if ('result' in answer) return answer.result;
    throw new BlockError('unavailable', block.number, answer.error.message);
  });
}
