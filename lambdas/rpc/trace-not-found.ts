import type { Call, NodeAnswer } from './calls.ts';
import { messageOf, saysStateGone } from './error-message.ts';
import { failed } from './match-answers.ts';

const TRACE_METHOD = /^debug_trace/;
const TRANSACTION_METHOD = 'debug_traceTransaction';
const NOT_FOUND =
  /not found|cannot find|could not find|does not exist|doesn't exist|out ?of ?range|unknown (?:block|header|transaction)/i;
const SUBJECT = /transaction|\btx\b|block|header|resource/i;
/** Pruned history: it was there. */
const GONE_CODE = 4444;
const NULL = Buffer.from('null');
/** A trace of nothing is shorter than this, in bytes. */
const MAX_EMPTY_TRACE_BYTES = 256;

/**
 * The answer to a trace, which is an error of ours if it says, in whatever words a node has for it, that there is no
 * such transaction or block.
 */
export function normaliseNotFound({ method }: Call, answer: NodeAnswer): NodeAnswer {
  if (!TRACE_METHOD.test(method) || !saysNotFound(method, answer)) return answer;
  return failed(method === TRANSACTION_METHOD ? 'transaction_not_found' : 'block_not_found');
}

function saysNotFound(method: string, answer: NodeAnswer): boolean {
  switch (answer.kind) {
    case 'result':
      return NULL.equals(answer.result) || (method === TRANSACTION_METHOD && isEmptyTrace(answer.result));
    case 'error': {
      const message = messageOf(answer);
      const gone = answer.code === GONE_CODE || saysStateGone(message);
      return !gone && NOT_FOUND.test(message) && SUBJECT.test(message);
    }
    case 'failed':
      return false;
  }
}

/** What some nodes answer for an unknown transaction: a trace without a step and without gas, which none has. */
function isEmptyTrace(result: Uint8Array): boolean {
  if (result.length > MAX_EMPTY_TRACE_BYTES) return false;
  const trace = JSON.parse(Buffer.from(result).toString()) as Record<string, unknown>;
  return trace.gas === 0 && Array.isArray(trace.structLogs) && trace.structLogs.length === 0;
}
