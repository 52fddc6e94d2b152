import { methodFacts, placeOfBlock } from '../methods/method-facts.ts';
import type { Call } from './calls.ts';
import { decodeString, foldName, hashOfJson, quantityOfJson } from './json-values.ts';
import { type LogsRange, readLogsRange } from './logs-range.ts';
import {
  elementSpans,
  isObject,
  isString,
  type JsonText,
  jsonText,
  MAX_JSON_DEPTH,
  membersAt,
  scanElements,
  skipSpace,
  skipValue,
} from './scan-json.ts';

/** What a node must know of the chain to answer a call rightly. */
export type RequiredBlock =
  /** Nothing: a constant, or a matter of the node itself. */
  | { readonly kind: 'none' }
  /** A block or a transaction by its hash. */
  | { readonly kind: 'hash' }
  /** A block by its number. */
  | { readonly kind: 'block'; readonly number: bigint }
  /** Every block up to a number; a node that lacks some of them does not say so. */
  | { readonly kind: 'logs'; readonly to: bigint }
  /** The newest block. */
  | { readonly kind: 'head' };

const NONE: RequiredBlock = { kind: 'none' };
const HASH: RequiredBlock = { kind: 'hash' };
const HEAD: RequiredBlock = { kind: 'head' };

/** Longest JSON of a parameter that names a block, in bytes. */
const MAX_BLOCK_JSON_BYTES = 256;
const JSON_INTEGER = /^\d{1,15}$/;

/** What was read last: guards, routing and the response ask for the same call, mostly one after the other. */
let latest: Pick<Call, 'method' | 'params'> & { readonly need: RequiredBlock } = {
  method: '',
  params: undefined,
  need: HEAD,
};

/** The block that a valid call needs. If that is unknown, the newest block counts as needed. */
export function requiredBlock({ method, params }: Pick<Call, 'method' | 'params'>): RequiredBlock {
  if (params === undefined || params !== latest.params || method !== latest.method)
    latest = { method, params, need: readRequired(method, params) };
  return latest.need;
}

function readRequired(method: string, params: Uint8Array | undefined): RequiredBlock {
  const { needs } = methodFacts(method);
  switch (needs) {
    case 'nothing':
      return NONE;
    case 'hash':
      return HASH;
    case 'logs':
      return needOfLogs(readLogsRange(params));
    case 'head':
      return HEAD;
    default:
      return readBlock(elementAt(params, placeOfBlock(needs)));
  }
}

function needOfLogs(range: LogsRange): RequiredBlock {
  if (range.kind === 'by_hash') return HASH;
  if (range.kind !== 'range' || !('number' in range.from) || !('number' in range.to)) return HEAD;
  return { kind: 'logs', to: range.to.number };
}

/** JSON of the element at a place of a list; undefined if absent, or if it is too long to name a block. */
export function elementAt(list: Uint8Array | undefined, place: number): string | undefined {
  if (list === undefined) return undefined;
  const text = jsonText(list);
  let found: string | undefined;
  let next = 0;
  scanElements(text, skipSpace(text.bytes, 0), (at) => {
    const end = skipValue(text, at, MAX_JSON_DEPTH);
    const start = skipSpace(text.bytes, at);
    if (next++ === place && end - start <= MAX_BLOCK_JSON_BYTES) {
      found = text.bytes.toString('latin1', start, end);
    }
    return end;
  });
  return found;
}

function readBlock(json: string | undefined): RequiredBlock {
  if (json === '"earliest"') return { kind: 'block', number: 0n };
  const number = quantityOfJson(json) ?? readInteger(json);
  if (number !== undefined) return { kind: 'block', number };
  if (hashOfJson(json) !== undefined) return HASH;
  return json?.startsWith('{') ? readBlockObject(json) : HEAD;
}

/** A block by EIP-1898: `{"blockNumber": ...}` or `{"blockHash": ...}`. */
function readBlockObject(json: string): RequiredBlock {
  const { blockNumber, blockHash } = JSON.parse(json) as Record<string, unknown>;
  if (blockHash !== undefined) return HASH;
  return typeof blockNumber === 'object' ? HEAD : readBlock(JSON.stringify(blockNumber));
}

function readInteger(json: string | undefined): bigint | undefined {
  return json !== undefined && JSON_INTEGER.test(json) ? BigInt(json) : undefined;
}

/** Methods whose results are traces. */
export const TRACE_METHOD = /^debug_trace/;
const TRACER_MEMBER = 'tracer';
/** Name of a tracer that a node has. `muxTracer` runs others, whose names can be code. */
const TRACER_NAME = /^(?!muxTracer$)\w{1,64}$/;

/**
 * Whether a valid call is a trace by code that the client brings. What such a trace ends with, a result or the
 * message of an error, is in the client's own words: nothing follows from them.
 */
export function hasCustomTracer({ method, params }: Pick<Call, 'method' | 'params'>): boolean {
  if (params === undefined || !TRACE_METHOD.test(method)) return false;
  const text = jsonText(params);
  return elementSpans(text).some(([start]) => isObject(text.bytes, start) && hasOwnTracer(text, start));
}

/** Some nodes ignore the case of names, and take the last of equal ones: every one of them counts. */
function hasOwnTracer(text: JsonText, at: number): boolean {
  const { bytes } = text;
  for (const [nameStart, nameEnd, start, end] of membersAt(text, at, MAX_JSON_DEPTH)) {
    if (foldName(decodeString(bytes, nameStart, nameEnd)) !== TRACER_MEMBER) continue;
    const named = isString(bytes, start) && TRACER_NAME.test(decodeString(bytes, start, end));
    if (!named && bytes.toString('latin1', start, end) !== 'null') return true;
  }
  return false;
}
