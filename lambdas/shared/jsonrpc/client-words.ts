import type { Call } from './calls.ts';
import { MAX_MESSAGE_LENGTH } from './error-message.ts';

/** Shorter words of a client are no sign of anything, in UTF-16 units. */
const MIN_WORD_LENGTH = 3;
/** Words of one call that are looked for in a message. A call with more of them can make a message of anything. */
const MAX_WORDS = 256;

/**
 * What of a node's message is its own words: without the method, the strings and the names of members that the client
 * sent, in any case and spelling. Empty if there are too many of them to tell.
 */
export function nodesOwnWords(message: string, { method, params }: Pick<Call, 'method' | 'params'>): string {
  const words = new Set([method.toLowerCase()]);
  const json = params === undefined ? '[]' : Buffer.from(params).toString();
  if (!collectWords(JSON.parse(json), words)) return '';
  // The node's own words come first.
  let own = message.slice(0, MAX_MESSAGE_LENGTH).toLowerCase();
  // The longest first: a shorter one can be part of it.
  for (const word of [...words].sort((one, other) => other.length - one.length))
    own = own.replaceAll(word, ' ');
  return own;
}

/** Returns whether there was room for all. */
function collectWords(value: unknown, words: Set<string>): boolean {
  if (typeof value === 'string') {
    if (value.length >= MIN_WORD_LENGTH) words.add(value.toLowerCase());
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      if (!Array.isArray(value) && name.length >= MIN_WORD_LENGTH) words.add(name.toLowerCase());
      if (words.size > MAX_WORDS || !collectWords(member, words)) return false;
    }
  }
  return words.size <= MAX_WORDS;
}
