import { type Alteration, withText } from '../altered-transport.ts';
import type { Json, JsonObject, Seen, SendRequest } from '../seen.ts';

type Alter = NonNullable<Alteration['alter']>;
/** Whether an alteration has to do with a request. */
export type Selects = (request: SendRequest) => boolean;

/** Alterations by the clause that shows them, and their names; those without one are of clauses that are not looked at. */
export function byClause(
  clauses: Readonly<Record<string, Readonly<Record<string, Alter | undefined>>>>,
): readonly Alteration[] {
  return Object.entries(clauses).flatMap(([shownBy, named]) =>
    Object.entries(named).map(([name, alter]) => ({ name, shownBy, ...(alter !== undefined && { alter }) })),
  );
}

/** Requests whose path ends so, up to a query. */
export function get(path: RegExp): Selects {
  return (request) => request.method === 'GET' && path.test(request.path);
}

/** Requests of one call of a method. */
export function calls(method: string | RegExp): Selects {
  return ({ body = '' }) => {
    const [, told = ''] = /^\{"jsonrpc":[^[]*?"method":"([^"]*)"/.exec(body) ?? [];
    return typeof method === 'string' ? told === method : method.test(told);
  };
}

export const batches: Selects = ({ body }) => body?.startsWith('[') === true;
export const anyCall: Selects = ({ method, path }) => method === 'POST' && !path.startsWith('/v1/data');
export const anyData: Selects = ({ path }) => path.startsWith('/v1/data');

/** Alters the JSON of answers with a status. */
export function json(selects: Selects, change: (body: JsonObject) => Json | undefined, status = 200): Alter {
  return (seen, request) => {
    if (!selects(request) || seen.status !== status || seen.json === undefined) return seen;
    return withText(seen, JSON.stringify(change(seen.json as JsonObject)) ?? '');
  };
}

/** Alters the text of answers. */
export function text(selects: Selects, change: (body: string) => string): Alter {
  return (seen, request) => (selects(request) ? withText(seen, change(seen.text)) : seen);
}

/** Alters a header of answers that have it; null takes it away. */
export function header(selects: Selects, name: string, change: (value: string) => string | null): Alter {
  return (seen, request) => {
    const value = seen.headers.get(name);
    return selects(request) && value !== null ? withHeader(seen, name, change(value)) : seen;
  };
}

/** Gives answers a header. */
export function added(selects: Selects, name: string, value: string): Alter {
  return (seen, request) => (selects(request) ? withHeader(seen, name, value) : seen);
}

function withHeader(seen: Seen, name: string, value: string | null): Seen {
  const headers = new Headers(seen.headers);
  if (value === null) headers.delete(name);
  else headers.set(name, value);
  return { ...seen, headers };
}

/** Gives answers with one status another one. */
export function status(selects: Selects, from: number, to: number): Alter {
  return (seen, request) => (selects(request) && seen.status === from ? { ...seen, status: to } : seen);
}

/** The same object with other members; those that are undefined are left out. */
export function merged(
  object: Json | undefined,
  members: Readonly<Record<string, Json | undefined>>,
): JsonObject {
  const entries = Object.entries({ ...(object as JsonObject), ...members });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as JsonObject;
}

/** The same list, each element altered. */
export function each(list: Json | undefined, change: (element: JsonObject) => Json): Json {
  return (list as readonly JsonObject[]).map(change);
}

/** A value that is not this one, of the same type. */
export function other(value: Json | undefined): Json {
  if (typeof value === 'number') return value + 1;
  if (typeof value !== 'string') return 'other';
  const last = value.at(-1);
  if (/^\d{4}-/.test(value)) return new Date(Date.parse(value) + 60_000).toISOString().replace('.000Z', 'Z');
  return `${value.slice(0, -1)}${last === '1' ? '2' : '1'}`;
}
