import { MAX_ID_BYTES, MAX_METHOD_BYTES, NULL_ID, type ParsedCall } from '../../shared/jsonrpc/calls.ts';
import type { CataloguedError } from '../../shared/jsonrpc/error-catalogue.ts';
import { bytesEqual, decodeString } from '../../shared/jsonrpc/json-strings.ts';
import {
  isArray,
  isBoolean,
  isNull,
  isObject,
  isString,
  type JsonText,
  slice,
} from '../../shared/jsonrpc/scan-json.ts';
import { ABSENT, type CallSpans, ID, JSONRPC, METHOD, PARAMS } from './scan-plain-call.ts';

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

const VERSION = '2.0';
const RAW_VERSION = Buffer.from(JSON.stringify(VERSION));
const QUOTES_BYTES = 2;

/** What a body, or a call of it, does not keep to: `error.data.rule` of an invalid request. */
type RequestRule =
  | 'body_type'
  | 'nested_too_deep'
  | 'batch_empty'
  | 'call_type'
  | 'too_many_members'
  | 'version'
  | 'id_required'
  | 'id_type'
  | 'id_too_long'
  | 'method_required'
  | 'method_type'
  | 'method_too_long'
  | 'params_type';

/** The error of a request that breaks a rule. `bound`: what it exceeds, for `error.data`. */
export function brokenRule(rule: RequestRule, bound: Readonly<Record<string, number>> = {}): CataloguedError {
  return { reason: 'invalid_request', details: { rule, ...bound } };
}

/** The call whose members are where `spans` says, or why it is none. `params` of null are omitted ones. */
export function readCall(text: JsonText, spans: CallSpans): ParsedCall {
  const id = readId(text, spans);
  const method = readMethod(text.bytes, spans);
  const start = spans[PARAMS] as number;
  const hasParams = start !== ABSENT && !isNull(text.bytes, start);
  if (
    id === undefined ||
    !method ||
    !isVersion(text.bytes, spans) ||
    (hasParams && !isArray(text.bytes, start))
  ) {
    return { refused: { id: id ?? NULL_ID, error: findBrokenRule(text, spans) } };
  }
  return {
    call: { id, method, params: hasParams ? slice(text, start, spans[PARAMS + 1] as number) : undefined },
  };
}

/** The bytes of an id that is readable: a string, a number or `null`, and not too long. */
export function readId(text: JsonText, spans: CallSpans): Uint8Array | undefined {
  const start = spans[ID] as number;
  if (start === ABSENT || spanLength(spans, ID) > MAX_ID_BYTES) return undefined;
  return hasIdType(text.bytes, start) ? slice(text, start, spans[ID + 1] as number) : undefined;
}

/** The first rule that a call breaks, by the order of its members in the specification. */
function findBrokenRule({ bytes }: JsonText, spans: CallSpans): CataloguedError {
  const id = spans[ID] as number;
  const method = spans[METHOD] as number;
  if (!isVersion(bytes, spans)) return brokenRule('version');
  if (id === ABSENT) return brokenRule('id_required');
  if (!hasIdType(bytes, id)) return brokenRule('id_type');
  if (spanLength(spans, ID) > MAX_ID_BYTES) return brokenRule('id_too_long', { max_bytes: MAX_ID_BYTES });
  if (method === ABSENT) return brokenRule('method_required');
  if (!isString(bytes, method)) return brokenRule('method_type');
  if (isTooLongMethod(spans)) return brokenRule('method_too_long', { max_bytes: MAX_METHOD_BYTES });
  return brokenRule(spanLength(spans, METHOD) === QUOTES_BYTES ? 'method_required' : 'params_type');
}

function readMethod(bytes: Buffer, spans: CallSpans): string | undefined {
  const start = spans[METHOD] as number;
  if (start === ABSENT || !isString(bytes, start) || isTooLongMethod(spans)) return undefined;
  return decodeMethod(bytes, start, spans[METHOD + 1] as number);
}

function isTooLongMethod(spans: CallSpans): boolean {
  return spanLength(spans, METHOD) > MAX_METHOD_BYTES + QUOTES_BYTES;
}

function hasIdType(bytes: Buffer, start: number): boolean {
  return !(isObject(bytes, start) || isArray(bytes, start) || isBoolean(bytes, start));
}

function isVersion(bytes: Buffer, spans: CallSpans): boolean {
  const start = spans[JSONRPC] as number;
  const end = spans[JSONRPC + 1] as number;
  if (bytesEqual(bytes, start, end, RAW_VERSION)) return true;
  return isString(bytes, start) && decodeString(bytes, start, end) === VERSION;
}

function spanLength(spans: CallSpans, member: number): number {
  return (spans[member + 1] as number) - (spans[member] as number);
}

/**
 * Value of the valid JSON string, quotes included, between two offsets that names a method. Requests name the same
 * few over and over, and making a string of bytes costs as much as the rest of a call.
 */
function decodeMethod(bytes: Buffer, start: number, end: number): string {
  const length = end - start;
  if (length > MAX_REMEMBERED_BYTES) return decodeString(bytes, start, end);
  const slot = (length + 31 * (bytes[end - 2] as number) + 7 * (bytes[end - 4] as number)) & (SLOTS - 1);
  const known = remembered[slot] as MethodName;
  if (bytesEqual(bytes, start, end, known.raw)) return known.name;
  const name = decodeString(bytes, start, end);
  remembered[slot] = { raw: Buffer.from(bytes.subarray(start, end)), name };
  return name;
}
