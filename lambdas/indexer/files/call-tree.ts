import { callsInOrder, childAddress } from '../../chain-data/decode/decode-traces.ts';
import type { RawCall } from '../../chain-data/decode/raw-block.ts';
import { MAX_CALL_DEPTH } from '../blocks/parse-trace.ts';
import { ColumnError, type FileRow } from './layout.ts';

/** A call without its place in the block. */
type FlatCall = Omit<FileRow<'traces'>, 'block_number' | 'transaction_index'>;

const SEPARATOR = '_';
const WRONG_PLACE = 'traces.trace_address is not the place of the next call';

/** The calls of a transaction, each before those that it made. */
export function flatCalls(top: RawCall): readonly FlatCall[] {
  return callsInOrder(top, SEPARATOR).map(({ call, address }) => ({
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
  }));
}

/**
 * The call whose rows these are, with those that it made.
 * @throws {ColumnError} if a row is not that of the next call, or one is lacking
 */
export function callTree(flat: readonly FlatCall[]): RawCall {
  let used = 0;
  const take = (address: string, depth: number): RawCall => {
    const row = flat[used++];
    if (row === undefined) throw new ColumnError('traces lacks calls that a call made');
    if (depth > MAX_CALL_DEPTH) throw new ColumnError('traces has a call of too many calls within calls');
    if (row.trace_address !== address) throw new ColumnError(WRONG_PLACE);
    const calls: RawCall[] = [];
    while (calls.length < row.subtraces)
      calls.push(take(childAddress(address, calls.length, SEPARATOR), depth + 1));
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
  };
  const top = take('', 0);
  if (used < flat.length) throw new ColumnError(WRONG_PLACE);
  return top;
}
