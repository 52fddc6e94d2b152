import type { TraceGapReason } from '../../chain-data/decode/raw-block.ts';
import { readLimit } from '../../shared/jsonrpc/subscription-limit.ts';

/**
 * What kept a node from answering:
 * - `rate_limited`: it wants fewer requests.
 * - `too_large`: the request or its answer is more than it gives at once.
 * - `unsupported`: it does not have the method.
 * - `pruned`: it does not keep what was asked for any more.
 * - `timeout`: it took too long.
 * - `unavailable`: nothing that could be used came back.
 * - `refused`: any other error of its own.
 */
export type NodeErrorKind =
  | 'rate_limited'
  | 'too_large'
  | 'unsupported'
  | 'pruned'
  | 'timeout'
  | 'unavailable'
  | 'refused';

/** A question that a node did not answer. */
export class NodeError extends Error {
  readonly kind: NodeErrorKind;
  /** How long the node wants to be left alone, in milliseconds, where it says so. */
  readonly retryAfterMs: number | undefined;

  constructor(kind: NodeErrorKind, message: string, retryAfterMs?: number) {
    super(message);
    this.name = 'NodeError';
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

const METHOD_NOT_FOUND = -32601;
const LIMIT_EXCEEDED = -32005;
const PRUNED_HISTORY = 4444;
/** What a status tells is read before. */
const SUCCESS_STATUS = 200;
/** Characters of a node's message that are kept. */
const MAX_MESSAGE_LENGTH = 200;

const REVERTED = /revert/i;
const MESSAGES: readonly (readonly [RegExp, NodeErrorKind])[] = [
  [/throughput|try again later/i, 'rate_limited'],
  [
    /too (large|big|many)|exceeds? .*(size|limit|max)|(batch|response) (size|limit)|more than \d+/i,
    'too_large',
  ],
  [
    /pruned|missing trie node|historical state|resource not found|state .*not available|required historical/i,
    'pruned',
  ],
  [/timed? ?out|deadline exceeded/i, 'timeout'],
  [
    /method .*(not found|not (available|supported|allowed|exist)|does not exist)|unsupported method|not whitelisted/i,
    'unsupported',
  ],
];

/** What a JSON-RPC error means: nodes agree on few codes, so that the message counts most. */
export function nodeErrorOf(code: number, message: string): NodeError {
  const text = message.slice(0, MAX_MESSAGE_LENGTH);
  // Contracts choose the words of their reverts.
  if (REVERTED.test(text)) return new NodeError('refused', text);
  if (code === METHOD_NOT_FOUND) return new NodeError('unsupported', text);
  if (code === PRUNED_HISTORY) return new NodeError('pruned', text);
  const limit = readLimit({ method: '', status: SUCCESS_STATUS, code, message: text })?.limit;
  if (limit === 'rate' || limit === 'quota') return new NodeError('rate_limited', text);
  const kind = MESSAGES.find(([pattern]) => pattern.test(text))?.[1];
  if (kind !== undefined) return new NodeError(kind, text);
  return new NodeError(code === LIMIT_EXCEEDED ? 'rate_limited' : 'refused', text);
}

/** Why a block has no traces when the node failed like this. */
export function traceGapReason(kind: NodeErrorKind): TraceGapReason {
  if (kind === 'pruned') return 'node_pruned';
  if (kind === 'timeout' || kind === 'rate_limited') return 'timeout';
  return kind === 'unsupported' ? 'unsupported' : 'rpc_error';
}
