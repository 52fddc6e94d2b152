import type { Call, UpstreamResponse } from '../../jsonrpc/calls.ts';
import { nodesOwnWords } from '../../jsonrpc/client-words.ts';
import type { Reason } from '../../jsonrpc/error-catalogue.ts';
import { wordsOf } from '../../jsonrpc/error-message.ts';
import { METHOD_CODES, type RefusalKind, readRefusal } from '../../jsonrpc/refusal-kind.ts';
import type { RequiredBlock } from '../../jsonrpc/required-block.ts';
import { isNull } from '../../jsonrpc/scan-json.ts';
import { hasLimitWords, type LimitReading, readLimit } from '../../jsonrpc/subscription-limit.ts';
import { waitInHeader, waitInText } from '../../jsonrpc/told-wait.ts';
import { saysOfArgument, saysOfExecution, saysUnwell } from '../../jsonrpc/unknown-words.ts';
import { methodFacts } from '../../methods/method-facts.ts';
import { LOGS_METHOD, SYNC_METHOD } from '../../methods/method-table.ts';
import { isOfAnother } from '../agreement/of-another.ts';
import { mayShow } from '../head/answered-head.ts';
import { MAX_LAG_BLOCKS } from '../head/head-claim.ts';
import type { LimitNotice } from '../health/upstream-health.ts';
import type { SendOutcome } from './send-calls.ts';

/** What follows from what a response says. */
interface VerdictFacts {
  /** How good the response is if no upstream has a final one: a node's own words are better than ours. 0: it is not returned. */
  readonly rank: number;
  /** The same upstream may do better the next time. @default false */
  readonly mayPass?: true;
  /**
   * No client can bring it about: after others further attempts leave a part of the budget for upstreams that fail.
   * @default false
   */
  readonly isFailure?: true;
  /** The upstream has not taken the transaction: it may be sent again. @default false */
  readonly isUndone?: true;
  /** It refuses logs for their number, or that of their blocks. @default false */
  readonly isTooMuch?: true;
  /** It need not be final: one other upstream is asked. @default false */
  readonly isOpen?: true;
  /** What it is where a client's call may have brought it about: what it leads to is paid from the key's share. @default the same */
  readonly ifUncertain?: 'limited_in_words' | 'unread';
  /** What a client sees in its place: nothing of the operator's dealings with a provider. @default the response */
  readonly shownAs?: Reason;
}

/** What a response says about the upstream that gave it. */
const VERDICTS = {
  /** The response to the call; no other upstream would have a better one. */
  final: { rank: 9 },
  /** There is no such thing. Final only of an upstream that is as far as the chain, and as the key has seen. */
  absent: { rank: 7 },
  /** It does not know the block or transaction, and cannot speak for the newest blocks. True once it can. */
  unknown_behind: { rank: 5 },
  /** The upstream lacks the data, and another may have it. */
  missing_data: { rank: 7 },
  /** It lacks the method. */
  missing_method: { rank: 7 },
  /** The call asks for logs of more blocks than it takes. Another may take more; else it is asked in parts. */
  too_wide: { rank: 7, isTooMuch: true },
  /** The same for the logs themselves, which depends on the filter. */
  too_many_logs: { rank: 7, isTooMuch: true },
  /** It refuses for a rate or a quota of its own. It has not answered, and is left alone for a while. */
  limited: {
    rank: 4,
    isFailure: true,
    isUndone: true,
    ifUncertain: 'limited_in_words',
    shownAs: 'gateway_overloaded',
  },
  /** It says so, in words that can be a client's. It has not answered, and stays in use. */
  limited_in_words: { rank: 4, isUndone: true, shownAs: 'gateway_overloaded' },
  /** It refuses the calls for being sent together, and there was no room to send them again. Not a response. */
  unbatched: { rank: 2, shownAs: 'upstream_unavailable' },
  /** The operator's plan at its provider does not have what the call needs. It has not answered. */
  unsubscribed: { rank: 2, shownAs: 'upstream_unavailable' },
  /** It has no room for a transaction, and another may have. */
  pool_full: { rank: 7, isUndone: true },
  /** It reports a failure of its own, without a reason that lies in the call. */
  broken: { rank: 6 },
  /** It refuses in words that no table knows: another is asked whether that is final. */
  doubtful: { rank: 3, isOpen: true },
  /** There is no response that could be read, with a status that a client's call can bring about. */
  unread: { rank: 2, mayPass: true, isOpen: true },
  /** There is no usable response. */
  failed: {
    rank: 2,
    mayPass: true,
    isFailure: true,
    ifUncertain: 'unread',
    shownAs: 'upstream_unavailable',
  },
  /** There is none, because the results of all calls sent together are too large. */
  batch_too_large: { rank: 1, isFailure: true },
  /** The result shows another block or transaction than the call names. */
  of_another: { rank: 2, shownAs: 'malformed_upstream_response' },
  /** A true response, of a chain shorter than clients have already seen. Better than any error. */
  behind_served_head: { rank: 8, isFailure: true },
  /** A head that the chain cannot have reached. */
  unbelieved: { rank: 0, isFailure: true },
} as const satisfies Readonly<Record<string, VerdictFacts>>;

export type ResponseClass = keyof typeof VERDICTS;

/** What follows from a verdict. */
export function factsOf(verdict: ResponseClass): VerdictFacts {
  return VERDICTS[verdict];
}

/** What is known when a response is judged. */
export interface Circumstances {
  readonly call: Pick<Call, 'method' | 'params'>;
  readonly need: RequiredBlock;
  /** The upstream cannot speak for the newest blocks. */
  readonly behind: boolean;
  /** The call is a trace by code of the client, whose words say nothing of the upstream. */
  readonly customTracer: boolean;
  /** HTTP status of the response. */
  readonly status: number;
  /** Newest block of the chain, if it is known. */
  readonly head: bigint | undefined;
}

type NodeError = Extract<UpstreamResponse, { kind: 'error' }>;

/** Codes of Besu's verdicts on a transaction: they hold for what executes or sends one. */
const VERDICT_CODES: ReadonlySet<number> = new Set([-32003, -32004, -32005, -32006, -32007, -32009]);
const POOL_FULL = /pool (?:is )?full/i;
/** With a status of 5xx: no node is there, or the gateway of another operator cannot serve. */
const UNAVAILABLE_CODES: ReadonlySet<number> = new Set([-32055, -32021, -32030]);
const SUCCESS = 200;
const UNAUTHORIZED = 401;
const SERVER_FAILURE = 500;
/** A time-out of a proxy in front of the node: a call can take as long as a client makes it. */
const PROXY_TIMEOUTS: ReadonlySet<number> = new Set([504, 524]);
/** A synchronous send whose transaction is in no block in its time, or waits for another: the node has it. */
export const SENT_CODES: ReadonlySet<number> = new Set([4, 5]);
/** Pruned history. */
const GONE_CODE = 4444;
const NOT_FOUND_CODE = -32001;
const EMPTY_LIST = Buffer.from('[]');

/** Whether a response to a call about something by its hash can be that there is no such thing. */
export function mayBeAbsent(
  { call, need }: Pick<Circumstances, 'call' | 'need'>,
  response: UpstreamResponse,
): boolean {
  if (need.kind !== 'hash') return false;
  if (response.kind !== 'result') return response.kind === 'error';
  return isNull(response.result, 0) || isEmptyByHash(response.result, { call, need });
}

/** Whether a response says that there is no such block or transaction, as one does of an upstream that is behind. */
export function saysAbsent(
  { call, need, customTracer }: Pick<Circumstances, 'call' | 'need' | 'customTracer'>,
  response: UpstreamResponse,
): boolean {
  const head = need.kind === 'block' ? need.number : undefined;
  const circumstances = { call, need, customTracer, behind: true, status: SUCCESS, head };
  const judged = classifyResponse(response, circumstances);
  return judged === 'absent' || judged === 'unknown_behind';
}

/** Judges a response to a call that may be asked again. */
export function classifyResponse(response: UpstreamResponse, circumstances: Circumstances): ResponseClass {
  const { call } = circumstances;
  if (response.kind === 'error' && SENT_CODES.has(response.code) && call.method === SYNC_METHOD)
    return 'final';
  const refused = refusedFor(response, circumstances);
  if (refused !== undefined) return classifyRefusal(refused);
  switch (response.kind) {
    case 'failed':
      return response.error.reason === 'upstream_response_too_large'
        ? 'final'
        : classifyFailure(circumstances);
    case 'result':
      if (isEmptyByHash(response.result, circumstances)) return 'absent';
      if (isNull(response.result, 0) && !circumstances.customTracer) return classifyNull(circumstances);
      return mayShow(call) && isOfAnother(call, response.result) ? 'of_another' : 'final';
    case 'error':
      return classifyError(response, circumstances);
  }
}

/** A firewall, a proxy or a node that stumbles over a call says so in no JSON, and need not do so to another call. */
function classifyFailure({ status }: Circumstances): ResponseClass {
  if (status === 0 || status === UNAUTHORIZED) return 'failed';
  return status < SERVER_FAILURE || PROXY_TIMEOUTS.has(status) ? 'unread' : 'failed';
}

function classifyRefusal({ limit, certain }: RefusedFor): ResponseClass {
  switch (limit) {
    case 'rate':
    case 'quota':
      return certain ? 'limited' : 'limited_in_words';
    case 'plan':
      return 'unsubscribed';
    case 'auth':
      return certain ? 'failed' : 'unsubscribed';
  }
}

/** Of a block that they do not know, some nodes have no logs and no receipts. */
function isEmptyByHash(result: Uint8Array, { call, need }: Pick<Circumstances, 'call' | 'need'>): boolean {
  if (need.kind !== 'hash' || !EMPTY_LIST.equals(result)) return false;
  const { fixed } = methodFacts(call.method);
  return fixed === 'log' || fixed === 'receipt';
}

/** Null says that there is no such thing, which some upstreams cannot know. */
function classifyNull({ need, behind, head }: Circumstances): ResponseClass {
  const isOlder = need.kind === 'block' && head !== undefined && need.number <= head;
  if (behind && (need.kind === 'hash' || isOlder)) return 'unknown_behind';
  if (need.kind === 'hash') return 'absent';
  return isOlder ? 'missing_data' : 'final';
}

function classifyError(error: NodeError, circumstances: Circumstances): ResponseClass {
  const { code } = error;
  const { call, customTracer, status } = circumstances;
  const words = wordsOf(error);
  if (code === GONE_CODE) return 'missing_data';
  if (methodFacts(call.method).class === 'send' && POOL_FULL.test(words)) return 'pool_full';
  if (saysOfExecution(code, words)) return 'final';
  const isVerdict = VERDICT_CODES.has(code) && isOfTransaction(call.method);
  if (METHOD_CODES.has(code) && !isVerdict) return 'missing_method';
  if (code === NOT_FOUND_CODE) return classifyNotFound(circumstances);
  if (UNAVAILABLE_CODES.has(code) && status >= SERVER_FAILURE) return 'failed';
  // What its code throws is the client's own.
  if (customTracer) return 'final';
  const kind = kindOf(words, isVerdict ? undefined : code, circumstances);
  const byKind = kind === undefined ? undefined : classifyKind(kind, circumstances);
  if (byKind !== undefined) return byKind;
  if (isVerdict || saysOfArgument(words)) return 'final';
  return saysUnwell(nodesOwnWords(words, call)) ? 'broken' : 'doubtful';
}

/** Whether a node judges a transaction when it answers a call of the method, be it one that is only tried. */
function isOfTransaction(method: string): boolean {
  const kind = methodFacts(method).class;
  return kind === 'send' || kind === 'execution';
}

/** What a refusal is about, in words that are not the client's. */
function kindOf(
  words: string,
  code: number | undefined,
  { call, status }: Circumstances,
): RefusalKind | undefined {
  const { method } = call;
  // A filter has no words but addresses, hashes and names of blocks, and names of members that nodes use too.
  const message = method === LOGS_METHOD ? words : nodesOwnWords(words, call);
  return readRefusal({ method, status, ...(code !== undefined && { code }), message });
}

/** Kinds whose words mean the same whatever the code is. */
function classifyKind(kind: RefusalKind, circumstances: Circumstances): ResponseClass | undefined {
  switch (kind) {
    case 'range':
      return 'too_wide';
    case 'results':
      return 'too_many_logs';
    case 'time':
      return 'broken';
    case 'addresses':
    case 'pruned':
      return 'missing_data';
    case 'batch':
    case 'batch_size':
      return 'unbatched';
    case 'method':
      return 'missing_method';
    case 'unknown':
      return classifyNotFound(circumstances);
    default:
      return undefined;
  }
}

/** A number far beyond the head is likely to be none. */
function classifyNotFound({ need, behind, head }: Circumstances): ResponseClass {
  if (behind && (need.kind === 'hash' || need.kind === 'block')) return 'unknown_behind';
  if (need.kind === 'hash') return 'absent';
  const beyond = need.kind === 'block' && head !== undefined && need.number > head + MAX_LAG_BLOCKS;
  return beyond ? 'final' : 'missing_data';
}

/** Code of a revert, whose words are a contract's. */
const REVERT_CODE = 3;
/** Longest part of a refusal that is searched for a wait, in bytes. */
const MAX_TEXT_BYTES = 4_096;

/** A limit of an upstream's subscription that is the reason why a call has no response. */
interface RefusedFor {
  readonly limit: LimitReading['limit'];
  /** Whether only the node can have said so: words of a call that runs a client's code can be the client's. */
  readonly certain: boolean;
}

/** What is known of a call beside the response to it. */
interface JudgedCall {
  readonly call: Pick<Call, 'method' | 'params'>;
  /** HTTP status of the response. */
  readonly status: number;
  /** The call is a trace by code of the client. @default false */
  readonly customTracer?: boolean;
}

/** Reads a response as a refusal for a limit of the upstream's own; undefined for any other response. */
function refusedFor(response: UpstreamResponse, refused: JudgedCall): RefusedFor | undefined {
  const { call, status } = refused;
  const { method } = call;
  if (response.kind === 'result') return undefined;
  if (response.kind === 'failed') {
    const limit = readLimit({ method, status })?.limit;
    return limit === undefined ? undefined : { limit, certain: true };
  }
  if (response.code === REVERT_CODE) return undefined;
  const message = wordsOf(response);
  const reading = readLimit({ method, status, code: response.code, message });
  if (reading === undefined) return undefined;
  if (reading.by !== 'words') return { limit: reading.limit, certain: true };
  if (refused.customTracer === true) return undefined;
  const own = readLimit({ method, status, code: response.code, message: nodesOwnWords(message, call) });
  return own === undefined ? undefined : { limit: own.limit, certain: isOwnText(call) };
}

/** Whether no text of a client, in the call or in what it runs, can be part of what a node says to it. */
function isOwnText({ method, params }: Pick<Call, 'method' | 'params'>): boolean {
  const kind = methodFacts(method).class;
  if (kind === 'execution' || kind === 'trace' || hasLimitWords(method)) return false;
  return params === undefined || !hasLimitWords(JSON.stringify(JSON.parse(Buffer.from(params).toString())));
}

/** What an upstream said of its limit when it refused these calls; undefined if it refused none for a rate or a quota. */
export function limitNotice(
  calls: readonly JudgedCall['call'][],
  { statuses, responses, retryAfter, refusal }: SendOutcome,
  now: number,
): LimitNotice | undefined {
  for (const [index, call] of calls.entries()) {
    const response = responses[index];
    const status = statuses[index] ?? 0;
    const reason = response === undefined ? undefined : refusedFor(response, { call, status });
    if (response === undefined || reason?.certain !== true) continue;
    if (reason.limit !== 'rate' && reason.limit !== 'quota') continue;
    const text = response.kind === 'error' ? response.error : (refusal ?? new Uint8Array());
    const waitMs =
      waitInHeader(retryAfter, now) ?? waitInText(Buffer.from(text).toString('utf8', 0, MAX_TEXT_BYTES));
    return { limit: reason.limit, waitMs };
  }
  return undefined;
}
