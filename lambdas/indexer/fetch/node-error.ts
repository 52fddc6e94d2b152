import type { TraceGapReason } from '../../chain-data/decode/raw-block.ts';
import { saysReverted } from '../../shared/jsonrpc/error-message.ts';
import { type RefusalKind, readRefusal } from '../../shared/jsonrpc/refusal-kind.ts';

/**
 * What kept a node from answering:
 * - `rate_limited`: it wants fewer requests.
 * - `too_large`: the request or its answer is more than it gives at once.
 * - `unsupported`: it does not have the method.
 * - `pruned`: it does not keep what was asked for any more.
 * - `timeout`: it took too long.
 * - `unavailable`: nothing that could be used came back.
 * - `no_batches`: it takes calls one by one only.
 * - `contradicted`: it answered, a node of another operator otherwise, and no third like one of them.
 * - `refused`: any other error of its own.
 */
export type NodeErrorKind =
  | 'rate_limited'
  | 'too_large'
  | 'unsupported'
  | 'pruned'
  | 'timeout'
  | 'unavailable'
  | 'no_batches'
  | 'contradicted'
  | 'refused';

/** A question that a node did not answer. */
export class NodeError extends Error {
  readonly kind: NodeErrorKind;
  /** How long the node wants to be left alone, in milliseconds, where it says so. */
  readonly retryAfterMs: number | undefined;
  /** Its JSON-RPC code, where it is one. */
  readonly code: number | undefined;

  constructor(kind: NodeErrorKind, message: string, retryAfterMs?: number, code?: number) {
    super(message);
    this.name = 'NodeError';
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
    this.code = code;
  }
}

const LIMIT_EXCEEDED = -32005;
const SUCCESS_STATUS = 200;
/** Characters of a node's message that are kept. */
const MAX_MESSAGE_LENGTH = 200;
/** The same with what it adds in `data`. */
const MAX_TEXT_LENGTH = 400;

/** What each kind of refusal means for one that asks for blocks: it never asks for logs of a range. */
const KINDS: Readonly<Record<RefusalKind, NodeErrorKind>> = {
  addresses: 'refused',
  range: 'too_large',
  results: 'too_large',
  batch: 'no_batches',
  batch_size: 'too_large',
  pruned: 'pruned',
  unknown: 'refused',
  time: 'timeout',
  method: 'unsupported',
  plan: 'unsupported',
  rate: 'rate_limited',
  quota: 'rate_limited',
  auth: 'unavailable',
};
/** Words that mean something to one that asks for blocks, and nothing that all nodes agree on. */
const MESSAGES: readonly (readonly [RegExp, NodeErrorKind])[] = [
  [/throughput|try again later/i, 'rate_limited'],
  [
    /too (large|big|many)|exceeds? .*(size|limit|max)|(batch|response) (size|limit)|more than \d+/i,
    'too_large',
  ],
  [/resource not found/i, 'pruned'],
];

/** What a request was that a node refused. */
interface RefusedRequest {
  /** @default a method without words of its own */
  readonly method?: string;
  /** HTTP status. @default 200 */
  readonly status?: number;
  /** Texts of `error.data`. */
  readonly data?: readonly string[];
}

/** What a JSON-RPC error means: nodes agree on few codes, so that the words count most. */
export function nodeErrorOf(code: number, message: string, request: RefusedRequest = {}): NodeError {
  const { method = '', status = SUCCESS_STATUS, data = [] } = request;
  const text = [message.slice(0, MAX_MESSAGE_LENGTH), ...data].join('; ').slice(0, MAX_TEXT_LENGTH);
  const errorOf = (kind: NodeErrorKind) => new NodeError(kind, text, undefined, code);
  // Contracts choose the words of their reverts.
  if (saysReverted(text)) return errorOf('refused');
  const kind = readRefusal({ method, status, code, message: text });
  if (kind !== undefined) return errorOf(KINDS[kind]);
  const told = MESSAGES.find(([pattern]) => pattern.test(text))?.[1];
  return errorOf(told ?? (code === LIMIT_EXCEEDED ? 'rate_limited' : 'refused'));
}

/** What a response without JSON means: there is only its status, and maybe a text. */
export function textErrorOf(status: number, text: string): NodeError {
  const kind = readRefusal({ method: '', status, message: text.slice(0, MAX_MESSAGE_LENGTH) });
  const isStanding = kind === 'plan' || kind === 'method' || kind === 'quota' || kind === 'rate';
  return new NodeError(isStanding ? KINDS[kind] : 'unavailable', `no JSON (HTTP ${status})`);
}

/** Why a block has no traces when the node failed like this. */
export function traceGapReason(kind: NodeErrorKind): TraceGapReason {
  if (kind === 'pruned') return 'node_pruned';
  if (kind === 'timeout' || kind === 'rate_limited') return 'timeout';
  return kind === 'unsupported' ? 'unsupported' : 'rpc_error';
}
