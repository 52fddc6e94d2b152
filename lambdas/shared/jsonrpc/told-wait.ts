import { readJson } from './json-values.ts';

const MS_PER_SECOND = 1_000;
/** Longest text that is searched for a wait, in UTF-16 units: a refusal is short. */
const MAX_TEXT_LENGTH = 4_096;
/** How deep the members of a refusal are searched. */
const MAX_DEPTH = 4;

const SECONDS = /^\s*(\d{1,12}(?:\.\d{1,9})?)\s*$/;
/** The three forms of a date in HTTP begin with the day of the week. */
const DATE = /^\s*(?:mon|tue|wed|thu|fri|sat|sun)/i;
const SECONDS_MEMBER = /^(?:retry[_-]?(?:after|in)|backoff)(?:[_-]?(?:s|secs?|seconds?))?$/i;
const MS_MEMBER = /^(?:retry[_-]?(?:after|in)|backoff)[_-]?(?:ms|millis|milliseconds)$/i;
const DURATION_MEMBER = /^(?:try_again_in|retry[_-]?(?:after|in))$/i;
/** A duration in words, such as `1h2m3.5s` or `30 seconds`. */
const DURATION = /^\s*(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,9}(?:\.\d{1,9})?)s)?\s*$/;
const IN_WORDS =
  /\b(?:try again|retry|wait)(?: again)?(?: after| in| for)? (\d{1,9}(?:\.\d{1,9})?) ?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b/i;

/**
 * The wait that a header `Retry-After` asks for, in milliseconds: from seconds or a date. Undefined for anything else,
 * such as a date that is past. A date is held against this machine's clock, so it must be bounded.
 */
export function waitInHeader(header: string | undefined, now: number): number | undefined {
  if (header === undefined || header.length > MAX_TEXT_LENGTH) return undefined;
  const seconds = SECONDS.exec(header)?.[1];
  if (seconds !== undefined) return positive(Number(seconds) * MS_PER_SECOND);
  return DATE.test(header) ? positive(Date.parse(header) - now) : undefined;
}

/**
 * The wait that a refusal's text asks for, in milliseconds: in a member of its JSON (`retry_after`, `backoff_seconds`,
 * `try_again_in`), however deep, else in its words. Undefined if it names none.
 */
export function waitInText(text: string): number | undefined {
  const searched = text.slice(0, MAX_TEXT_LENGTH);
  return waitInMembers(readJson(searched), 0) ?? waitInWords(searched);
}

function waitInMembers(value: unknown, depth: number): number | undefined {
  if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const wait = waitOfMember(name, member) ?? waitInMembers(member, depth + 1);
    if (wait !== undefined) return wait;
  }
  return undefined;
}

function waitOfMember(name: string, member: unknown): number | undefined {
  if (typeof member !== 'number' && typeof member !== 'string') return undefined;
  const number = typeof member === 'number' ? member : Number(SECONDS.exec(member)?.[1]);
  if (Number.isFinite(number)) {
    if (MS_MEMBER.test(name)) return positive(number);
    return SECONDS_MEMBER.test(name) ? positive(number * MS_PER_SECOND) : undefined;
  }
  return typeof member === 'string' && DURATION_MEMBER.test(name) ? durationMs(member) : undefined;
}

function durationMs(text: string): number | undefined {
  const [, hours = '0', minutes = '0', seconds = '0'] = DURATION.exec(text) ?? [];
  return positive((Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * MS_PER_SECOND);
}

function waitInWords(text: string): number | undefined {
  const [, count, unit = ''] = IN_WORDS.exec(text) ?? [];
  if (count === undefined) return undefined;
  return positive(Number(count) * msPer(unit.toLowerCase()));
}

function msPer(unit: string): number {
  if (unit.startsWith('ms') || unit.startsWith('milli')) return 1;
  if (unit.startsWith('h')) return 3_600 * MS_PER_SECOND;
  return unit.startsWith('m') ? 60 * MS_PER_SECOND : MS_PER_SECOND;
}

function positive(ms: number): number | undefined {
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}
