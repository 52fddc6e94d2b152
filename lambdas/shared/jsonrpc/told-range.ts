import { MAX_MESSAGE_LENGTH } from './error-message.ts';

/** A range that a node suggests, by the numbers of its ends. */
const SUGGESTED = /\[\s*(0x[\da-f]{1,13})\s*,\s*(0x[\da-f]{1,13})\s*\]/i;
const SUGGESTED_DECIMAL = /range (\d{1,13})-(\d{1,13})\s*$/i;
const HEX = /0x[\da-f]+/gi;
/** A number, maybe with commas between thousands, or in thousands. */
const NUMBER = /(?<![\w.])(\d{1,3}(?:,\d{3})+|\d{1,13})(k)?(?![\w.]*\d)/gi;
const THOUSAND = 1_000;
/** Share of a refused range that is tried next where a node names no number, and the most blocks then. */
const CAUTIOUS_SHARE = 8;
const CAUTIOUS_BLOCKS = 1_000;

/** How many blocks to ask for next after a refusal of so many that names no number. */
export function cautiousBlocks(refused: number): number {
  return Math.min(CAUTIOUS_BLOCKS, Math.ceil(refused / CAUTIOUS_SHARE));
}

/** How many blocks the range has that a node suggests in its words; undefined if it suggests none. */
export function suggestedBlocks(words: string): number | undefined {
  const text = words.slice(0, MAX_MESSAGE_LENGTH);
  const [, from, to] = SUGGESTED.exec(text) ?? SUGGESTED_DECIMAL.exec(text) ?? [];
  if (from === undefined || to === undefined) return undefined;
  const blocks = Number(to) - Number(from) + 1;
  return blocks >= 1 ? blocks : undefined;
}

/**
 * How many blocks pass for certain where a node refuses a range: what it suggests, else one less than the last number that
 * it names, for `up to N` is N blocks here and N + 1 there. Undefined if it names none.
 */
export function toldBlocks(words: string): number | undefined {
  const suggested = suggestedBlocks(words);
  if (suggested !== undefined) return suggested;
  const [last] = [...words.slice(0, MAX_MESSAGE_LENGTH).replace(HEX, '').matchAll(NUMBER)].slice(-1);
  if (last === undefined) return undefined;
  const [, digits = '', thousands] = last;
  const number = Number(digits.replaceAll(',', '')) * (thousands === undefined ? 1 : THOUSAND);
  return number >= 1 ? Math.max(1, number - 1) : undefined;
}
