import { bytesEqual, decodeString } from '../../shared/jsonrpc/json-strings.ts';

/** Names that are remembered; a power of two. */
const SLOTS = 64;
/** Longest name that is remembered, in bytes with its quotes. */
const MAX_REMEMBERED_BYTES = 64;

interface MethodName {
  readonly raw: Buffer;
  readonly name: string;
}

const NONE: MethodName = { raw: Buffer.alloc(0), name: '' };
/** Names by their length and last letters, the latest of each. */
const remembered: MethodName[] = new Array<MethodName>(SLOTS).fill(NONE);

/**
 * Value of the valid JSON string, quotes included, between two offsets that names a method. Requests name the same
 * few over and over, and making a string of bytes costs as much as the rest of a call.
 */
export function decodeMethod(bytes: Buffer, start: number, end: number): string {
  const length = end - start;
  if (length > MAX_REMEMBERED_BYTES) return decodeString(bytes, start, end);
  const slot = (length + 31 * (bytes[end - 2] as number) + 7 * (bytes[end - 4] as number)) & (SLOTS - 1);
  const known = remembered[slot] as MethodName;
  if (bytesEqual(bytes, start, end, known.raw)) return known.name;
  const name = decodeString(bytes, start, end);
  remembered[slot] = { raw: Buffer.from(bytes.subarray(start, end)), name };
  return name;
}
