import type { Call } from '../../shared/jsonrpc/calls.ts';
import { decodeString, foldName } from '../../shared/jsonrpc/json-strings.ts';
import { quantityJson } from '../../shared/jsonrpc/quantity.ts';
import {
  eachMember,
  isObject,
  isString,
  jsonText,
  MAX_JSON_DEPTH,
  type Members,
  scanMembers,
  skipSpace,
} from '../../shared/jsonrpc/scan-json.ts';
import { methodFacts } from '../../shared/methods/method-facts.ts';

/** Members that say how much gas the call may use, as parsers that ignore case compare them. */
const GAS_MEMBERS: ReadonlySet<string> = new Set(['gas', 'gaslimit']);
const HEX_NUMBER = /^0x[\da-f]{1,1000}$/i;
const DECIMAL_NUMBER = /^\d{1,1000}$/;

/**
 * The call with its gas capped at the chain's maximum, as nodes do it: it runs with the maximum, and fails with out of
 * gas if that is too little. Other params stay unchanged.
 * `maxGas`: absent, there is no cap.
 */
export function capGas(call: Call, maxGas: number | undefined): Call {
  const { method, params } = call;
  if (maxGas === undefined || params === undefined || methodFacts(method).gasCap !== true) return call;
  const text = jsonText(params);
  const at = skipSpace(text.bytes, skipSpace(text.bytes, 0) + 1);
  if (!isObject(text.bytes, at)) return call;
  const scanned: Members = { count: 0, offsets: [] };
  scanMembers(text, at, MAX_JSON_DEPTH, scanned);
  const cap = Buffer.from(quantityJson(BigInt(maxGas)));
  const pieces: Uint8Array[] = [];
  let end = 0;
  for (const [nameStart, nameEnd, start, valueEnd] of eachMember(scanned)) {
    if (!GAS_MEMBERS.has(foldName(decodeString(text.bytes, nameStart, nameEnd)))) continue;
    if (!exceeds(text.bytes, start, valueEnd, BigInt(maxGas))) continue;
    pieces.push(params.subarray(end, start), cap);
    end = valueEnd;
  }
  if (end === 0) return call;
  return { ...call, params: new Uint8Array(Buffer.concat([...pieces, params.subarray(end)])) };
}

/** Whether JSON is a number above a bound, or a string that the most lenient of nodes takes for one. */
function exceeds(bytes: Buffer, start: number, end: number, bound: bigint): boolean {
  const isText = isString(bytes, start);
  const word = isText ? decodeString(bytes, start, end).trim() : bytes.toString('latin1', start, end);
  if (DECIMAL_NUMBER.test(word) || (isText && HEX_NUMBER.test(word))) return BigInt(word) > bound;
  return !isText && Number(word) > Number(bound);
}
