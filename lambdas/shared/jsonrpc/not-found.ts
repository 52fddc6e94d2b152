import type { Call, UpstreamResponse } from './calls.ts';
import { hasCustomTracer } from './custom-tracer.ts';
import { messageOf, SERVER_ERROR_CODE, saysOwnFault, saysStateGone } from './error-message.ts';
import { failed } from './match-responses.ts';

type Missing = 'transaction' | 'block';

const TRACE_METHOD = /^debug_trace/;
const TRANSACTION_METHOD = 'debug_traceTransaction';
/** Traces of what there is, or is not. The others are of calls that the client makes up. */
const LOOKING_METHOD = /^debug_trace(?:Transaction|Block)/;
/** What a message starts with if it is about a block or a transaction. What it quotes can be words of the client. */
const SUBJECT =
  /^(?:(?:can ?not|could not) find |unknown |no |such |the |requested )*(?:transaction|tx\b|block|header|resource)[^"'`]{0,200}$/i;
const NOT_FOUND =
  /not found|cannot find|could not find|does not exist|doesn't exist|out ?of ?range|unknown (?:block|header|transaction)/i;
/** The same in the words of the table, maybe with what it is that is not there. */
const TABLE_WORDS = /^(?:the |requested )*(transaction|block)(?: [^"'`]{0,200})? not found\b/i;
/** Pruned history: it was there. */
const GONE_CODE = 4444;
const NULL = Buffer.from('null');
/** A trace of nothing is shorter than this, in bytes. */
const MAX_EMPTY_TRACE_BYTES = 256;

/**
 * Turns "no such transaction or block" into the gateway's own error. For traces any wording of a node counts, otherwise
 * only the words of the error table.
 * `untraced`: the trace belongs to a transaction that does not exist.
 */
export function normaliseNotFound(
  call: Call,
  response: UpstreamResponse,
  untraced = false,
): UpstreamResponse {
  const isTrace = TRACE_METHOD.test(call.method);
  const missing = isTrace ? findMissingOfTrace(call, response, untraced) : findMissing(response);
  return missing === undefined ? response : failed(`${missing}_not_found`);
}

function findMissingOfTrace(call: Call, response: UpstreamResponse, untraced: boolean): Missing | undefined {
  if (!untraced && !saysNotFound(call, response)) return undefined;
  return call.method === TRANSACTION_METHOD ? 'transaction' : 'block';
}

function findMissing(response: UpstreamResponse): Missing | undefined {
  if (response.kind !== 'error' || response.code !== SERVER_ERROR_CODE) return undefined;
  const message = messageOf(response);
  if (saysStateGone(message) || saysOwnFault(message)) return undefined;
  return TABLE_WORDS.exec(message)?.[1]?.toLowerCase() as Missing | undefined;
}

function saysNotFound(call: Call, response: UpstreamResponse): boolean {
  switch (response.kind) {
    case 'result':
      // What code of the client has for a result is the client's own.
      return NULL.equals(response.result) && LOOKING_METHOD.test(call.method) && !hasCustomTracer(call);
    case 'error': {
      const message = messageOf(response);
      if (response.code === GONE_CODE || saysStateGone(message) || saysOwnFault(message)) return false;
      return SUBJECT.test(message) && NOT_FOUND.test(message);
    }
    case 'failed':
      return false;
  }
}

/**
 * Whether a response is the trace of a transaction without a step and without gas. Some nodes return one for an unknown
 * transaction, others for a transaction that a layer 2 makes itself.
 */
export function isEmptyTrace(call: Call, response: UpstreamResponse): boolean {
  if (call.method !== TRANSACTION_METHOD || response.kind !== 'result') return false;
  const { result } = response;
  if (result.length > MAX_EMPTY_TRACE_BYTES || hasCustomTracer(call)) return false;
  const trace = JSON.parse(Buffer.from(result).toString()) as Record<string, unknown> | null;
  return trace?.gas === 0 && Array.isArray(trace.structLogs) && trace.structLogs.length === 0;
}
