import type { RawBlock } from '../../chain-data/decode/raw-block.ts';
import { type BlockFileRows, blockOf } from './block-rows.ts';
import { ColumnError, FILE_TABLES, type FileRow, integerOf, readForeign, readRow } from './layout.ts';
import type { RowForm } from './table-cursor.ts';

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

/** A call as cryo has it; one without a row belongs to no transaction, such as a reward, or lacks members. */
interface CryoTrace {
  readonly block_number: number;
  readonly row?: FileRow<'traces'>;
  readonly isLeftOut?: true;
}

const BLOCK_NAMES = {
  ...{ block_number: 'block_number', hash: 'block_hash', parent_hash: 'parent_hash', timestamp: 'timestamp' },
  ...{ miner: 'author', gas_used: 'gas_used', base_fee_per_gas: 'base_fee_per_gas' },
  ...{ state_root: 'state_root', transactions_root: 'transactions_root', receipts_root: 'receipts_root' },
  ...{ logs_bloom: 'logs_bloom', extra_data: 'extra_data', size: 'size' },
} as const;

const CRYO_BLOCKS: RowForm<FileRow<'blocks'>> = {
  columns: Object.values(BLOCK_NAMES),
  optional: ['gas_limit'],
  read: (row) => ({
    ...readForeign('blocks', { ...BLOCK_NAMES, gas_limit: 'gas_limit' }, row),
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

const CRYO_TRANSACTIONS: RowForm<FileRow<'transactions'>> = {
  columns: Object.values(TRANSACTION_NAMES),
  optional: ['success'],
  read: (row) => ({
    // As to nodes from before EIP-2718, no type is the first.
    ...readForeign('transactions', TRANSACTION_NAMES, {
      ...row,
      transaction_type: row.transaction_type ?? 0,
    }),
    status: statusOf(row.success),
    // Added up when the block is whole.
    cumulative_gas_used: 0n,
    ...{
      signature: null,
      request_id: null,
      contract_address: null,
      gas_used_for_l1: null,
      effective_gas_price: null,
    },
    ...{ l1_block_number: null, l1_fee: null, blob_gas_used: null, blob_gas_price: null },
    ...{ ...NO_EXTRA, receipt_extra: {}, receipt_extra_omitted: [] },
  }),
};

const CRYO_LOGS: RowForm<FileRow<'logs'>> = {
  columns: Object.keys(FILE_TABLES.logs),
  read: (row) => readRow('logs', row),
};

const TRACE_NAMES = {
  ...{ block_number: 'block_number', transaction_index: 'transaction_index', subtraces: 'subtraces' },
  ...{ from_address: 'action_from', to_address: 'action_to', value: 'action_value', gas: 'action_gas' },
  ...{ gas_used: 'result_gas_used', input: 'action_input', output: 'result_output' },
} as const;
/** What cryo leaves null of a call that failed. */
const OF_WHOLE_CALLS = [TRACE_NAMES.gas, TRACE_NAMES.gas_used, TRACE_NAMES.input, TRACE_NAMES.output];
/** The end of a contract spends no gas of its own, takes no bytes and returns none. */
const OF_SELF_DESTRUCTS = Object.fromEntries(
  OF_WHOLE_CALLS.map((name, index) => [name, index < 2 ? 0n : new Uint8Array()]),
);

const CRYO_TRACES: RowForm<CryoTrace> = {
  columns: [...Object.values(TRACE_NAMES), 'trace_address', 'action_type', 'action_call_type'],
  read: (row) => {
    const block_number = integerOf('traces.block_number', row.block_number);
    if ((row.transaction_index ?? null) === null) return { block_number };
    const isSelfDestruct = row.action_type === 'suicide';
    const type = isSelfDestruct ? 'SELFDESTRUCT' : CALL_TYPES[String(row.action_call_type)];
    const told = isSelfDestruct ? { ...row, ...OF_SELF_DESTRUCTS } : row;
    const isWhole = OF_WHOLE_CALLS.every((name) => (told[name] ?? null) !== null);
    if (type === undefined || !isWhole) return { block_number, isLeftOut: true };
    const trace_address = String(row.trace_address ?? '');
    if (!TRACE_ADDRESS.test(trace_address))
      throw new ColumnError('traces.trace_address is no place of a call');
    const read = readForeign('traces', TRACE_NAMES, told);
    return { block_number, row: { ...read, trace_address, type, error: null, revert_reason: null } };
  },
};

/** How rows of cryo are read. */
export const CRYO_FORMS = {
  blocks: CRYO_BLOCKS,
  transactions: CRYO_TRANSACTIONS,
  logs: CRYO_LOGS,
  traces: CRYO_TRACES,
};

/** The rows of a block; none of traces where there is no file of them. */
export interface CryoRows extends Pick<BlockFileRows, 'transactions' | 'logs'> {
  readonly traces?: readonly CryoTrace[];
}

/**
 * The block that rows of cryo are of. Gas is added up, and must be that of the header; what cryo has not is null, and the block
 * has no traces where calls are left out.
 * @throws {ColumnError}
 */
export function cryoBlock(row: FileRow<'blocks'>, { transactions: told, logs, traces }: CryoRows): RawBlock {
  let gasUsed = 0n;
  const transactions = told.map((transaction) => {
    gasUsed += transaction.gas_used;
    return { ...transaction, cumulative_gas_used: gasUsed };
  });
  if (gasUsed !== row.gas_used)
    throw new ColumnError(`transactions used ${gasUsed} gas, and the block counts ${row.gas_used}`);
  const build = (calls?: readonly FileRow<'traces'>[]): RawBlock => ({
    ...blockOf(
      {
        ...row,
        transaction_count: transactions.length,
        log_count: logs.length,
        trace_count: calls?.length ?? 0,
        ...(calls === undefined && { untraced_reason: 'not_started', untraced_message: LEFT_OUT }),
      },
      { transactions, logs, withdrawals: [], traces: calls ?? [] },
    ),
    isPartial: true,
  });
  if (traces === undefined || traces.some(({ isLeftOut }) => isLeftOut)) return build();
  try {
    return build(traces.flatMap((one) => one.row ?? []).sort(inOrder));
  } catch (error) {
    if (error instanceof ColumnError && error.message.startsWith('traces')) return build();
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

/** What cryo tells of a block that a node returned. */
export function asCryoTells(told: RawBlock, { gasLimit, size, transactions }: RawBlock): RawBlock {
  return {
    ...told,
    gasLimit: gasLimit === null ? null : told.gasLimit,
    size: size === null ? null : told.size,
    ...{ l1BlockNumber: null, sendCount: null, sendRoot: null, extra: {}, withdrawals: [], isPartial: true },
    transactions: told.transactions.map((transaction, index) => ({
      ...transaction,
      ...{ requestId: null, extra: {} },
      receipt: {
        ...transaction.receipt,
        status: transactions[index]?.receipt.status === null ? null : transaction.receipt.status,
        ...{ contractAddress: null, gasUsedForL1: null, effectiveGasPrice: null, l1BlockNumber: null },
        ...{ l1Fee: null, blobGasUsed: null, blobGasPrice: null, extra: {} },
      },
    })),
  };
}

function statusOf(success: unknown): number | null {
  if (success === null || success === undefined) return null;
  if (typeof success === 'boolean') return success ? 1 : 0;
  throw new ColumnError('transactions.success is neither true nor false');
}
