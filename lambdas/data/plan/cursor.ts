import { timingSafeEqual } from 'node:crypto';
import type { OrderKey, Plan } from './plan.ts';
import type { Seal } from './seal.ts';
import { isDay, isTime } from './time-text.ts';

const VERSION = 2;
/** Of the seal that a cursor begins with: 192 bits. */
const SEAL_CHARACTERS = 32;

/** Where a page ended. */
export interface Position {
  /** Values of the keys of the last row, as text. */
  readonly keys: readonly string[];
  /** The window of the first page, which all pages share. */
  readonly window?: readonly [from: number, to: number];
  /** Whether the first page's window was not all that was asked for. */
  readonly cut: boolean;
  /** Hash of the block of the last row, where that may be taken back. */
  readonly anchor?: string;
  /** Id of the balances snapshot that all pages are of. */
  readonly snapshot?: number;
}

/** What a cursor belongs to: a request for something else with it is refused. */
export interface CursorScope {
  readonly account: string;
  readonly chain: string;
  readonly operationId: string;
  /** All parameters but the cursor and the page's size. */
  readonly filters: Readonly<Record<string, unknown>>;
}

/** The part of a plan that fixes the shape of its cursors. */
export type CursorShape = Pick<Plan, 'window' | 'ofSnapshot' | 'finality'> & {
  readonly keys: readonly Pick<OrderKey, 'type'>[];
};

/** Largest value of each kind of number. */
const MAX_BIGINT = BigInt(Number.MAX_SAFE_INTEGER);
const MAX_INTEGER = 2n ** 31n - 1n;
const MAX_SMALLINT = 2n ** 15n - 1n;
const MAX_NUMERIC = 10n ** 78n - 1n;
const DIGITS = /^\d{1,78}$/;
/** A decimal fraction that is not negative. */
const FRACTION = /^\d{1,78}(?:\.\d{1,78})?$/;
const BYTES = /^0x(?:[0-9a-f]{2}){0,64}$/;
const HASH = /^0x[0-9a-f]{64}$/;
const TEXT = /^[a-z0-9_]{1,63}$/;

/** Whether a text is a key of its type: only such texts reach the database, and only as parameters. */
const IS_KEY: { readonly [Type in OrderKey['type']]: (text: string) => boolean } = {
  bigint: (text) => isNumber(text, MAX_BIGINT),
  integer: (text) => isNumber(text, MAX_INTEGER),
  smallint: (text) => isNumber(text, MAX_SMALLINT),
  numeric: (text) => isNumber(text, MAX_NUMERIC),
  fraction: (text) => FRACTION.test(text),
  bytea: (text) => BYTES.test(text),
  date: isDay,
  text: (text) => TEXT.test(text),
  timestamptz: isTime,
};

function isNumber(text: string, most: bigint): boolean {
  return DIGITS.test(text) && BigInt(text) <= most;
}

/** Renders a cursor: its seal, then where the page ended. */
export function renderCursor(position: Position, scope: CursorScope, seal: Seal): string {
  const { keys, window, cut, anchor, snapshot } = position;
  const content = {
    k: keys,
    ...(window && { w: window }),
    ...(cut && { c: 1 }),
    ...(anchor !== undefined && { b: anchor }),
    ...(snapshot !== undefined && { s: snapshot }),
  };
  const text = Buffer.from(JSON.stringify(content)).toString('base64url');
  return sealOf(text, scope, seal) + text;
}

/** Reads a cursor; undefined if it belongs to another query, or this stage did not make it. */
export function parseCursor(
  text: string,
  scope: CursorScope,
  { keys, window, ofSnapshot, finality }: CursorShape,
  seal: Seal,
): Position | undefined {
  const content = parseSealed(text, scope, seal);
  if (content === undefined) return undefined;
  const { k, w, c, b, s } = content;
  if (!isKeys(k, keys)) return undefined;
  if (window === undefined ? w !== undefined : !isWindow(w)) return undefined;
  if (window !== undefined && finality === 'latest' ? !isHash(b) : b !== undefined) return undefined;
  if (ofSnapshot === true ? !Number.isSafeInteger(s) : s !== undefined) return undefined;
  return {
    keys: k,
    cut: c === 1,
    ...(isWindow(w) && { window: w }),
    ...(isHash(b) && { anchor: b }),
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

function isHash(value: unknown): value is string {
  return typeof value === 'string' && HASH.test(value);
}

/** A window begins with the chain at the earliest. One that ends before it begins has no rows, and so no next page. */
function isWindow(value: unknown): value is [from: number, to: number] {
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    value.every(Number.isSafeInteger) &&
    value[0] >= 0 &&
    value[0] <= value[1]
  );
}

function parseSealed(text: string, scope: CursorScope, seal: Seal): Record<string, unknown> | undefined {
  const [sealed, content] = [text.slice(0, SEAL_CHARACTERS), text.slice(SEAL_CHARACTERS)];
  const expected = sealOf(content, scope, seal);
  const isOurs =
    sealed.length === expected.length && timingSafeEqual(Buffer.from(sealed), Buffer.from(expected));
  return isOurs ? parseJson(Buffer.from(content, 'base64url').toString()) : undefined;
}

function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function sealOf(text: string, { account, chain, operationId, filters }: CursorScope, seal: Seal): string {
  const entries = Object.keys(filters)
    .sort()
    .map((name) => [name, filters[name] ?? null]);
  return seal('cursor', [VERSION, account, chain, operationId, entries], text).slice(0, SEAL_CHARACTERS);
}
