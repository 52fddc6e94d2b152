import type { RawCall } from '../../chain-data/decode/raw-block.ts';
import {
  optional,
  readAddress,
  readArray,
  readData,
  readObject,
  readQuantity,
  ShapeError,
  shapeOf,
} from './json-shape.ts';

/** Calls inside of calls; the EVM allows 1,024, and nodes add a few of their own. */
export const MAX_CALL_DEPTH = 1_200;
const TYPE = /^[A-Z0-9]{1,16}$/;

const CALL = {
  type: readType,
  from: readAddress,
  to: optional(readAddress),
  value: optional(readQuantity, 0n),
  gas: optional(readQuantity, 0n),
  gasUsed: optional(readQuantity, 0n),
  input: optional(readData, '0x'),
  output: optional(readData, '0x'),
  error: optional(readText),
  revertReason: optional(readText),
  calls: optional(readArray, []),
};
const readCall = shapeOf('call', CALL);

/**
 * Reads a frame of `callTracer` with all that it called.
 * @throws {ShapeError} where a member is missing or of another shape
 */
export function parseCall(value: unknown, depth = 0): RawCall {
  if (depth > MAX_CALL_DEPTH) throw new ShapeError('call depth');
  const call = readCall(readObject(value, 'call'));
  return { ...call, calls: call.calls.map((child) => parseCall(child, depth + 1)) };
}

/** The kind of a call, such as `CALL`. */
export function readType(value: unknown): string {
  if (typeof value !== 'string' || !TYPE.test(value)) throw new ShapeError('call.type');
  return value;
}

function readText(value: unknown, member: string): string {
  if (typeof value !== 'string') throw new ShapeError(member);
  return value;
}
