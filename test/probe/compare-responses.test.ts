/** Two versions answer alike if nothing differs but what belongs to one response; what a release declares may differ. */
import {
  differingParts,
  isDeclared,
  isFailure,
  type SeenResponse,
} from '../../lambdas/probe/compare-responses.ts';

const META =
  '"meta":{"as_of_block":960,"finalized_block":704,"coverage":"full","refreshed_at":"2026-11-21T08:34:09Z","rows_read":2,"query_ms":4}';
const PAGE: SeenResponse = {
  status: 200,
  headers: {
    'content-type': 'application/json',
    'x-cu-billed': '10',
    'x-cu-lane': 'one 1 10',
    'x-request-id': 'one',
    ratelimit: '"cu";r=90;t=1',
  },
  body: `{"data":[{"number":704}],${META},"next_cursor":"abc"}`,
};

const page = (change: (text: string) => string): SeenResponse => ({ ...PAGE, body: change(PAGE.body) });
const withHeaders = (headers: Readonly<Record<string, string>>): SeenResponse => ({
  ...PAGE,
  headers: { ...PAGE.headers, ...headers },
});

test.each([
  ['the moment of the answer', page((body) => body.replace('"query_ms":4', '"query_ms":17'))],
  [
    'the head',
    page((body) => body.replace('960', '961').replace('"finalized_block":704', '"finalized_block":705')),
  ],
  ['the seal of a cursor', page((body) => body.replace('"abc"', '"abd"'))],
  [
    'whose request it is',
    withHeaders({ 'x-request-id': 'two', 'x-cu-lane': 'two 7 70', ratelimit: '"cu";r=80;t=1' }),
  ],
])('%s is no difference', (_, other) => {
  expect(differingParts(PAGE, other)).toEqual([]);
});

const { 'x-cu-lane': _lane, ...laneless } = PAGE.headers;

test.each<[string, SeenResponse, readonly string[]]>([
  ['another status', { ...PAGE, status: 404 }, ['status']],
  ['another price', withHeaders({ 'x-cu-billed': '11' }), ['x-cu-billed']],
  ['a header more', withHeaders({ 'x-holder': 'acme' }), ['x-holder']],
  ['a header that is masked and gone', { ...PAGE, headers: laneless }, ['x-cu-lane']],
  ['a lost cursor', page((body) => body.replace(',"next_cursor":"abc"', '')), ['body']],
  ['one digit of a row', page((body) => body.replace('"number":704', '"number":703')), ['body']],
  ['the order of members', page((body) => body.replace('"coverage":"full"', '"coverage": "full"')), ['body']],
  ['rows read', page((body) => body.replace('"rows_read":2', '"rows_read":3')), ['body']],
])('%s is a difference', (_, other, parts) => {
  expect(differingParts(PAGE, other)).toEqual(parts);
  expect(differingParts(other, PAGE)).toEqual(parts);
});

test('a result for agents has the masked members a second time, in a text', () => {
  const result = (ms: number): SeenResponse => {
    const structured = JSON.stringify({ data: [], meta: { query_ms: ms } });
    return {
      ...PAGE,
      body: `{"content":[{"text":${JSON.stringify(structured)}}],"structured":${structured}}`,
    };
  };
  expect(differingParts(result(1), result(20))).toEqual([]);
});

test('what describes a release may say something else, with the same status and headers', () => {
  expect(
    differingParts(
      PAGE,
      page(() => '{}'),
      true,
    ),
  ).toEqual([]);
  expect(differingParts(PAGE, { ...PAGE, status: 500 }, true)).toEqual(['status']);
});

test('a difference is declared by operation and part, or for every request', () => {
  const declared = ['listBlocks: body', '*: x-new'];
  expect(isDeclared(declared, 'listBlocks', 'body')).toBe(true);
  expect(isDeclared(declared, 'listBlocks', 'status')).toBe(false);
  expect(isDeclared(declared, 'getBlock', 'body')).toBe(false);
  expect(isDeclared(declared, 'getBlock', 'x-new')).toBe(true);
});

test.each([
  [{ ...PAGE, status: 502 }, true],
  [page(() => '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal gateway error"}}'), true],
  [page(() => '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not available"}}'), false],
  [{ ...PAGE, status: 404 }, false],
])('a failure of the old version is no answer', (seen, expected) => {
  expect(isFailure(seen)).toBe(expected);
});
