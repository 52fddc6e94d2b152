import { createHash } from 'node:crypto';
import type { Key, Plan } from './plan.ts';
import { isDay, isTime } from './time-text.ts';

const VERSION = 1;
const HASH_CHARACTERS = 22;

/** Where a page ended. */
export interface Position {
  /** Values of the keys of the last row, as text. */
  readonly keys: readonly string[];
  /** The window of the first page, which all pages share. */
  readonly window?: readonly [from: number, to: number];
  /** Whether the first page's window was not all that was asked for. */
  readonly cut: boolean;
  /** Id of the balances snapshot that all pages are of. */
  readonly snapshot?: number;
}

/** What a cursor belongs to: whoever asks for something else with it is refused. */
export interface CursorScope {
  readonly account: string;
  readonly chain: string;
  readonly operationId: string;
  /** All parameters but the cursor and the page's size. */
  readonly filters: Readonly<Record<string, unknown>>;
}

/** What of a plan says which positions its cursors have. */
export type CursorShape = Pick<Plan, 'window' | 'ofSnapshot'> & {
  readonly keys: readonly Pick<Key, 'type'>[];
};

/** Largest value of each kind of number. */
const MAX_BIGINT = BigInt(Number.MAX_SAFE_INTEGER);
const MAX_INTEGER = 2n ** 31n - 1n;
const MAX_SMALLINT = 2n ** 15n - 1n;
const MAX_NUMERIC = 10n ** 78n - 1n;
const DIGITS = /^\d{1,78}$/;
const BYTES = /^0x(?:[0-9a-f]{2}){0,64}$/;
const TEXT = /^[a-z0-9_]{1,63}$/;

/** Whether a text is a key of its kind: nothing else is handed on to the database, and as a parameter at that. */
const IS_KEY: { readonly [Type in Key['type']]: (text: string) => boolean } = {
  bigint: (text) => isNumber(text, MAX_BIGINT),
  integer: (text) => isNumber(text, MAX_INTEGER),
  smallint: (text) => isNumber(text, MAX_SMALLINT),
  numeric: (text) => isNumber(text, MAX_NUMERIC),
  bytea: (text) => BYTES.test(text),
  date: isDay,
  text: (text) => TEXT.test(text),
  timestamptz: isTime,
};

function isNumber(text: string, most: bigint): boolean {
  return DIGITS.test(text) && BigInt(text) <= most;
}

/** Renders a cursor. */
export function renderCursor(position: Position, scope: CursorScope): string {
  const { keys, window, cut, snapshot } = position;
  const content = {
    v: VERSION,
    h: hashOf(scope),
    k: keys,
    ...(window && { w: window }),
    ...(cut && { c: 1 }),
    ...(snapshot !== undefined && { s: snapshot }),
  };
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

/** Reads a cursor; undefined if it is none of this query. */
export function parseCursor(
  text: string,
  scope: CursorScope,
  { keys, window, ofSnapshot }: CursorShape,
): Position | undefined {
  const content = parseJson(Buffer.from(text, 'base64url').toString());
  if (content?.v !== VERSION || content.h !== hashOf(scope)) return undefined;
  const { k, w, c, s } = content;
  if (!isKeys(k, keys)) return undefined;
  if (window === undefined ? w !== undefined : !isWindow(w)) return undefined;
  if (ofSnapshot === true ? !Number.isSafeInteger(s) : s !== undefined) return undefined;
  return {
    keys: k,
    cut: c === 1,
    ...(isWindow(w) && { window: w }),
    ...(typeof s === 'number' && { snapshot: s }),
  };
}

function isKeys(value: unknown, keys: CursorShape['keys']): value is string[] {
  return (
    Array.isArray(value) &&
    value.length === keys.length &&
    keys.every(({ type }, index) => typeof value[index] === 'string' && IS_KEY[type](value[index]))
  );
}

function isWindow(value: unknown): value is [from: number, to: number] {
  return Array.isArray(value) && value.length === 2 && value.every(Number.isSafeInteger);
}

function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function hashOf({ account, chain, operationId, filters }: CursorScope): string {
  const names = Object.keys(filters).sort();
  const parts = [account, chain, operationId, ...names.flatMap((name) => [name, filters[name] ?? null])];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, HASH_CHARACTERS);
}
