import type { RawCall } from '../../chain-data/decode/raw-block.ts';
import { ColumnError, type FileRow } from './layout.ts';

/** A call without its place in the block. */
type FlatCall = Omit<FileRow<'traces'>, 'block_number' | 'transaction_index'>;

const SEPARATOR = '_';

/** The calls of a transaction, each before those that it made. */
export function flatCalls(top: RawCall): readonly FlatCall[] {
  const flat: FlatCall[] = [];
  const open: { readonly call: RawCall; readonly address: string }[] = [{ call: top, address: '' }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { call, address } = next;
    flat.push({
      trace_address: address,
      subtraces: call.calls.length,
      type: call.type,
      from_address: call.from,
      to_address: call.to,
      value: call.value,
      gas: call.gas,
      gas_used: call.gasUsed,
      input: call.input,
      output: call.output,
      error: call.error,
      revert_reason: call.revertReason,
    });
    for (let index = call.calls.length - 1; index >= 0; index -= 1)
      open.push({ call: call.calls[index] as RawCall, address: childAddress(address, index) });
  }
  return flat;
}

function childAddress(parent: string, index: number): string {
  return parent === '' ? String(index) : `${parent}${SEPARATOR}${index}`;
}

/** A call whose own calls are being read. */
interface OpenCall {
  readonly address: string;
  readonly subtraces: number;
  readonly calls: RawCall[];
}

/**
 * The call of a transaction with all that it called.
 * @param flat as {@link flatCalls} gives them
 * @throws {ColumnError} if a call is missing, or stands where none belongs
 */
export function callTree(flat: readonly FlatCall[]): RawCall {
  const path: OpenCall[] = [];
  let top: RawCall | undefined;
  for (const row of flat) {
    while (path.at(-1)?.calls.length === path.at(-1)?.subtraces && path.length > 0) path.pop();
    const parent = path.at(-1);
    const expected = parent === undefined ? '' : childAddress(parent.address, parent.calls.length);
    if (row.trace_address !== expected || (parent === undefined && top !== undefined))
      throw new ColumnError('traces.trace_address is not the place of the next call');
    const calls: RawCall[] = [];
    const call = callOf(row, calls);
    top ??= call;
    parent?.calls.push(call);
    path.push({ address: row.trace_address, subtraces: row.subtraces, calls });
  }
  if (top === undefined || path.some(({ calls, subtraces }) => calls.length !== subtraces))
    throw new ColumnError('traces lacks calls that a call made');
  return top;
}

function callOf(row: FlatCall, calls: readonly RawCall[]): RawCall {
  return {
    type: row.type,
    from: row.from_address,
    to: row.to_address,
    value: row.value,
    gas: row.gas,
    gasUsed: row.gas_used,
    input: row.input,
    output: row.output,
    error: row.error,
    revertReason: row.revert_reason,
    calls,
  };
}
