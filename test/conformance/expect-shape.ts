import assert from 'node:assert/strict';
import type { Json, JsonObject, Seen } from './seen.ts';

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const HASH = /^0x[0-9a-f]{64}$/i;
const ADDRESS = /^0x[0-9a-f]{40}$/i;
const DECIMAL = /^-?\d+$/;

/** Types of the tables of the specification. */
export const TYPES = {
  integer: (value: Json) => Number.isSafeInteger(value),
  string: (value: Json) => typeof value === 'string',
  object: (value: Json) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: (value: Json) => Array.isArray(value),
  timestamp: (value: Json) => typeof value === 'string' && TIMESTAMP.test(value),
  hash: (value: Json) => typeof value === 'string' && HASH.test(value),
  address: (value: Json) => typeof value === 'string' && ADDRESS.test(value),
  'decimal string': (value: Json) => typeof value === 'string' && DECIMAL.test(value),
  nullable: () => true,
} as const satisfies Record<string, (value: Json) => boolean>;

export type TypeName = keyof typeof TYPES;

/** The object of a value, or a difference. */
export function objectOf(value: Json | undefined, what: string): JsonObject {
  assert.ok(value !== undefined && TYPES.object(value), `${what} is no object: ${JSON.stringify(value)}`);
  return value as JsonObject;
}

/** The list of a value, or a difference. */
export function listOf(value: Json | undefined, what: string): readonly Json[] {
  assert.ok(Array.isArray(value), `${what} is no array: ${JSON.stringify(value)}`);
  return value;
}

/** An object has exactly these members, each of its type. `optional`: members that may be absent. */
export function expectFields(
  value: Json | undefined,
  fields: Readonly<Record<string, TypeName>>,
  optional: readonly string[] = [],
): void {
  const object = objectOf(value, 'it');
  for (const [name, type] of Object.entries(fields)) {
    const member = object[name];
    if (member === undefined && optional.includes(name)) continue;
    assert.ok(member !== undefined, `${name} is missing`);
    assert.ok(TYPES[type](member), `${name} is ${JSON.stringify(member)}, and no ${type}`);
  }
  const more = Object.keys(object).filter((name) => !Object.hasOwn(fields, name));
  assert.deepEqual(more, [], 'there are other members');
}

/** A body is JSON, and says so. */
export function expectJson({ headers, json }: Seen): void {
  assert.notEqual(json, undefined, 'the body is no JSON');
  assert.match(headers.get('content-type') ?? 'none', /^application\/json\b/);
}

/** A JSON-RPC error with a code and a message, at an HTTP status, that cost nothing. */
export function expectRpcError(seen: Seen, code: number, message: string | RegExp, status = 200): JsonObject {
  assert.equal(seen.status, status);
  expectJson(seen);
  const { error, ...envelope } = objectOf(seen.json, 'the response');
  assert.equal(envelope.jsonrpc, '2.0');
  const { code: told, message: words } = objectOf(error, 'error');
  assert.equal(told, code);
  if (typeof message === 'string') assert.equal(words, message);
  else assert.match(String(words), message);
  expectUnbilled(seen);
  return objectOf(error, 'error');
}

/** A request was not billed, as far as the gateway says what it bills. */
export function expectUnbilled({ headers }: Seen): void {
  const billed = headers.get('x-cu-billed');
  if (billed !== null) assert.equal(billed, '0');
}

/** An error of the Data API: one key `error`, with exactly `code` and `message`. */
export function expectDataError(seen: Seen, status: number, code: string): void {
  assert.equal(seen.status, status);
  expectJson(seen);
  expectUnbilled(seen);
  const body = objectOf(seen.json, 'the response');
  assert.deepEqual(Object.keys(body), ['error']);
  expectFields(body.error, { code: 'string', message: 'string' });
  assert.equal(objectOf(body.error, 'error').code, code);
}
