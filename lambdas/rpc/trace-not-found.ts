import type { Call, NodeAnswer } from './calls.ts';
import { messageOf, saysOwnFault, saysStateGone } from './error-message.ts';
import { failed } from './match-answers.ts';
import { bringsTracer } from './own-tracer.ts';

const TRACE_METHOD = /^debug_trace/;
const TRANSACTION_METHOD = 'debug_traceTransaction';
/** Traces of what there is, or is not. The others are of calls that the client makes up. */
const LOOKING_METHOD = /^debug_trace(?:Transaction|Block)/;
/** What a message starts with if it is about a block or a transaction. What it quotes can be words of the client. */
const SUBJECT =
  /^(?:(?:can ?not|could not) find |unknown |no |such |the |requested )*(?:transaction|tx\b|block|header|resource)[^"'`]{0,200}$/i;
const NOT_FOUND =
  /not found|cannot find|could not find|does not exist|doesn't exist|out ?of ?range|unknown (?:block|header|transaction)/i;
/** Pruned history: it was there. */
const GONE_CODE = 4444;
const NULL = Buffer.from('null');
/** A trace of nothing is shorter than this, in bytes. */
const MAX_EMPTY_TRACE_BYTES = 256;

/**
 * The answer to a trace, which is an error of ours if it says, in whatever words a node has for it, that there is no
 * such transaction or block. What the client's own tracer says stays as it is.
 * `untraced`: the trace is that of a transaction that does not exist.
 */
export function normaliseNotFound(call: Call, answer: NodeAnswer, untraced = false): NodeAnswer {
  const { method } = call;
  if (!TRACE_METHOD.test(method) || !(untraced || saysNotFound(method, answer))) return answer;
  if (bringsTracer(call)) return answer;
  return failed(method === TRANSACTION_METHOD ? 'transaction_not_found' : 'block_not_found');
}

function saysNotFound(method: string, answer: NodeAnswer): boolean {
  switch (answer.kind) {
    case 'result':
      return NULL.equals(answer.result) && LOOKING_METHOD.test(method);
    case 'error': {
      const message = messageOf(answer);
      if (answer.code === GONE_CODE || saysStateGone(message) || saysOwnFault(message)) return false;
      return SUBJECT.test(message) && NOT_FOUND.test(message);
    }
    case 'failed':
      return false;
  }
}

/**
 * Whether an answer is the trace of a transaction without a step and without gas. Some nodes answer it for a
 * transaction that they do not know, others for one that a layer 2 makes itself.
 */
export function isEmptyTrace(call: Call, answer: NodeAnswer): boolean {
  if (call.method !== TRANSACTION_METHOD || answer.kind !== 'result') return false;
  const { result } = answer;
  if (result.length > MAX_EMPTY_TRACE_BYTES || bringsTracer(call)) return false;
  const trace = JSON.parse(Buffer.from(result).toString()) as Record<string, unknown> | null;
  return trace?.gas === 0 && Array.isArray(trace.structLogs) && trace.structLogs.length === 0;
}
