import type { Call, UpstreamResponse } from '../../jsonrpc/calls.ts';
import { nodesOwnWords } from '../../jsonrpc/client-words.ts';
import { wordsOf } from '../../jsonrpc/error-message.ts';
import { hasLimitWords, type LimitReading, readLimit } from '../../jsonrpc/subscription-limit.ts';
import { waitInHeader, waitInText } from '../../jsonrpc/told-wait.ts';
import { methodFacts } from '../../methods/method-facts.ts';
import type { LimitNotice } from '../health/limit-pause.ts';
import type { SendOutcome } from './send-calls.ts';

/** Code of a revert, whose words are a contract's. */
const REVERT_CODE = 3;
/** Longest part of a refusal that is searched for a wait, in bytes. */
const MAX_TEXT_BYTES = 4_096;

/** A limit of an upstream's subscription that is the reason why a call has no response. */
export interface RefusedFor {
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
export function refusedFor(response: UpstreamResponse, refused: JudgedCall): RefusedFor | undefined {
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
