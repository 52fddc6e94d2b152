import { MAX_MESSAGE_LENGTH, REVERT_CODE } from './error-message.ts';
import { readRefusal } from './refusal-kind.ts';
import type { LimitRefusal } from './subscription-limit.ts';

/**
 * What every node that has the state says alike of an execution or a transaction, by what is wrong with it. Only what is known
 * to be final stands here: whatever is missing costs one question more, and a word too many is a wrong answer. Spans are
 * bounded: a message can be as long as a client makes it.
 */
const OF_EXECUTION: readonly RegExp[] = [
  // A revert: the rest of the words can be those of a contract. So can those of a tracer that throws.
  /revert|vm (?:execution|exception)|\btracer\b/i,
  // Funds.
  /insufficient (?:funds|balance)|(?:exceeds?|not enough|more than) (?:account |sender |transaction sender |the )?(?:account )?balance/i,
  // Nonce.
  /nonce (?:is )?(?:too|has|mismatch)|(?:invalid|incorrect|wrong|old) ?nonce/i,
  // Gas.
  /out ?of ?gas|intrinsic ?gas|gas (?:required|limit|price|uint64|allowance|too low)|exceeds .{0,40}\bgas\b|fee ?cap|max ?(?:priority ?)?fee|base ?fee|underpriced/i,
  // Stack, jumps, instructions.
  /stack ?(?:underflow|overflow|limit|length)|(?:invalid|bad|undefined) ?(?:opcode|instruction|jump)|invalid code/i,
  // Code size, call depth, static violation.
  /(?:init)?code ?size|(?:call |max )depth|write protection|static ?(?:call|state) ?(?:violation|change)/i,
  // The account that signed: no other node would take more of it.
  /sender is over rate limit|sender account not authorized|\btransaction rejected\b/i,
];
/** An argument that no node reads. */
const OF_ARGUMENT =
  /invalid (?:\w+ )?(?:argument|param|hex|address|json|input|sender|signature|chain ?id|block range|block (?:number|tag|hash))|missing (?:value|argument|param|required)|unmarshal|cannot decode|hex (?:string|number)|too (?:few|many) (?:arguments|param)|unknown (?:account|field)|unsupported (?:tx|transaction) type|tx type not supported/i;
/** A node that is unwell, in words that say nothing of the call. Another may do better. */
const UNWELL =
  /capacity|internal error|time[ -]?out|timed out|temporarily|unavailable|try again|overload|still in progress|crashed/i;

/** Characters of unknown words that are logged. */
const MAX_TOLD_LENGTH = 200;

const URLS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/\S+/gi;
/** Long and with a digit: a key, a hash or an address. */
const TOKENS = /\b(?=[\w-]*\d)[\w-]{20,}/g;

/** Numbers, in any notation. */
const VARIABLE = /\b(?:0x[\da-f]+|\d[\d.,]*)/gi;

/** Whether a node's error is a verdict on the execution or the transaction of the call, whichever node is asked. */
export function saysOfExecution(code: number | undefined, message: string): boolean {
  const words = message.slice(0, MAX_MESSAGE_LENGTH);
  return code === REVERT_CODE || OF_EXECUTION.some((known) => known.test(words));
}

/** Whether it is about an argument of the call. A node can say of a block that it lacks in such words: that is read before. */
export function saysOfArgument(message: string): boolean {
  return OF_ARGUMENT.test(message.slice(0, MAX_MESSAGE_LENGTH));
}

/** Whether it says that the node is unwell. */
export function saysUnwell(message: string): boolean {
  return UNWELL.test(message.slice(0, MAX_MESSAGE_LENGTH));
}

/** Whether a node refused a call in words that are in no table: neither those of what is final, nor those of a lack. */
export function isUnknownRefusal(refusal: LimitRefusal): boolean {
  const { code, message = '' } = refusal;
  if (code === undefined || message === '' || saysOfExecution(code, message)) return false;
  return readRefusal(refusal) === undefined && !saysOfArgument(message) && !saysUnwell(message);
}

/** The first words of a node's message, without what can be a key, an address or a URL. */
export function publicWords(message: string): string {
  const words = message.slice(0, MAX_MESSAGE_LENGTH).replaceAll(URLS, '<url>').replaceAll(TOKENS, '<token>');
  return words.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_TOLD_LENGTH).toWellFormed();
}

/** The same without what changes from call to call: words of two refusals for one reason are equal. */
export function steadyWords(message: string): string {
  return publicWords(message).replaceAll(VARIABLE, '#');
}
