import { byteLength } from '../../shared/chain-database/hex.ts';
import type { Hex, RawBlock, RawCall, RawTransaction } from './raw-block.ts';
import type { DataPieceRow, TraceRow } from './rows.ts';
import { cutText, sanitizeText } from './sanitize-text.ts';
import { splitData } from './split-data.ts';

/** Code points of an error or a revert reason that are kept. */
const MAX_ERROR_LENGTH = 255;
/** Characters of a method's selector in hex. */
const METHOD_ID_LENGTH = 10;
/** Moves of the native token that Arbitrum nodes make outside of the EVM come with this type. */
const SYSTEM_CALL = 'INVALID';
const CREATIONS: ReadonlySet<string> = new Set(['CREATE', 'CREATE2']);
/** Calls that move no value of their own, whatever the frame repeats of its parent. */
const VALUELESS: ReadonlySet<string> = new Set(['DELEGATECALL', 'STATICCALL']);

/** A call and its place among those of its transaction. */
interface PlacedCall {
  readonly call: RawCall;
  /** Its index among the calls of each parent, from the transaction's own call on, which has none. */
  readonly address: string;
  /** Place of the call that made it; -1 of the transaction's own. */
  readonly parent: number;
}

/** The calls of a transaction, each before those that it made; `separator` stands between the indexes of an address. */
export function callsInOrder(top: RawCall, separator: string): readonly PlacedCall[] {
  const placed: PlacedCall[] = [];
  const open: PlacedCall[] = [{ call: top, address: '', parent: -1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const parent = placed.push(next) - 1;
    const { calls } = next.call;
    for (let index = calls.length - 1; index >= 0; index -= 1)
      open.push({
        call: calls[index] as RawCall,
        address: childAddress(next.address, index, separator),
        parent,
      });
  }
  return placed;
}

/** The address of a call by that of its parent and its index among the parent's calls. */
export function childAddress(parent: string, index: number, separator: string): string {
  return parent === '' ? String(index) : `${parent}${separator}${index}`;
}

/**
 * The calls of a transaction as rows, depth first; long data goes to `pieces`. What a failed call called is reverted
 * with it and so has its error, unless it has its own.
 */
export function flattenCalls(
  { number: block_number, transactions }: RawBlock,
  { tx_index, block_time }: Pick<TraceRow, 'tx_index' | 'block_time'>,
  top: RawCall,
  pieces: DataPieceRow[],
): TraceRow[] {
  const { hash: tx_hash, gas, receipt } = transactions[tx_index] as RawTransaction;
  const rows: TraceRow[] = [];
  // Nodes count the gas of a transaction's own call in ways of their own; the receipt is what counts.
  for (const { call, address, parent } of callsInOrder({ ...top, gas, gasUsed: receipt.gasUsed }, ',')) {
    const trace_index = rows.length;
    const parentError = rows[parent]?.error ?? null;
    const item = { block_number, item_index: tx_index, part_index: trace_index };
    rows.push({
      block_number,
      tx_index,
      trace_index,
      tx_hash,
      block_time,
      trace_address: address,
      type: call.type === SYSTEM_CALL ? 'CALL' : call.type,
      from_address: call.from,
      to_address: call.to,
      value: VALUELESS.has(call.type) ? 0n : call.value,
      gas: call.gas,
      gas_used: call.gasUsed,
      method_id: CREATIONS.has(call.type) ? null : methodIdOf(call.input),
      input: splitData(call.input, { ...item, kind: 'trace_input' }, pieces),
      input_size: byteLength(call.input),
      output: splitData(call.output, { ...item, kind: 'trace_output' }, pieces),
      output_size: byteLength(call.output),
      error: cleanOrNull(call.error) ?? parentError,
      revert_reason: cleanOrNull(call.revertReason),
      subcalls: call.calls.length,
      reverted_by_parent: parentError !== null,
    });
  }
  return rows;
}

/** The first four bytes of an input; null if it is shorter. */
export function methodIdOf(input: Hex): Hex | null {
  return input.length < METHOD_ID_LENGTH ? null : `0x${input.slice(2, METHOD_ID_LENGTH)}`;
}

/** A node's words, as PostgreSQL can hold them. */
export function cleanText(text: string): string {
  return cutText(sanitizeText(Buffer.from(text)), MAX_ERROR_LENGTH);
}

function cleanOrNull(text: string | null): string | null {
  return text === null ? null : cleanText(text);
}
