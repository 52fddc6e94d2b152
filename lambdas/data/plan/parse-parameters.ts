import { printable } from '../../shared/http/printable.ts';
import type { ParameterEntry } from '../operations/operation-entry.ts';
import { isDay, readTime } from './time-text.ts';

const MAX_INTEGER_CHARACTERS = 16;
const INTEGER = /^(?:0|[1-9]\d*)$/;
const DIGITS = /^\d+$/;

export type ParameterValues = Readonly<Record<string, string | number | boolean | undefined>>;

type ParsedParameters =
  | { readonly ok: true; readonly values: ParameterValues }
  /** The message names the parameter. */
  | { readonly ok: false; readonly message: string };

/**
 * Reads the parameters of an operation, with their defaults.
 * @param path values of the path, percent-encoded
 * @param query all values of each query parameter
 */
export function parseParameters(
  entries: readonly ParameterEntry[],
  path: Readonly<Record<string, string>>,
  query: Readonly<Record<string, readonly string[] | undefined>>,
): ParsedParameters {
  const known = new Set(entries.filter((entry) => entry.in === 'query').map(({ name }) => name));
  const unknown = Object.keys(query).find((name) => !known.has(name));
  if (unknown !== undefined) return refuse(`unknown parameter: ${printable(unknown)}`);
  const values: Record<string, string | number | boolean | undefined> = {};
  for (const entry of entries) {
    const { name } = entry;
    const texts = entry.in === 'path' ? [path[name] ?? ''] : (query[name] ?? []);
    if (texts.length > 1) return refuse(`${name} must be given only once`);
    const [text] = texts;
    if (text === undefined) {
      if (entry.required) return refuse(`${name} is required`);
      values[name] = entry.default;
      continue;
    }
    const value = readValue(entry, text);
    if (value === undefined) return refuse(`${name} must be ${describe(entry)}`);
    values[name] = value;
  }
  return { ok: true, values };
}

function refuse(message: string): ParsedParameters {
  return { ok: false, message };
}

function readValue(entry: ParameterEntry, text: string): string | number | boolean | undefined {
  switch (entry.kind) {
    case 'integer':
      return readInteger(entry, text);
    case 'height':
      return DIGITS.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : undefined;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'enum':
      return entry.values.includes(text) ? text : undefined;
    case 'time':
      return readTime(text);
    case 'day':
      return isDay(text) ? text : undefined;
    case 'pattern':
      if (!entry.pattern.test(text)) return undefined;
      return entry.foldCase ? text.toLowerCase() : text;
    case 'text':
      return text.length > 0 && text.length <= entry.maxLength && !hasControl(text) ? text : undefined;
  }
}

function readInteger({ minimum, maximum }: { minimum: number; maximum: number }, text: string) {
  if (text.length > MAX_INTEGER_CHARACTERS || !INTEGER.test(text)) return undefined;
  const value = Number(text);
  return value >= minimum && value <= maximum ? value : undefined;
}

/** PostgreSQL has no text with a NUL, and no name needs another control character or half a character. */
function hasControl(text: string): boolean {
  return /[\p{Cc}\p{Cs}]/u.test(text);
}

/** The forms of parameters in words: people read these messages. */
const FORMS: Readonly<Record<string, string>> = {
  '^0x[0-9a-fA-F]{40}$': '0x and 40 hexadecimal digits',
  '^0x[0-9a-fA-F]{64}$': '0x and 64 hexadecimal digits',
  '^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$': '0x and 40 or 64 hexadecimal digits',
  '^0x[0-9a-fA-F]{40}(,0x[0-9a-fA-F]{40}){0,49}$': '1 to 50 addresses separated by commas',
  '^0x[0-9a-fA-F]{40}(,0x[0-9a-fA-F]{40}){0,99}$': '1 to 100 addresses separated by commas',
  '^0x[0-9a-fA-F]{64}(,0x[0-9a-fA-F]{64}){0,99}$': '1 to 100 hashes separated by commas',
  '^(0|[1-9][0-9]{0,77})$': 'a whole number of at most 78 digits',
  '^[0-9]{1,60}([.][0-9]{1,60})?$': 'a decimal number of at most 60 digits before and after its point',
  '^[a-z0-9_]{1,40}$': '1 to 40 lower-case letters, digits and underscores',
  '^[A-Za-z0-9_-]{1,1024}$': 'the next_cursor of a response',
};

function describe(entry: ParameterEntry): string {
  switch (entry.kind) {
    case 'integer':
      return `an integer from ${entry.minimum} to ${entry.maximum}`;
    case 'height':
      return 'the number of a block';
    case 'boolean':
      return 'true or false';
    case 'enum':
      return `one of ${entry.values.join(', ')}`;
    case 'time':
      return 'a time like 2026-01-31T12:00:00Z, or seconds since 1970';
    case 'day':
      return 'a day like 2026-01-31';
    case 'pattern':
      return FORMS[entry.pattern.source] ?? 'as the description of the API says';
    case 'text':
      return `a text of 1 to ${entry.maxLength} characters`;
  }
}
