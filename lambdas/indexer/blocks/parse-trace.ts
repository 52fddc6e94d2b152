import type { RawCall } from '../../chain-data/decode/raw-block.ts';
import {
  optional,
  readAddress,
  readArray,
  readData,
  readObject,
  readQuantity,
  ShapeError,
} from './json-shape.ts';

/** Calls inside of calls; the EVM allows 1,024, and nodes add a few of their own. */
export const MAX_CALL_DEPTH = 1_200;
/** The kind of a call, such as `CALL`. */
export const CALL_TYPE = /^[A-Z0-9]{1,16}$/;

/**
 * Reads a frame of `callTracer` with all that it called.
 * @throws {ShapeError} where a member is missing or of another shape
 */
export function parseCall(value: unknown, depth = 0): RawCall {
  if (depth > MAX_CALL_DEPTH) throw new ShapeError('call depth');
  const call = readObject(value, 'call');
  const type = readText(call.type, 'call.type');
  if (!CALL_TYPE.test(type)) throw new ShapeError('call.type');
  return {
    type,
    from: readAddress(call.from, 'call.from'),
    to: optional(call, 'to', readAddress),
    value: optional(call, 'value', readQuantity) ?? 0n,
    gas: optional(call, 'gas', readQuantity) ?? 0n,
    gasUsed: optional(call, 'gasUsed', readQuantity) ?? 0n,
    input: optional(call, 'input', readData) ?? '0x',
    output: optional(call, 'output', readData) ?? '0x',
    error: optional(call, 'error', readText),
    revertReason: optional(call, 'revertReason', readText),
    calls: (optional(call, 'calls', readArray) ?? []).map((child) => parseCall(child, depth + 1)),
  };
}

function readText(value: unknown, member: string): string {
  if (typeof value !== 'string') throw new ShapeError(member);
  return value;
}
