import type { Hex, RawBlock, RawTransaction } from '../../chain-data/decode/raw-block.ts';
import type { ParquetRow } from '../../shared/parquet/parquet-groups.ts';
import { type BlockFileRows, blockOf } from './block-rows.ts';
import { ColumnError, FILE_TABLES, type FileRow, hexOf, integerOf, readForeign, readRow } from './layout.ts';
import type { RowForm } from './table-cursor.ts';

/** Bytes of an address. */
const ADDRESS = 20;
/** What the traces of a block that are not whole are said to be. */
const LEFT_OUT = 'cryo leaves out calls that failed, and does not tell CREATE from CREATE2';
const CALL_TYPES: Readonly<Record<string, string>> = {
  call: 'CALL',
  call_code: 'CALLCODE',
  delegate_call: 'DELEGATECALL',
  static_call: 'STATICCALL',
};
const NO_COUNTS = { transaction_count: 0, log_count: 0, trace_count: 0, withdrawal_count: 0 };
const NO_EXTRA = { extra: {}, extra_omitted: [] };
const TRACE_ADDRESS = /^(?:\d{1,6}(?:_\d{1,6})*)?$/;

/** A call as cryo has it; undefined of what belongs to no transaction, such as a reward. */
type CryoTrace = { readonly block_number: number; readonly row: FileRow<'traces'> | undefined };

const BLOCK_NAMES = {
  ...{ block_number: 'block_number', hash: 'block_hash', parent_hash: 'parent_hash', timestamp: 'timestamp' },
  ...{ miner: 'author', gas_used: 'gas_used', base_fee_per_gas: 'base_fee_per_gas' },
  ...{ state_root: 'state_root', transactions_root: 'transactions_root', receipts_root: 'receipts_root' },
  ...{ logs_bloom: 'logs_bloom', extra_data: 'extra_data', size: 'size' },
} as const;

export const CRYO_BLOCKS: RowForm<FileRow<'blocks'>> = {
  columns: Object.values(BLOCK_NAMES),
  optional: ['gas_limit'],
  read: (row) => ({
    ...readForeign(
      'blocks',
      { ...BLOCK_NAMES, gas_limit: 'gas_limit' },
      { ...row, size: row.size ?? 0 },
      numberOf,
    ),
    ...{ l1_block_number: null, send_count: null, send_root: null },
    ...{ ...NO_EXTRA, ...NO_COUNTS, untraced_reason: null, untraced_message: null },
  }),
};

const TRANSACTION_NAMES = {
  ...{ block_number: 'block_number', transaction_index: 'transaction_index', hash: 'transaction_hash' },
  ...{ nonce: 'nonce', from_address: 'from_address', to_address: 'to_address', value: 'value_string' },
  ...{ input: 'input', gas: 'gas_limit', gas_used: 'gas_used', gas_price: 'gas_price' },
  type: 'transaction_type',
  max_priority_fee_per_gas: 'max_priority_fee_per_gas',
  max_fee_per_gas: 'max_fee_per_gas',
} as const;

export const CRYO_TRANSACTIONS: RowForm<FileRow<'transactions'>> = {
  columns: Object.values(TRANSACTION_NAMES),
  optional: ['success'],
  read: (row) => ({
    ...readForeign(
      'transactions',
      TRANSACTION_NAMES,
      { ...row, transaction_type: row.transaction_type ?? 0 },
      numberOf,
    ),
    status: statusOf(row.success),
    // Added up when the block is whole.
    cumulative_gas_used: 0n,
    ...{ request_id: null, contract_address: null, gas_used_for_l1: null, effective_gas_price: null },
    ...{ l1_block_number: null, l1_fee: null, blob_gas_used: null, blob_gas_price: null },
    ...{ ...NO_EXTRA, receipt_extra: {}, receipt_extra_omitted: [] },
  }),
};

export const CRYO_LOGS: RowForm<FileRow<'logs'>> = {
  columns: Object.keys(FILE_TABLES.logs),
  read: (row) => readRow('logs', row),
};

export const CRYO_TRACES: RowForm<CryoTrace> = {
  columns: [
    ...['block_number', 'transaction_index', 'trace_address', 'subtraces', 'action_type', 'action_call_type'],
    ...['action_from', 'action_to', 'action_value', 'action_gas', 'action_input', 'result_gas_used'],
    'result_output',
  ],
  read: (row) => {
    const block_number = integerOf('traces.block_number', row.block_number);
    if (row.transaction_index === null || row.transaction_index === undefined)
      return { block_number, row: undefined };
    return { block_number, row: callRow(row, block_number) };
  },
};

function callRow(row: ParquetRow, block_number: number): FileRow<'traces'> {
  const isSelfDestruct = row.action_type === 'suicide';
  const address = String(row.trace_address ?? '');
  if (!TRACE_ADDRESS.test(address)) throw new ColumnError('traces.trace_address is no place of a call');
  return {
    block_number,
    transaction_index: integerOf('traces.transaction_index', row.transaction_index),
    trace_address: address,
    subtraces: integerOf('traces.subtraces', row.subtraces),
    // A creation, which has no type here, makes its block one without traces.
    type: isSelfDestruct ? 'SELFDESTRUCT' : (CALL_TYPES[String(row.action_call_type)] ?? ''),
    from_address: hexOf('traces.action_from', row.action_from, ADDRESS),
    to_address: hexOrNull('traces.action_to', row.action_to, ADDRESS),
    value: numberOf('traces.action_value', row.action_value),
    gas: numberOrNull('traces.action_gas', row.action_gas) ?? 0n,
    gas_used: numberOrNull('traces.result_gas_used', row.result_gas_used) ?? 0n,
    input: hexOrNull('traces.action_input', row.action_input) ?? '0x',
    output: hexOrNull('traces.result_output', row.result_output) ?? '0x',
    error: null,
    revert_reason: null,
  };
}

/**
 * The block that rows of cryo are of. Gas is added up, and must be that of the header; what cryo has not is null, and the block
 * has no traces where calls are left out.
 * @param traces undefined: there is no file of them
 * @throws {ColumnError}
 */
export function cryoBlock(
  row: FileRow<'blocks'>,
  rows: Pick<BlockFileRows, 'transactions' | 'logs'>,
  traces: readonly CryoTrace[] | undefined,
): RawBlock {
  let gasUsed = 0n;
  const transactions = rows.transactions.map((transaction) => {
    gasUsed += transaction.gas_used;
    return { ...transaction, cumulative_gas_used: gasUsed };
  });
  if (gasUsed !== row.gas_used)
    throw new ColumnError(`transactions used ${gasUsed} gas, and the block counts ${row.gas_used}`);
  const counts = {
    transaction_count: transactions.length,
    log_count: rows.logs.length,
    withdrawal_count: 0,
  };
  const calls = (traces ?? []).flatMap((one) => one.row ?? []).sort(inOrder);
  const whole = { ...rows, transactions, withdrawals: [] };
  const untraced = { ...counts, trace_count: 0, untraced_reason: 'not_started', untraced_message: LEFT_OUT };
  const gap = () => blockOf({ ...row, ...untraced }, { ...whole, traces: [] });
  if (traces === undefined || calls.some(({ type }) => type === '')) return { ...gap(), isPartial: true };
  try {
    return {
      ...blockOf({ ...row, ...counts, trace_count: calls.length }, { ...whole, traces: calls }),
      isPartial: true,
    };
  } catch (error) {
    if (error instanceof ColumnError && error.message.startsWith('traces'))
      return { ...gap(), isPartial: true };
    throw error;
  }
}

/** Depth first: cryo sorts by transaction only. */
function inOrder(one: FileRow<'traces'>, other: FileRow<'traces'>): number {
  if (one.transaction_index !== other.transaction_index)
    return one.transaction_index - other.transaction_index;
  const [first, second] = [placesOf(one), placesOf(other)];
  const at = first.findIndex((place, index) => place !== second[index]);
  if (at < 0) return first.length - second.length;
  return (first[at] ?? 0) - (second[at] ?? -1);
}

function placesOf({ trace_address }: FileRow<'traces'>): readonly number[] {
  return trace_address === '' ? [] : trace_address.split('_').map(Number);
}

/** What cryo tells of a block that a node has told. */
export function asCryoTells(told: RawBlock, { gasLimit, transactions }: RawBlock): RawBlock {
  return {
    ...told,
    gasLimit: gasLimit === null ? null : told.gasLimit,
    ...{ l1BlockNumber: null, sendCount: null, sendRoot: null, extra: {}, withdrawals: [], isPartial: true },
    transactions: told.transactions.map((transaction, index) => lessened(transaction, transactions[index])),
  };
}

function lessened(told: RawTransaction, known: RawTransaction | undefined): RawTransaction {
  const { receipt } = told;
  return {
    ...told,
    ...{ requestId: null, extra: {} },
    receipt: {
      ...receipt,
      status: known?.receipt.status === null ? null : receipt.status,
      ...{ contractAddress: null, gasUsedForL1: null, effectiveGasPrice: null, l1BlockNumber: null },
      ...{ l1Fee: null, blobGasUsed: null, blobGasPrice: null, extra: {} },
    },
  };
}

function statusOf(success: unknown): number | null {
  if (success === null || success === undefined) return null;
  if (typeof success === 'boolean') return success ? 1 : 0;
  throw new ColumnError('transactions.success is neither true nor false');
}

function hexOrNull(column: string, value: unknown, length?: number): Hex | null {
  return value === null || value === undefined ? null : hexOf(column, value, length);
}

function numberOrNull(column: string, value: unknown): bigint | null {
  return value === null || value === undefined ? null : numberOf(column, value);
}

/** A whole number, of any of the types that cryo has for one. */
function numberOf(column: string, value: unknown): bigint {
  const isNumber =
    (typeof value === 'string' && /^\d{1,78}$/.test(value)) ||
    typeof value === 'bigint' ||
    typeof value === 'number';
  if (isNumber) {
    const number = BigInt(value);
    if (number >= 0n && number < 2n ** 256n) return number;
  }
  throw new ColumnError(`${column} is not a whole number of at most 256 bits`);
}
