import fc from 'fast-check';
import type { UpstreamResponse } from '../../../lambdas/shared/jsonrpc/calls.ts';
import { matchResponses } from '../../../lambdas/shared/jsonrpc/match-responses.ts';

const FIRST_ID = 40;
const MAX_CALLS = 8;

/** An entry of a node's batch: which id it bears, and a result that tells which entry it is. */
interface Entry {
  readonly id: unknown;
  readonly result: string;
}

/** A response in short: its result, the code of its error, or why there is none. */
function inShort(response: UpstreamResponse): string | number {
  if (response.kind === 'result') return JSON.parse(String(Buffer.from(response.result)));
  return response.kind === 'error' ? response.code : response.error.reason;
}

function match(body: unknown, count: number, status = 200) {
  return matchResponses({ status, body: Buffer.from(JSON.stringify(body)) } as never, FIRST_ID, count).map(
    inShort,
  );
}

const entryOf = ({ id, result }: Entry) => ({ jsonrpc: '2.0', id, result });
const idsOf = (count: number) => Array.from({ length: count }, (_, index) => FIRST_ID + index);

test('a batch in any order: each call gets the response with its own id', () => {
  const orders = fc
    .integer({ min: 2, max: MAX_CALLS })
    .chain((count) => fc.shuffledSubarray(idsOf(count), { minLength: count, maxLength: count }));
  fc.assert(
    fc.property(orders, (ids) => {
      const body = ids.map((id) => entryOf({ id, result: `of ${id}` }));
      expect(match(body, ids.length)).toEqual(idsOf(ids.length).map((id) => `of ${id}`));
    }),
  );
});

test('whatever ids a node gives: no call gets a response that is not certainly its own', () => {
  const ids = fc.oneof(
    fc.integer({ min: FIRST_ID - 2, max: FIRST_ID + MAX_CALLS + 1 }),
    fc.constantFrom(null, String(FIRST_ID), FIRST_ID + 0.5, -1, true, [FIRST_ID]),
  );
  fc.assert(
    fc.property(fc.integer({ min: 2, max: MAX_CALLS }), fc.array(ids, { maxLength: 12 }), (count, given) => {
      const responses = match(
        given.map((id, index) => entryOf({ id, result: `entry ${index}` })),
        count,
      );
      expect(responses).toHaveLength(count);
      for (const [index, id] of idsOf(count).entries()) {
        const own = given.flatMap((one, entry) => (one === id ? [`entry ${entry}`] : []));
        const expected = own.length === 1 ? own : ['malformed_upstream_response', 'no_upstream_response'];
        expect(expected).toContain(responses[index]);
      }
    }),
  );
});

test.each<[string, unknown, readonly (string | number)[]]>([
  ['one is missing', [entryOf({ id: 40, result: 'a' })], ['a', 'no_upstream_response']],
  [
    'one has the id of none',
    [entryOf({ id: 40, result: 'a' }), entryOf({ id: 99, result: 'b' })],
    ['a', 'malformed_upstream_response'],
  ],
  [
    'two have the same id',
    [entryOf({ id: 40, result: 'a' }), entryOf({ id: 40, result: 'b' }), entryOf({ id: 41, result: 'c' })],
    ['malformed_upstream_response', 'c'],
  ],
  [
    'one object for all is an error',
    { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'x' } },
    [-32000, -32000],
  ],
  [
    'one object for all is a result',
    entryOf({ id: 40, result: 'a' }),
    Array(2).fill('malformed_upstream_response'),
  ],
])('of a batch of two, %s', (_, body, expected) => {
  expect(match(body, 2)).toEqual(expected);
});

test.each<[string, unknown, number, string | number]>([
  ['its own id', entryOf({ id: 40, result: 'a' }), 200, 'a'],
  ['another id', entryOf({ id: 41, result: 'a' }), 200, 'malformed_upstream_response'],
  ['a result without an id', entryOf({ id: null, result: 'a' }), 200, 'malformed_upstream_response'],
  [
    'an error without an id',
    { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'x' } },
    200,
    -32600,
  ],
  ['a list', [entryOf({ id: 40, result: 'a' })], 200, 'malformed_upstream_response'],
  ['no JSON-RPC, with a status of 503', {}, 503, 'upstream_unavailable'],
])('a single call: %s', (_, body, status, expected) => {
  expect(match(body, 1, status)).toEqual([expected]);
});
