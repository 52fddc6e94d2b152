import {
  type FurtherMembers,
  type Hex,
  type JsonValue,
  type RawBlock,
  type RawLog,
  type RawReceipt,
  type RawTraces,
  type RawTransaction,
  TRACE_GAP_REASONS,
} from '../../chain-data/decode/raw-block.ts';
import { sharedOfBlock, sharedOfLog, sharedOfTransaction } from '../../chain-data/decode/shared-columns.ts';
import { furtherMembers } from '../blocks/further-members.ts';
import { CALL_TYPE } from '../blocks/parse-trace.ts';
import { callTree, flatCalls } from './call-tree.ts';
import { ColumnError, type FileRow, type FileTable } from './layout.ts';

/** The rows of a block, by table, in the order of the block. */
export type BlockFileRows = { readonly [Table in FileTable]: readonly FileRow<Table>[] };

const MAX_STATUS = 1;
const NONE: ReadonlySet<string> = new Set();

/** The rows of a block, which {@link blockOf} makes the same block of. */
export function fileRowsOf(block: RawBlock): BlockFileRows {
  const { number: block_number, transactions, traces, withdrawals } = block;
  const logs = transactions.flatMap(({ receipt }, transaction_index) =>
    receipt.logs.map((log) => ({
      block_number,
      transaction_index,
      log_index: log.logIndex,
      ...sharedOfLog(log),
      data: log.data,
    })),
  );
  const calls = traces.kind === 'traced' ? traces.calls : [];
  const traceRows = calls.flatMap((top, transaction_index) =>
    flatCalls(top).map((call) => ({ block_number, transaction_index, ...call })),
  );
  const gap = traces.kind === 'gap' ? traces : undefined;
  const row: FileRow<'blocks'> = {
    ...sharedOfBlock(block),
    block_number,
    timestamp: block.timestamp,
    logs_bloom: block.logsBloom,
    extra: block.extra,
    extra_omitted: block.omitted,
    untraced_reason: gap?.reason ?? null,
    untraced_message: gap?.message ?? null,
    transaction_count: transactions.length,
    log_count: logs.length,
    trace_count: traceRows.length,
    withdrawal_count: withdrawals.length,
  };
  return {
    blocks: [row],
    transactions: transactions.map((transaction, transaction_index) => ({
      ...sharedOfTransaction(transaction),
      block_number,
      transaction_index,
      input: transaction.input,
      extra: transaction.extra,
      extra_omitted: transaction.omitted,
      receipt_extra: transaction.receipt.extra,
      receipt_extra_omitted: transaction.receipt.omitted,
      signature: transaction.signature ?? null,
    })),
    logs,
    traces: traceRows,
    withdrawals: withdrawals.map(({ index, validatorIndex, address, amountGwei }) => ({
      block_number,
      withdrawal_index: index,
      validator_index: validatorIndex,
      address,
      amount_gwei: amountGwei,
    })),
  };
}

/**
 * The block that rows are of: all of them, in the order of the block, counted as its own row says.
 * @throws {ColumnError} if they are not
 */
export function blockOf(row: FileRow<'blocks'>, rows: Omit<BlockFileRows, 'blocks'>): RawBlock {
  requireCount('transactions', row.transaction_count, rows.transactions.length);
  requireCount('logs', row.log_count, rows.logs.length);
  requireCount('traces', row.trace_count, rows.traces.length);
  requireCount('withdrawals', row.withdrawal_count, rows.withdrawals.length);
  const logs = logsByTransaction(rows.logs, rows.transactions.length);
  const transactions = rows.transactions.map((transaction, index) => {
    if (transaction.transaction_index !== index)
      throw new ColumnError('transactions.transaction_index does not count from 0');
    return transactionOf(transaction, logs[index] ?? []);
  });
  return {
    number: row.block_number,
    hash: row.hash,
    parentHash: row.parent_hash,
    timestamp: row.timestamp,
    miner: row.miner,
    gasLimit: row.gas_limit,
    gasUsed: row.gas_used,
    baseFeePerGas: row.base_fee_per_gas,
    stateRoot: row.state_root,
    transactionsRoot: row.transactions_root,
    receiptsRoot: row.receipts_root,
    logsBloom: row.logs_bloom,
    extraData: row.extra_data,
    size: row.size,
    l1BlockNumber: row.l1_block_number,
    sendCount: row.send_count,
    sendRoot: row.send_root,
    ...membersOf('blocks.extra', row.extra, row.extra_omitted),
    withdrawals: rows.withdrawals.map((one) => ({
      index: one.withdrawal_index,
      validatorIndex: one.validator_index,
      address: one.address,
      amountGwei: one.amount_gwei,
    })),
    transactions,
    traces: tracesOf(row, rows.traces),
  };
}

function requireCount(table: FileTable, counted: number, found: number): void {
  if (counted !== found) throw new ColumnError(`${table} has ${found} rows, and the block counts ${counted}`);
}

function transactionOf(row: FileRow<'transactions'>, logs: readonly RawLog[]): RawTransaction {
  if (row.type > 0x7fff) throw new ColumnError('transactions.type is above 32,767');
  if (row.status !== null && row.status > MAX_STATUS)
    throw new ColumnError('transactions.status is neither 0 nor 1');
  return {
    hash: row.hash,
    type: row.type,
    from: row.from_address,
    to: row.to_address,
    nonce: row.nonce,
    value: row.value,
    gas: row.gas,
    gasPrice: row.gas_price,
    maxFeePerGas: row.max_fee_per_gas,
    maxPriorityFeePerGas: row.max_priority_fee_per_gas,
    input: row.input,
    requestId: row.request_id,
    ...(row.signature !== null && { signature: row.signature }),
    ...membersOf('transactions.extra', row.extra, row.extra_omitted),
    receipt: {
      status: row.status as RawReceipt['status'],
      contractAddress: row.contract_address,
      gasUsed: row.gas_used,
      gasUsedForL1: row.gas_used_for_l1,
      cumulativeGasUsed: row.cumulative_gas_used,
      effectiveGasPrice: row.effective_gas_price,
      l1BlockNumber: row.l1_block_number,
      l1Fee: row.l1_fee,
      blobGasUsed: row.blob_gas_used,
      blobGasPrice: row.blob_gas_price,
      ...membersOf('transactions.receipt_extra', row.receipt_extra, row.receipt_extra_omitted),
      logs,
    },
  };
}

/** Members that are as bounded as those that a node tells. */
function membersOf(column: string, extra: JsonValue, omitted: JsonValue): FurtherMembers {
  if (typeof extra !== 'object' || extra === null || Array.isArray(extra))
    throw new ColumnError(`${column} is not an object`);
  if (!Array.isArray(omitted) || !omitted.every((name): name is string => typeof name === 'string'))
    throw new ColumnError(`${column}_omitted is not a list of names`);
  const bounded = furtherMembers(extra as Readonly<Record<string, unknown>>, NONE);
  return { extra: bounded.extra, omitted: [...omitted, ...bounded.omitted] };
}

/** The logs of each transaction, which are numbered without a gap. */
function logsByTransaction(rows: readonly FileRow<'logs'>[], transactions: number): RawLog[][] {
  const lists = Array.from({ length: transactions }, (): RawLog[] => []);
  let last = 0;
  for (const [index, row] of rows.entries()) {
    const { transaction_index, log_index, address, topic0, topic1, topic2, topic3, data } = row;
    if (log_index !== index) throw new ColumnError('logs.log_index does not count from 0');
    const logs = lists[transaction_index];
    if (logs === undefined || transaction_index < last)
      throw new ColumnError('logs.transaction_index names no transaction, or goes back');
    last = transaction_index;
    logs.push({ logIndex: log_index, address, topics: topicsOf([topic0, topic1, topic2, topic3]), data });
  }
  return lists;
}

function topicsOf(topics: readonly (Hex | null)[]): readonly Hex[] {
  const count = topics.indexOf(null);
  const given = topics.filter((topic) => topic !== null);
  if (count >= 0 && given.length !== count)
    throw new ColumnError('a topic of logs is behind one that is null');
  return given;
}

function tracesOf(row: FileRow<'blocks'>, traces: readonly FileRow<'traces'>[]): RawTraces {
  const { untraced_reason: reason, untraced_message: message } = row;
  if (reason !== null) {
    const known = TRACE_GAP_REASONS.find((one) => one === reason);
    if (known === undefined) throw new ColumnError('blocks.untraced_reason is of no kind');
    if (traces.length > 0) throw new ColumnError('traces has rows of a block that is untraced');
    return { kind: 'gap', reason: known, message: message ?? '' };
  }
  const groups = Map.groupBy(traces, ({ transaction_index }) => transaction_index);
  const calls = Array.from(groups, ([index, rows], place) => {
    if (index !== place) throw new ColumnError('traces.transaction_index does not count from 0');
    if (!rows.every(({ type }) => CALL_TYPE.test(type)))
      throw new ColumnError('traces.type is not one of a call');
    return callTree(rows);
  });
  requireCount('traces', row.transaction_count, calls.length);
  return { kind: 'traced', calls };
}
