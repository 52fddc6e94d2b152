import type { Call, UpstreamResponse } from '../../jsonrpc/calls.ts';
import { nodesOwnWords } from '../../jsonrpc/client-words.ts';
import { messageOf, saysOwnFault, saysStateGone, wordsOf } from '../../jsonrpc/error-message.ts';
import { METHOD_CODES, type RefusalKind, readRefusal } from '../../jsonrpc/refusal-kind.ts';
import type { RequiredBlock } from '../../jsonrpc/required-block.ts';
import { LOGS_METHOD } from '../../methods/method-table.ts';
import { MAX_LAG_BLOCKS } from '../head/head-claim.ts';
import { type RefusedFor, refusedFor } from './read-refusal.ts';

/**
 * What a response says about the upstream that gave it.
 * - `final`: the response to the call; no other upstream would have a better one.
 * - `unknown_behind`: it does not know the block or transaction, and cannot speak for the newest blocks. True once it can.
 * - `missing_data`: the upstream lacks the data, and another may have it.
 * - `missing_method`: it lacks the method.
 * - `too_wide`: the call asks for logs of more blocks than it takes. Another may take more; else it is asked in parts.
 * - `too_many_logs`: the same for the logs themselves, which depends on the filter.
 * - `limited`: it refuses for a rate or a quota of its own. It has not answered, and is left alone for a while.
 * - `limited_in_words`: it says so, in words that can be a client's. It has not answered, and stays in use.
 * - `unbatched`: it refuses the calls for being sent together, and there was no room to send them again. Not a response.
 * - `unsubscribed`: the operator's plan at its provider does not have what the call needs. It has not answered.
 * - `broken`: it reports a failure of its own, without a reason that lies in the call.
 * - `failed`: there is no usable response.
 * - `batch_too_large`: there is none, because the results of all calls sent together are too large.
 * - `behind_served_head`: a true response, of a chain shorter than clients have already seen. It is returned if no
 *   upstream has a newer one.
 * - `unbelieved`: a head that the chain cannot have reached. It must not be returned.
 */
export type ResponseClass =
  | 'final'
  | 'unknown_behind'
  | 'missing_data'
  | 'missing_method'
  | 'too_wide'
  | 'too_many_logs'
  | 'limited'
  | 'limited_in_words'
  | 'unbatched'
  | 'unsubscribed'
  | 'broken'
  | 'failed'
  | 'batch_too_large'
  | 'behind_served_head'
  | 'unbelieved';

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

/** `limit exceeded`: of the call, where it is not of the operator's subscription. */
const LIMIT_CODES: ReadonlySet<number> = new Set([429, -32005, -32007]);
/** With a status of 5xx: no node is there, or the gateway of another operator cannot serve. */
const UNAVAILABLE_CODES: ReadonlySet<number> = new Set([-32055, -32021, -32030]);
const SERVER_FAILURE = 500;
/** Pruned history. */
const GONE_CODE = 4444;
const NOT_FOUND_CODE = -32001;
const SERVER_ERROR_CODE = -32000;
/** `internal error`, `resource unavailable`, and what says that our own envelope was wrong. */
const BROKEN_CODES: ReadonlySet<number> = new Set([-32603, -32002, -32600, -32700]);

const NOT_FOUND = /header not found|block.{0,200} not found|unknown block|could not find block|no block/i;
/** Words are no evidence that an upstream is unwell. Another may do better. */
const BROKEN = /capacity|internal error|time[ -]?out|timed out|temporarily|unavailable|try again|overload/i;
const NULL = Buffer.from('null');

/** Judges a response to a call that may be asked again. */
export function classifyResponse(response: UpstreamResponse, circumstances: Circumstances): ResponseClass {
  const refused = refusedFor(response, circumstances);
  if (refused !== undefined) return classifyRefusal(refused);
  switch (response.kind) {
    case 'failed':
      return response.error.reason === 'upstream_response_too_large' ? 'final' : 'failed';
    case 'result':
      return NULL.equals(response.result) && !circumstances.customTracer
        ? classifyNull(circumstances)
        : 'final';
    case 'error':
      return classifyError(response, circumstances);
  }
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

/** Null says that there is no such thing, which some upstreams cannot know. */
function classifyNull({ need, behind, head }: Circumstances): ResponseClass {
  const isOlder = need.kind === 'block' && head !== undefined && need.number <= head;
  if (behind && (need.kind === 'hash' || isOlder)) return 'unknown_behind';
  return isOlder ? 'missing_data' : 'final';
}

function classifyError(error: NodeError, circumstances: Circumstances): ResponseClass {
  const { code } = error;
  if (code === GONE_CODE) return 'missing_data';
  if (METHOD_CODES.has(code)) return 'missing_method';
  if (code === NOT_FOUND_CODE) return classifyNotFound(circumstances);
  if (UNAVAILABLE_CODES.has(code) && circumstances.status >= SERVER_FAILURE) return 'failed';
  const kind = circumstances.customTracer ? undefined : kindOf(error, circumstances);
  const byKind = kind === undefined ? undefined : classifyKind(kind, circumstances);
  if (byKind !== undefined) return byKind;
  if (!LIMIT_CODES.has(code) && !BROKEN_CODES.has(code) && code !== SERVER_ERROR_CODE) return 'final';
  const message = messageOf(error);
  if (saysOwnFault(message)) return 'final';
  // It asks for too much at once, by the words that not every node has: another may give more.
  if (LIMIT_CODES.has(code)) return 'broken';
  if (circumstances.customTracer) return 'final';
  if (BROKEN_CODES.has(code)) return 'broken';
  return classifyMessage(nodesOwnWords(message, circumstances.call), circumstances);
}

/** What a refusal is about, in words that are not the client's. */
function kindOf(error: NodeError, { call, status }: Circumstances): RefusalKind | undefined {
  const { method } = call;
  const words = wordsOf(error);
  // A filter has no words but addresses, hashes and names of blocks, and names of members that nodes use too.
  if (method === LOGS_METHOD) return readRefusal({ method, status, code: error.code, message: words });
  const kind = readRefusal({ method, status, code: error.code, message: nodesOwnWords(words, call) });
  // What a call or a tracer is to blame for says nothing else.
  return saysOwnFault(words) && kind !== 'batch' && kind !== 'batch_size' ? undefined : kind;
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

/** `message`: in the node's own words. */
function classifyMessage(message: string, circumstances: Circumstances): ResponseClass {
  if (saysStateGone(message)) return 'missing_data';
  if (NOT_FOUND.test(message)) return classifyNotFound(circumstances);
  return BROKEN.test(message) ? 'broken' : 'final';
}

/** A hash that an upstream in step does not know is likely to be none; so is a number far beyond the head. */
function classifyNotFound({ need, behind, head }: Circumstances): ResponseClass {
  if (behind && (need.kind === 'hash' || need.kind === 'block')) return 'unknown_behind';
  if (need.kind === 'hash') return 'final';
  const beyond = need.kind === 'block' && head !== undefined && need.number > head + MAX_LAG_BLOCKS;
  return beyond ? 'final' : 'missing_data';
}
