import type { RawBlock, RawLog, RawTransaction } from './raw-block.ts';
import type { TransactionRow } from './rows.ts';

/** What a node tells of a block, as rows of tables and of files have it alike. */
export function sharedOfBlock(block: RawBlock) {
  return {
    hash: block.hash,
    parent_hash: block.parentHash,
    miner: block.miner,
    gas_limit: block.gasLimit,
    gas_used: block.gasUsed,
    base_fee_per_gas: block.baseFeePerGas,
    state_root: block.stateRoot,
    transactions_root: block.transactionsRoot,
    receipts_root: block.receiptsRoot,
    extra_data: block.extraData,
    size: block.size,
    l1_block_number: block.l1BlockNumber,
    send_count: block.sendCount,
    send_root: block.sendRoot,
  };
}

/** The same of a transaction with its receipt, but for its input, of which a row of a table has the beginning. */
export function sharedOfTransaction(transaction: RawTransaction) {
  const { receipt } = transaction;
  return {
    hash: transaction.hash,
    type: transaction.type,
    from_address: transaction.from,
    to_address: transaction.to,
    nonce: transaction.nonce,
    value: transaction.value,
    gas: transaction.gas,
    gas_price: transaction.gasPrice,
    max_fee_per_gas: transaction.maxFeePerGas,
    max_priority_fee_per_gas: transaction.maxPriorityFeePerGas,
    request_id: transaction.requestId,
    status: receipt.status,
    contract_address: receipt.contractAddress,
    gas_used: receipt.gasUsed,
    gas_used_for_l1: receipt.gasUsedForL1,
    cumulative_gas_used: receipt.cumulativeGasUsed,
    effective_gas_price: receipt.effectiveGasPrice,
    l1_block_number: receipt.l1BlockNumber,
    l1_fee: receipt.l1Fee,
    blob_gas_used: receipt.blobGasUsed,
    blob_gas_price: receipt.blobGasPrice,
  } satisfies Partial<TransactionRow>;
}

/** The same of a log, but for its data. */
export function sharedOfLog({ address, topics }: RawLog) {
  const [topic0 = null, topic1 = null, topic2 = null, topic3 = null] = topics;
  return { address, topic0, topic1, topic2, topic3 };
}
