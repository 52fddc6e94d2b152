import { LOGS_METHOD } from '../methods/method-table.ts';
import { MAX_MESSAGE_LENGTH, saysOwnFault } from './error-message.ts';
import { readRefusal } from './refusal-kind.ts';
import { type LimitRefusal, saysOfCaller } from './subscription-limit.ts';

/** Characters of unknown words that are told. */
export const MAX_TOLD_LENGTH = 200;

const WRONG_PARAMETERS = -32602;
/** A revert, and a transaction that was refused. */
const CALL_CODES: ReadonlySet<number> = new Set([3, -32003]);
/** How nodes blame the call, and how they say that they are unwell. */
const KNOWN =
  /invalid|argument|param|unmarshal|cannot decode|hex string|missing value|not found|unknown (?:account|transaction)|internal error|temporarily|unavailable|try again|overload|capacity|gas|balance|fee cap|signature|chain ?id|tx type|transaction type/i;
const URLS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/\S+/gi;
/** Long and with a digit: a key, a hash or an address. */
const TOKENS = /\b(?=[\w-]*\d)[\w-]{20,}/g;

/** Whether a node refused a call in words of which nothing is known: neither what is refused, nor that it lies in the call. */
export function isUnknownRefusal(refusal: LimitRefusal): boolean {
  const { method, code, message = '' } = refusal;
  if (code === undefined || message === '' || CALL_CODES.has(code)) return false;
  // Some providers give this code to a range.
  if (code === WRONG_PARAMETERS && method !== LOGS_METHOD) return false;
  const words = message.slice(0, MAX_MESSAGE_LENGTH);
  if (saysOfCaller(words) || saysOwnFault(words)) return false;
  return !KNOWN.test(words) && readRefusal(refusal) === undefined;
}

/** The first words of a node's message, without what can be a key, an address or a URL. */
export function publicWords(message: string): string {
  const words = message.slice(0, MAX_MESSAGE_LENGTH).replaceAll(URLS, '<url>').replaceAll(TOKENS, '<token>');
  return words.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_TOLD_LENGTH).toWellFormed();
}
