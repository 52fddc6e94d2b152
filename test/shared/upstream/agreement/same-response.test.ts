import fc from 'fast-check';
import type { UpstreamResponse } from '../../../../lambdas/shared/jsonrpc/calls.ts';
import { isComparable, sameResponse } from '../../../../lambdas/shared/upstream/agreement/same-response.ts';

const result = (value: unknown): UpstreamResponse => ({
  kind: 'result',
  result: Buffer.from(JSON.stringify(value)),
});
const error = (value: { readonly code: number; readonly message: string; readonly data?: unknown }) =>
  ({ kind: 'error', error: Buffer.from(JSON.stringify(value)), code: value.code }) as const;

const hash = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const quantity = fc.bigInt({ min: 0n, max: 2n ** 64n }).map((number) => `0x${number.toString(16)}`);
const log = fc.record({
  address: hash,
  topics: fc.array(hash, { maxLength: 4 }),
  data: hash,
  logIndex: quantity,
  blockHash: hash,
});
const receipt = fc.record({
  transactionHash: hash,
  blockHash: hash,
  status: fc.constantFrom('0x0', '0x1'),
  gasUsed: quantity,
  logs: fc.array(log, { maxLength: 3 }),
});
const transaction = fc.record({
  hash,
  blockHash: fc.option(hash, { nil: null }),
  transactionIndex: fc.option(quantity, { nil: null }),
});
/** Answers to a method, and the members of them that are compared. */
const RESPONSES: readonly (readonly [method: string, answer: fc.Arbitrary<object>])[] = [
  ['eth_getBlockByNumber', fc.record({ hash })],
  ['eth_getTransactionByHash', transaction],
  ['eth_getTransactionReceipt', receipt],
  ['eth_getLogs', fc.array(log, { minLength: 1, maxLength: 4 })],
  ['eth_getBlockReceipts', fc.array(receipt, { minLength: 1, maxLength: 3 })],
];

/** The same in another spelling: members in another order and more of them, capitals, zeros before numbers. */
function respelt(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((element) => respelt(element, name));
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).reverse();
    return Object.fromEntries([['extra', 5], ...members.map(([key, member]) => [key, respelt(member, key)])]);
  }
  if (typeof value !== 'string') return value;
  const isNumber = ['logIndex', 'transactionIndex', 'status', 'gasUsed'].includes(name);
  return `0x${isNumber ? '00' : ''}${value.slice(2).toUpperCase()}`;
}

/** Places of all values of a response. */
function placesIn(
  value: unknown,
  at: readonly (string | number)[] = [],
): readonly (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [at];
  return Object.entries(value).flatMap(([key, member]) => placesIn(member, [...at, key]));
}

function changedAt(value: unknown, [first, ...rest]: readonly (string | number)[]): unknown {
  if (first === undefined) return value === null ? '0x1' : `${String(value)}f`;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  const members = copy as Record<string, unknown>;
  members[first] = changedAt(members[first], rest);
  return copy;
}

describe.each(RESPONSES)('%s', (method, responses) => {
  test('is the same in any spelling', () => {
    fc.assert(
      fc.property(responses, (response) => {
        expect(sameResponse(method, result(response), result(respelt(response)))).toBe(true);
        expect(sameResponse(method, result(respelt(response)), result(response))).toBe(true);
      }),
    );
  });

  test('differs if any of what the chain fixes does', () => {
    fc.assert(
      fc.property(responses, fc.nat(), (response, number) => {
        const places = placesIn(response);
        const place = places[number % places.length] ?? [];
        expect(sameResponse(method, result(response), result(changedAt(response, place)))).toBe(false);
      }),
    );
  });

  test('differs from nothing, from a failure and from an error', () => {
    fc.assert(
      fc.property(responses, (response) => {
        for (const other of [result(null), result([]), error({ code: -32000, message: 'no' })])
          expect(sameResponse(method, result(response), other)).toBe(false);
      }),
    );
  });
});

test.each([
  ['eth_getBalance', '0x0f', '0xF', true],
  ['eth_getBalance', '0xf', '0xe', false],
  ['eth_getStorageAt', `0x${'0'.repeat(63)}1`, '0x1', true],
  ['eth_getCode', '0x60AB', '0x60ab', true],
  ['eth_getCode', '0x', '0x60ab', false],
  // Bytes are no number.
  ['eth_call', '0x0001', '0x01', false],
  ['eth_call', '0x', '0x', true],
])('%s: %s and %s: %s', (method, one, other, isSame) => {
  expect(sameResponse(method, result(one), result(other))).toBe(isSame);
});

test.each([
  ['0xab', '0xAB', true],
  ['0xab', '0xac', false],
  ['0xab', undefined, false],
  [undefined, undefined, true],
  ['Reverted 0xab', { data: '0xab' }, true],
  ['a text', undefined, true],
])('errors with the data %j and %j: %s', (one, other, isSame) => {
  const of = (data: unknown, message: string) =>
    error({ code: 3, message, ...(data !== undefined && { data }) });
  expect(sameResponse('eth_call', of(one, 'execution reverted'), of(other, 'reverted'))).toBe(isSame);
});

test.each([
  'eth_sendRawTransaction',
  'eth_blockNumber',
  'eth_gasPrice',
  'eth_estimateGas',
  'debug_traceCall',
])('%s is not compared', (method) => expect(isComparable(method)).toBe(false));
