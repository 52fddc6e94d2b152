import { createHash } from 'node:crypto';
import type { Key } from './plan.ts';

const VERSION = 1;
const HASH_CHARACTERS = 22;

/** Where a page ended. */
export interface Position {
  /** Values of the keys of the last row, as text. */
  readonly keys: readonly string[];
  /** The window of the first page, which all pages share. */
  readonly window?: readonly [from: number, to: number];
  /** Whether the first page's window was cut. */
  readonly clamped: boolean;
}

/** What a cursor belongs to: whoever asks for something else with it is refused. */
export interface CursorScope {
  readonly account: string;
  readonly chain: string;
  readonly operationId: string;
  /** All parameters but the cursor and the page's size. */
  readonly filters: Readonly<Record<string, unknown>>;
}

/** Text of each kind of key: nothing else is handed on to the database, and as a parameter at that. */
const KEY_TEXT: { readonly [Type in Key['type']]: RegExp } = {
  bigint: /^\d{1,16}$/,
  integer: /^\d{1,10}$/,
  smallint: /^\d{1,5}$/,
  numeric: /^\d{1,78}$/,
  bytea: /^0x(?:[0-9a-f]{2}){0,64}$/,
  date: /^\d{4}-\d\d-\d\d$/,
  text: /^[a-z0-9_]{1,63}$/,
  timestamptz: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z$/,
};

/** Renders a cursor. */
export function renderCursor(position: Position, scope: CursorScope): string {
  const { keys, window, clamped } = position;
  const content = {
    v: VERSION,
    h: hashOf(scope),
    k: keys,
    ...(window && { w: window }),
    ...(clamped && { c: 1 }),
  };
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

/** Reads a cursor; undefined if it is none of this query. */
export function parseCursor(
  text: string,
  scope: CursorScope,
  keys: readonly Pick<Key, 'type'>[],
): Position | undefined {
  const content = parseJson(Buffer.from(text, 'base64url').toString());
  if (content?.v !== VERSION || content.h !== hashOf(scope)) return undefined;
  const { k, w, c } = content;
  if (!Array.isArray(k) || k.length !== keys.length) return undefined;
  if (!k.every((value, index) => isKey(value, keys[index]))) return undefined;
  if (w === undefined) return { keys: k as string[], clamped: c === 1 };
  if (!Array.isArray(w) || w.length !== 2 || !w.every((height) => Number.isSafeInteger(height)))
    return undefined;
  const [from, to] = w as [number, number];
  return { keys: k as string[], window: [from, to], clamped: c === 1 };
}

function isKey(value: unknown, key: Pick<Key, 'type'> | undefined): boolean {
  return typeof value === 'string' && key !== undefined && KEY_TEXT[key.type].test(value);
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
