import { isMethodAllowed, type KeyBounds } from 'gateway-access';
import type { Call, ParsedCall } from '../../shared/jsonrpc/calls.ts';
import type { CataloguedError } from '../../shared/jsonrpc/error-catalogue.ts';
import { decodeString, foldName, quantityJson } from '../../shared/jsonrpc/json-values.ts';
import {
  exceedsRange,
  type LogsRange,
  type MovingBlock,
  movingBlocks,
  readLogsRange,
} from '../../shared/jsonrpc/logs-range.ts';
import { requiredBlock } from '../../shared/jsonrpc/required-block.ts';
import {
  elementSpans,
  isNull,
  isObject,
  isString,
  type JsonText,
  jsonText,
  MAX_JSON_DEPTH,
  membersAt,
  skipSpace,
} from '../../shared/jsonrpc/scan-json.ts';
import { isIdempotent, isMethodServed, methodFacts, readsState } from '../../shared/methods/method-facts.ts';
import { LOGS_METHOD } from '../../shared/methods/method-table.ts';
import type { ChainSettings } from '../../shared/runtime/settings.ts';
import { type Soon, whenThere } from '../../shared/runtime/soon.ts';
import { ROUGH_HEAD_MAX_AGE_MS } from '../../shared/upstream/routing/ask-head.ts';
import {
  type HeadBounds,
  type HeadTracker,
  isBeyondSyncing,
} from '../../shared/upstream/routing/head-tracker.ts';
import type { VerifyLevel } from '../response/render-response.ts';
import type { ScreenedCall } from '../response/rpc-response.ts';
import { unverifiable } from '../verified/read-call.ts';

/** Longest method name in the sentence for clients that look for one, in UTF-16 units. */
const MAX_NAMED_METHOD_LENGTH = 100;

/** What calls are screened by. */
interface Screening {
  readonly chain: ChainSettings;
  readonly view: HeadTracker;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** Of the key. @default none */
  readonly bounds?: KeyBounds | undefined;
  /** What has to be verified. @default nothing */
  readonly verify?: VerifyLevel | undefined;
}

/**
 * Refuses, one by one, the calls that policy, bounds of the key and guards keep from the node. None of them costs anything.
 * At once, unless a guard has to ask.
 */
export function screenCalls(
  calls: readonly ParsedCall[],
  screening: Screening,
): Soon<readonly ScreenedCall[]> {
  const screened = calls.map((parsed) => screenCall(parsed, screening));
  const isAsking = screened.some((one) => one instanceof Promise);
  return isAsking ? Promise.all(screened) : (screened as readonly ScreenedCall[]);
}

function screenCall(parsed: ParsedCall, screening: Screening): Soon<ScreenedCall> {
  if ('refused' in parsed) return parsed;
  const call = capGas(parsed.call, screening.chain.maxCallGas);
  const judge = (error: CataloguedError | undefined): ScreenedCall =>
    error === undefined ? { call } : { refused: { id: call.id, error } };
  return whenThere(forbidden(call, screening) ?? guardCall(call, screening), judge);
}

/** Why a call is not passed on, whatever the chain is like at the moment. */
function forbidden(call: Call, { chain, bounds, verify }: Screening): CataloguedError | undefined {
  const { method } = call;
  if (!isMethodServed(method, chain.methods)) return methodNotAllowed(method);
  if (bounds !== undefined && !isMethodAllowed(bounds, method))
    return methodNotAllowed(method, { bound: 'methods' });
  return (
    guardContract(call, bounds?.contracts) ?? (verify === undefined ? undefined : unverifiable(call, verify))
  );
}

/** Clients such as ethers stop to ask for filters, and poll instead, only if they find the sentence of a node. */
function methodNotAllowed(method: string, details: CataloguedError['details'] = {}): CataloguedError {
  const named = method.slice(0, MAX_NAMED_METHOD_LENGTH).toWellFormed();
  return {
    reason: 'method_not_allowed',
    parameters: { method: method.toWellFormed() },
    details: { message: `the method ${named} does not exist/is not available`, ...details },
  };
}

/** Members that say how much gas the call may use, as parsers that ignore case compare them. */
const GAS_MEMBERS: ReadonlySet<string> = new Set(['gas', 'gaslimit']);
const HEX_NUMBER = /^0x[\da-f]{1,1000}$/i;
const DECIMAL_NUMBER = /^\d{1,1000}$/;

/**
 * The call with its gas capped at the chain's maximum, as nodes do it: it runs with the maximum, and fails with out of
 * gas if that is too little. Other params stay unchanged.
 * `maxGas`: absent, there is no cap.
 */
function capGas(call: Call, maxGas: number | undefined): Call {
  const { method, params } = call;
  if (maxGas === undefined || params === undefined || methodFacts(method).gasCap !== true) return call;
  const text = jsonText(params);
  const at = skipSpace(text.bytes, skipSpace(text.bytes, 0) + 1);
  if (!isObject(text.bytes, at)) return call;
  const cap = Buffer.from(quantityJson(BigInt(maxGas)));
  const pieces: Uint8Array[] = [];
  let end = 0;
  for (const [nameStart, nameEnd, start, valueEnd] of membersAt(text, at, MAX_JSON_DEPTH)) {
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

/** What the guards look at beside the call. */
interface Guarded {
  readonly chain: Pick<ChainSettings, 'maxLogsBlockRange' | 'stateWindowBlocks'>;
  readonly view: HeadTracker;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
}

/** Why a call must not be sent to a node, if it must not; at once where what is known of the head will do. */
export function guardCall(call: Call, guarded: Guarded): Soon<CataloguedError | undefined> {
  return call.method === LOGS_METHOD ? guardLogs(call, guarded) : guardBlock(call, guarded);
}

async function guardLogs(call: Call, guarded: Guarded): Promise<CataloguedError | undefined> {
  return (await guardLogsRange(call, guarded)) ?? (await guardBlock(call, guarded));
}

/** Logs of at most so many blocks at once. */
async function guardLogsRange(
  call: Call,
  { chain, view, deadline }: Guarded,
): Promise<CataloguedError | undefined> {
  const range = readLogsRange(call.params);
  if (range.kind === 'ambiguous') return { reason: 'ambiguous_member' };
  if (range.kind !== 'range') return undefined;
  const known = exceedsKnown(range, view.bounds(), chain.maxLogsBlockRange);
  if (known !== undefined)
    return known ? tooManyBlocks('logs_range_too_large', chain.maxLogsBlockRange) : undefined;
  const numbers = new Map<MovingBlock, bigint>();
  for (const block of movingBlocks(range)) {
    const number = await view.tagged(block, deadline);
    if (number === undefined) return view.whyUnknown();
    numbers.set(block, number);
  }
  return exceedsRange(range, numbers, chain.maxLogsBlockRange)
    ? tooManyBlocks('logs_range_too_large', chain.maxLogsBlockRange)
    : undefined;
}

/** Whether a range is too large wherever the head is by now; undefined if that depends on where, or on another block. */
function exceedsKnown(
  range: Extract<LogsRange, { kind: 'range' }>,
  bounds: HeadBounds | undefined,
  maxBlocks: number,
): boolean | undefined {
  if (bounds === undefined || [...movingBlocks(range)].some((block) => block !== 'latest')) return undefined;
  const [least, most] = [bounds.least, bounds.most].map((latest) =>
    exceedsRange(range, new Map([['latest', latest]]), maxBlocks),
  );
  return least === most ? least : undefined;
}

/** No state that nodes have dropped, and nothing that depends on the newest block from a chain that is not there yet. */
function guardBlock(call: Call, { chain, view, deadline }: Guarded): Soon<CataloguedError | undefined> {
  // What acts is not kept waiting, nor refused: the node knows best whether it takes it.
  if (!isIdempotent(call.method)) return undefined;
  const need = requiredBlock(call);
  if (need.kind === 'block') return guardNumber(call, need.number, { chain, view, deadline });
  if (need.kind !== 'head') return undefined;
  return whenThere(view.glance(deadline), () => (view.isSyncing() ? { reason: 'node_syncing' } : undefined));
}

async function guardNumber(
  call: Call,
  number: bigint,
  { chain, view, deadline }: Guarded,
): Promise<CataloguedError | undefined> {
  const head = readsState(call.method) ? await view.glance(deadline, ROUGH_HEAD_MAX_AGE_MS) : undefined;
  // Old knowledge refuses no call.
  if (isBeyondSyncing(number, view)) await view.peek(deadline);
  if (isBeyondSyncing(number, view)) return { reason: 'node_syncing' };
  return head === undefined ? undefined : guardState(call, head, chain.stateWindowBlocks);
}

/** No state beyond the most recent so many blocks, which are the head and those before it. */
export function guardState(call: Call, head: bigint, windowBlocks: number): CataloguedError | undefined {
  if (!readsState(call.method)) return undefined;
  const need = requiredBlock(call);
  return need.kind === 'block' && need.number <= head - BigInt(windowBlocks)
    ? tooManyBlocks('state_not_available', windowBlocks)
    : undefined;
}

function tooManyBlocks(reason: 'logs_range_too_large' | 'state_not_available', max: number): CataloguedError {
  return { reason, parameters: { max }, details: { max_blocks: max } };
}

/** Call and block: a call has nothing else that does not change what it runs on. */
const PARAMS_OF_A_CALL = 2;
const ADDRESS = /^0x[0-9a-f]{40}$/;

/** Where a value is in a text. */
type Span = readonly [start: number, end: number];

/** What a call asks of: the values that have to be addresses of the key's contracts. `undefined`: parsers differ about it. */
type Asked = readonly unknown[] | undefined;

/**
 * Why a key that is bound to contracts may not send a call; undefined if it may. A method of which nobody can say what it
 * asks is refused, and so is a call that names no address where its method asks of one. State that a client makes up would
 * put its own code in the place of a contract's, so it is refused as well.
 */
export function guardContract(
  { method, params }: Pick<Call, 'method' | 'params'>,
  contracts: KeyBounds['contracts'],
): CataloguedError | undefined {
  const { asksOf } = methodFacts(method);
  if (contracts === undefined || asksOf === 'nothing') return undefined;
  if (asksOf === undefined) return notAllowed('method');
  const text = jsonText(params ?? Buffer.from('[]'));
  const elements = elementSpans(text);
  if (asksOf === 'to' && elements.slice(PARAMS_OF_A_CALL).some(([start]) => !isNull(text.bytes, start)))
    return notAllowed('state_override');
  const asked = askedOf(text, elements[0], asksOf);
  if (asked === undefined) return { reason: 'ambiguous_member' };
  if (asked.length === 0) return notAllowed('address_required');
  return asked.every((address) => isOneOf(contracts, address)) ? undefined : notAllowed('address');
}

function askedOf(text: JsonText, first: Span | undefined, asksOf: 'to' | 'filter' | 'address'): Asked {
  if (asksOf === 'address') return [valueAt(text, first)];
  if (asksOf === 'to') return memberValues(text, first, 'to');
  // A filter takes one address, or a list of them.
  return memberValues(text, first, 'address')?.flat();
}

function notAllowed(rule: 'method' | 'address' | 'address_required' | 'state_override'): CataloguedError {
  return { reason: 'contract_not_allowed', details: { rule } };
}

function isOneOf(contracts: readonly string[], address: unknown): boolean {
  const folded = typeof address === 'string' ? address.toLowerCase() : '';
  return ADDRESS.test(folded) && contracts.includes(folded);
}

/** The value of a member; none if it is not there, or null. */
function memberValues(text: JsonText, span: Span | undefined, name: string): Asked {
  const { bytes } = text;
  if (span === undefined || !isObject(bytes, span[0])) return [];
  const named = [...membersAt(text, span[0], MAX_JSON_DEPTH)]
    .map(([nameStart, nameEnd, ...value]) => ({ own: decodeString(bytes, nameStart, nameEnd), value }))
    .filter(({ own }) => foldName(own) === name);
  if (named.length > 1 || named.some(({ own }) => own !== name)) return undefined;
  return named.flatMap(({ value }) => {
    const read = valueAt(text, value);
    return read === null ? [] : [read];
  });
}

function valueAt({ bytes }: JsonText, span: Span | undefined): unknown {
  return span === undefined ? undefined : (JSON.parse(bytes.toString('utf8', ...span)) as unknown);
}
