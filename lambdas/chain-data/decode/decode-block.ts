import { byteLength } from '../../shared/chain-database/hex.ts';
import { type DecodeOptions, decodeLog, emptyLogRows } from './decode-logs.ts';
import { cleanText, flattenCalls, methodIdOf } from './decode-traces.ts';
import { mergeWrappings } from './decode-wrapping.ts';
import { isoTime } from './iso-time.ts';
import type { JsonValue, RawBlock, RawLog, RawReceipt, RawTransaction } from './raw-block.ts';
import type { BlockRows, DataPieceRow, LogRow, LogSite, TransactionRow, WithdrawalRow } from './rows.ts';
import { sharedOfBlock, sharedOfLog, sharedOfTransaction } from './shared-columns.ts';
import { splitData } from './split-data.ts';
import { tradersOf } from './traders.ts';

const QUANTITY = /^0x[0-9a-f]{1,64}$/i;
const MILLIONTHS = 1_000_000n;
/** What the scalar is multiplied by in place of being millionths, since the Jovian fork. */
const JOVIAN_FACTOR = 100n;

/** All rows of a block: a pure function of it, in time linear in its size. */
export function decodeBlock(block: RawBlock, options: DecodeOptions): BlockRows {
  const time = isoTime(block.timestamp);
  const logRows = emptyLogRows();
  const logs: LogRow[] = [];
  const data_pieces: DataPieceRow[] = [];
  const transactions = block.transactions.map((transaction, tx_index) => {
    const decoding = { ...options, traderOf: tradersOf(transaction, options.entryPoints) };
    for (const log of transaction.receipt.logs) {
      const site: LogSite = {
        block_number: block.number,
        log_index: log.logIndex,
        tx_index,
        tx_hash: transaction.hash,
        block_time: time,
      };
      logs.push(logRow(log, site, data_pieces));
      decodeLog(log, site, decoding, logRows);
    }
    return transactionRow(block, transaction, { tx_index, block_time: time }, data_pieces);
  });
  return {
    ...logRows,
    erc20_transfers: mergeWrappings(logRows.erc20_transfers),
    block: {
      ...sharedOfBlock(block),
      number: block.number,
      time,
      tx_count: block.transactions.length,
      log_count: logs.length,
      extra: JSON.stringify(block.extra),
      extra_omitted: namesOrNull(block.omitted),
    },
    transactions,
    withdrawals: withdrawalRows(block, time),
    logs,
    ...traceRows(block, time, data_pieces),
    data_pieces,
    ...(block.isPartial === true && { is_partial: true }),
    ...(block.proof !== undefined && { proof: block.proof }),
  };
}

function transactionRow(
  block: RawBlock,
  transaction: RawTransaction,
  { tx_index, block_time }: Pick<TransactionRow, 'tx_index' | 'block_time'>,
  pieces: DataPieceRow[],
): TransactionRow {
  const { receipt, input } = transaction;
  const item = { block_number: block.number, kind: 'tx_input', item_index: tx_index, part_index: 0 } as const;
  return {
    ...sharedOfTransaction(transaction),
    block_number: block.number,
    tx_index,
    block_hash: block.hash,
    block_time,
    log_count: receipt.logs.length,
    method_id: transaction.to === null ? null : methodIdOf(input),
    input: splitData(input, item, pieces),
    input_size: byteLength(input),
    extra: JSON.stringify(transaction.extra),
    operator_fee: operatorFee(receipt),
    receipt_extra: Object.keys(receipt.extra).length === 0 ? null : JSON.stringify(receipt.extra),
    extra_omitted: namesOrNull([...transaction.omitted, ...receipt.omitted]),
  };
}

function namesOrNull(names: readonly string[]): string | null {
  return names.length === 0 ? null : JSON.stringify(names);
}

function withdrawalRows({ number, withdrawals }: RawBlock, block_time: string): WithdrawalRow[] {
  return withdrawals.map(({ index, validatorIndex, address, amountGwei }, place) => ({
    block_number: number,
    place,
    block_time,
    withdrawal_index: index,
    validator_index: validatorIndex,
    to_address: address,
    amount_gwei: amountGwei,
  }));
}

function logRow(log: RawLog, site: LogSite, pieces: DataPieceRow[]): LogRow {
  const { block_number, log_index } = site;
  const item = { block_number, kind: 'log_data', item_index: log_index, part_index: 0 } as const;
  const data = splitData(log.data, item, pieces);
  return { ...site, ...sharedOfLog(log), data, data_size: byteLength(log.data) };
}

function traceRows(block: RawBlock, time: string, pieces: DataPieceRow[]) {
  const { traces } = block;
  if (traces.kind === 'gap') {
    const { reason, message } = traces;
    return { traces: [], trace_gap: { block_number: block.number, reason, last_error: cleanText(message) } };
  }
  const rows = traces.calls.flatMap((top, tx_index) =>
    flattenCalls(block, { tx_index, block_time: time }, top, pieces),
  );
  return { traces: rows, trace_gap: null };
}

/**
 * What a transaction of the OP stack paid the operator of its chain, in wei: the receipt has the terms, and since the Jovian fork
 * the scalar of the data footprint too. Null where the chain has no such fee.
 */
function operatorFee({ extra, gasUsed }: RawReceipt): bigint | null {
  const [scalar, constant] = [quantity(extra.operatorFeeScalar), quantity(extra.operatorFeeConstant)];
  if (scalar === null || constant === null) return null;
  const isJovian = extra.daFootprintGasScalar !== undefined;
  const byGas = isJovian ? gasUsed * scalar * JOVIAN_FACTOR : (gasUsed * scalar) / MILLIONTHS;
  return byGas + constant;
}

function quantity(value: JsonValue | undefined): bigint | null {
  return typeof value === 'string' && QUANTITY.test(value) ? BigInt(value) : null;
}
