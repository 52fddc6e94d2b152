import { MAX_LAG_BLOCKS } from '../upstream/head-claim.ts';
import type { BlockNeed } from './block-need.ts';
import type { Call, NodeAnswer } from './calls.ts';
import { nodesOwnWords } from './client-words.ts';
import { messageOf, saysOwnFault, saysStateGone } from './error-message.ts';

/**
 * What an answer says of the upstream that gave it.
 * - `final`: the answer is that of the call; no other upstream would give a better one.
 * - `lacking`: the upstream does not have the data or the method, and another may.
 * - `limited`: it has been asked too much.
 * - `broken`: it says itself that it could not, without a reason that lies in the call.
 * - `failed`: there is no usable answer.
 * - `crowded`: there is none because the answers of all the calls that were sent together are too large.
 * - `stale`: a true answer, of a chain that was shorter than what clients have been told. It is given if nobody has a
 *   newer one.
 * - `unbelieved`: a head that the chain cannot have reached. It must not be given.
 */
export type Verdict =
  | 'final'
  | 'lacking'
  | 'limited'
  | 'broken'
  | 'failed'
  | 'crowded'
  | 'stale'
  | 'unbelieved';

/** What is known when an answer is judged. */
export interface Circumstances {
  readonly call: Pick<Call, 'method' | 'params'>;
  readonly need: BlockNeed;
  /** The upstream cannot speak for the newest blocks. */
  readonly behind: boolean;
  /** The call is a trace by code of the client, whose words say nothing of the upstream. */
  readonly ownTracer: boolean;
  /** HTTP status of the response. */
  readonly status: number;
  /** Newest block of the chain, if it is known. */
  readonly head: bigint | undefined;
}

type NodeError = Extract<NodeAnswer, { kind: 'error' }>;

const TOO_MANY_REQUESTS = 429;
/** `method not found`, `method not supported`. */
const METHOD_CODES: ReadonlySet<number> = new Set([-32601, -32004]);
const LIMIT_CODES: ReadonlySet<number> = new Set([429, -32005, -32007]);
/** Pruned history. */
const GONE_CODE = 4444;
const NOT_FOUND_CODE = -32001;
const SERVER_ERROR_CODE = -32000;
/** `internal error`, `resource unavailable`, and what says that our own envelope was wrong. */
const BROKEN_CODES: ReadonlySet<number> = new Set([-32603, -32002, -32600, -32700]);

const NOT_FOUND = /header not found|block.{0,200} not found|unknown block|could not find block|no block/i;
/** Words are no evidence that an upstream is limited or unwell: a code or the HTTP status is. Another may do better. */
const BROKEN =
  /rate limit|too many requests|request limit|capacity|throttl|quota|internal error|time[ -]?out|timed out|temporarily|unavailable|try again|overload/i;
const NULL = Buffer.from('null');

/** Judges an answer to a call that may be asked again. */
export function judgeAnswer(answer: NodeAnswer, circumstances: Circumstances): Verdict {
  switch (answer.kind) {
    case 'failed':
      return answer.error.reason === 'upstream_response_too_large' ? 'final' : 'failed';
    case 'result':
      return NULL.equals(answer.result) && !circumstances.ownTracer ? judgeNull(circumstances) : 'final';
    case 'error':
      return circumstances.status === TOO_MANY_REQUESTS ? 'limited' : judgeError(answer, circumstances);
  }
}

/** Null says that there is no such thing, which some upstreams cannot know. */
function judgeNull({ need, behind, head }: Circumstances): Verdict {
  if (need.kind === 'block' && head !== undefined && need.number <= head) return 'lacking';
  return need.kind === 'hash' && behind ? 'stale' : 'final';
}

function judgeError(error: NodeError, circumstances: Circumstances): Verdict {
  const { code } = error;
  if (code === GONE_CODE || METHOD_CODES.has(code)) return 'lacking';
  if (code === NOT_FOUND_CODE) return judgeNotFound(circumstances);
  if (!LIMIT_CODES.has(code) && !BROKEN_CODES.has(code) && code !== SERVER_ERROR_CODE) return 'final';
  const message = messageOf(error);
  if (saysOwnFault(message)) return 'final';
  if (LIMIT_CODES.has(code)) return 'limited';
  if (circumstances.ownTracer) return 'final';
  if (BROKEN_CODES.has(code)) return 'broken';
  return judgeMessage(nodesOwnWords(message, circumstances.call), circumstances);
}

/** `message`: in the node's own words. */
function judgeMessage(message: string, circumstances: Circumstances): Verdict {
  if (saysStateGone(message)) return 'lacking';
  if (NOT_FOUND.test(message)) return judgeNotFound(circumstances);
  return BROKEN.test(message) ? 'broken' : 'final';
}

/** A hash that an upstream in step does not know is likely to be none; so is a number far beyond the head. */
function judgeNotFound({ need, behind, head }: Circumstances): Verdict {
  if (need.kind === 'hash') return behind ? 'lacking' : 'final';
  const beyond = need.kind === 'block' && head !== undefined && need.number > head + MAX_LAG_BLOCKS;
  return beyond ? 'final' : 'lacking';
}
