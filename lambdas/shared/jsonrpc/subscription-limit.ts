import { LOGS_METHOD } from '../methods/method-table.ts';
import { MAX_MESSAGE_LENGTH, saysOwnFault, saysReverted, saysStateGone } from './error-message.ts';

/**
 * Why a provider refuses all calls of its subscriber, or all calls of one kind:
 * - `rate`: there are too many at the moment.
 * - `quota`: those of a day or a month are used up.
 * - `plan`: the method, the chain or the archive is not part of what the operator pays for.
 * - `auth`: the credential is not accepted.
 */
export type SubscriptionLimit = 'rate' | 'quota' | 'plan' | 'auth';

/** How the limit shows. Words alone can be a client's own, such as those that a contract or a tracer chooses. */
export interface LimitReading {
  readonly limit: SubscriptionLimit;
  readonly by: 'status' | 'code' | 'words';
}

/** A node's refusal of one call. */
export interface LimitRefusal {
  readonly method: string;
  /** HTTP status. */
  readonly status: number;
  /** Code and message of the error; absent if the response has no error that could be read. */
  readonly code?: number;
  readonly message?: string;
}

const TOO_MANY_REQUESTS = 429;
const PAYMENT_REQUIRED = 402;
const FORBIDDEN = 403;
const UNAUTHORIZED = 401;

/**
 * Codes of limits, which also mean a range, a size, a batch, or a verdict on a transaction (Besu): they count beside words of
 * a limit only.
 */
const LIMIT_CODES: ReadonlyMap<number, 'rate' | 'quota'> = new Map([
  [429, 'rate'],
  [402, 'quota'],
  [-32005, 'rate'],
  [-32007, 'rate'],
  [-32009, 'rate'],
  [-32097, 'rate'],
  [-32098, 'quota'],
  [-32605, 'rate'],
  [-32607, 'quota'],
]);
const PLAN_CODES: ReadonlySet<number> = new Set([-32612, -32613]);
const AUTH_CODE = -32099;

/** Spans are bounded: a message can be as long as a client makes it. */
/** What no other upstream would answer otherwise: it concerns the account that signed the transaction. */
const OF_SENDER = /sender is over rate limit/i;
const QUOTA =
  /quota|capacity (?:limit )?exceeded|usage limit|credit limit|daily (?:request|credit|limit)|monthly (?:request|credit|capacity|limit)|call limit reached|payment required|out of credits/i;
const RATE =
  /rate.?limit|too many (?:requests|calls)|request (?:rate|limit)|requests limited to|\/ ?sec(?:ond)?\b|\b(?:requests?|calls?|units?|credits?) per (?:second|sec|minute|min)\b|\brps\b|throttl|under too much load/i;
const AUTH =
  /must be authenticated|authentication failed|api key not found|invalid api key|token is invalid/i;
const PLAN =
  /\b(?:free|trial) ?tier\b|\b(?:current|your) plan\b|upgrade (?:to|your)|not (?:enabled|available) (?:for this app|on your plan)|access (?:to )?archive state|custom trace not found/i;
/** What a call asks for: then fewer blocks, results or calls pass, and the limit is one of the call. */
const ABOUT_CALL =
  /\branges?\b|\bblocks\b|\blogs\b|\bresults\b|\bquer(?:y|ies)\b|\bfilters?\b|\baddresses\b|number of address|paginat|\btopics\b|\bbatch\b|response|distance|time[ -]?out|timed out|too (?:large|big|wide|high)/i;
/** Says nothing of what is limited: with a code of a limit it is a rate; for logs a public node says so that it does not serve them. */
const BARE = /^\W*limit exceeded\W*$/i;

/**
 * Reads a refusal as one for a limit of the operator's subscription. Undefined if it is about the call (a range, a
 * number of results, a batch, a revert), or about nothing of this kind. Status first, then words: a code stands for a rate
 * here, for a range there, and for a gas price elsewhere.
 */
export function readLimit({ method, status, code, message = '' }: LimitRefusal): LimitReading | undefined {
  const words = message.slice(0, MAX_MESSAGE_LENGTH);
  if (status === TOO_MANY_REQUESTS || status === PAYMENT_REQUIRED) {
    return { limit: status === PAYMENT_REQUIRED || QUOTA.test(words) ? 'quota' : 'rate', by: 'status' };
  }
  if (saysOfCaller(words)) return undefined;
  const codeLimit = code === undefined ? undefined : LIMIT_CODES.get(code);
  const said = limitInWords(words);
  if (said !== undefined && codeLimit !== undefined) return { limit: said, by: 'code' };
  // A tracer that throws tells so, in words of the client.
  if (said !== undefined && !saysOwnFault(words)) return { limit: said, by: 'words' };
  if (saysAboutCall(words) || saysStateGone(words)) return undefined;
  if (BARE.test(words) && method === LOGS_METHOD) return { limit: 'plan', by: 'code' };
  if (BARE.test(words) && codeLimit !== undefined) return { limit: codeLimit, by: 'code' };
  return readStanding(status, code, words);
}

/** Whether a message is about what the caller sent: no other node would answer otherwise. */
export function saysOfCaller(message: string): boolean {
  return saysReverted(message) || OF_SENDER.test(message);
}

/** Whether a message says that a call asks for too much, or took too long. */
function saysAboutCall(message: string): boolean {
  return ABOUT_CALL.test(message) || saysOwnFault(message);
}

/** Whether any text has words that could be taken for a limit. */
export function hasLimitWords(text: string): boolean {
  return limitInWords(text) !== undefined || PLAN.test(text) || AUTH.test(text);
}

function limitInWords(words: string): 'rate' | 'quota' | undefined {
  if (QUOTA.test(words)) return 'quota';
  return RATE.test(words) ? 'rate' : undefined;
}

/** What the subscription does not have for any caller. */
function readStanding(status: number, code: number | undefined, words: string): LimitReading | undefined {
  if (status === UNAUTHORIZED) return { limit: 'auth', by: 'status' };
  if (code === AUTH_CODE) return { limit: 'auth', by: 'code' };
  if (AUTH.test(words)) return { limit: 'auth', by: status === FORBIDDEN ? 'status' : 'words' };
  if (status === FORBIDDEN) return { limit: 'plan', by: 'status' };
  if (code !== undefined && PLAN_CODES.has(code)) return { limit: 'plan', by: 'code' };
  return PLAN.test(words) ? { limit: 'plan', by: 'words' } : undefined;
}
