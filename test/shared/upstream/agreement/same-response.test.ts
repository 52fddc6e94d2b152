/** Results are the same in any spelling, and differ in whatever the chain fixes. */
import fc from 'fast-check';
import type { UpstreamResponse } from '../../../../lambdas/shared/jsonrpc/calls.ts';
import { isComparable, sameResponse } from '../../../../lambdas/shared/upstream/agreement/fixed-parts.ts';
import { blockHashOf, type Shown } from '../../../nodes/spelled-nodes.ts';

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
const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const place = { blockHash: hash, blockNumber: quantity, transactionIndex: quantity };
const log = fc.record({
  ...place,
  address,
  topics: fc.array(hash, { maxLength: 4 }),
  data: hash,
  logIndex: quantity,
  transactionHash: hash,
});
const receipt = fc.record({
  ...place,
  transactionHash: hash,
  from: address,
  to: fc.option(address, { nil: null }),
  contractAddress: fc.option(address, { nil: null }),
  status: fc.constant('0x1'),
  gasUsed: quantity,
  effectiveGasPrice: quantity,
  logs: fc.array(log, { maxLength: 3 }),
});
const transaction = fc.record({
  hash,
  blockHash: fc.option(hash, { nil: null }),
  blockNumber: fc.option(quantity, { nil: null }),
  transactionIndex: fc.option(quantity, { nil: null }),
  from: address,
  to: fc.option(address, { nil: null }),
  value: quantity,
  input: hash,
  nonce: quantity,
  type: fc.constantFrom('0x0', '0x1', '0x2', '0x3', '0x4'),
});
const header = {
  hash,
  number: quantity,
  parentHash: hash,
  timestamp: quantity,
  miner: address,
  stateRoot: hash,
  transactionsRoot: hash,
  receiptsRoot: hash,
  logsBloom: hash,
  sha3Uncles: hash,
  difficulty: quantity,
  gasLimit: quantity,
  gasUsed: quantity,
  extraData: hash,
  mixHash: hash,
  nonce: quantity,
  baseFeePerGas: quantity,
  withdrawalsRoot: hash,
  blobGasUsed: quantity,
  excessBlobGas: quantity,
  parentBeaconBlockRoot: hash,
  requestsHash: hash,
};
const withdrawal = fc.record({ index: quantity, validatorIndex: quantity, address, amount: quantity });
const block = fc.record({
  ...header,
  transactions: fc.oneof(
    fc.array(hash, { minLength: 1, maxLength: 3 }),
    fc.array(transaction, { minLength: 1, maxLength: 2 }),
  ),
  uncles: fc.array(hash, { minLength: 1, maxLength: 2 }),
  withdrawals: fc.array(withdrawal, { minLength: 1, maxLength: 2 }),
});
/** Answers to a method, and the members of them that are compared. */
const RESPONSES: readonly (readonly [method: string, answer: fc.Arbitrary<object>])[] = [
  ['eth_getBlockByNumber', block],
  ['eth_getHeaderByHash', fc.record(header)],
  ['eth_getUncleByBlockNumberAndIndex', fc.record(header)],
  ['eth_getTransactionByHash', transaction],
  ['eth_getTransactionReceipt', receipt],
  ['eth_getLogs', fc.array(log, { minLength: 1, maxLength: 4 })],
  ['eth_getBlockReceipts', fc.array(receipt, { minLength: 1, maxLength: 3 })],
];
const NUMBERS = [
  ...[
    'logIndex',
    'transactionIndex',
    'status',
    'gasUsed',
    'blockNumber',
    'effectiveGasPrice',
    'value',
    'nonce',
  ],
  ...[
    'type',
    'number',
    'timestamp',
    'difficulty',
    'gasLimit',
    'baseFeePerGas',
    'blobGasUsed',
    'excessBlobGas',
  ],
  ...['index', 'validatorIndex', 'amount'],
];

/** The same in another spelling: members in another order and more of them, capitals, zeros before numbers. */
function respelt(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((element) => respelt(element, name));
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).reverse();
    return Object.fromEntries([['extra', 5], ...members.map(([key, member]) => [key, respelt(member, key)])]);
  }
  if (typeof value !== 'string') return value;
  return `0x${NUMBERS.includes(name) ? '00' : ''}${value.slice(2).toUpperCase()}`;
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

describe('a member', () => {
  const shown = { hash: blockHashOf(1), blockHash: blockHashOf(1), from: '0xaa', value: '0x10' };
  const of = (...changes: readonly Shown[]) => result(Object.assign({}, shown, ...changes));

  test.each([
    ['in a second spelling of its name', { Value: '0x11' }],
    ['in a second spelling of its name by a letter that folds to it', { tranſactionIndex: '0x1' }],
    ['that is a number in other words', { value: '10' }],
    ['that is left out', { value: undefined }],
    ['that is a list of it', { value: ['0x10'] }],
  ])('%s is no longer the same', (_, change) => {
    expect(sameResponse('eth_getTransactionByHash', of(), of(change))).toBe(false);
  });

  test('that only new software shows is compared where both show it', () => {
    const typed = (type?: string) => of(type === undefined ? {} : { type });
    expect(sameResponse('eth_getTransactionByHash', typed('0x2'), typed())).toBe(true);
    expect(sameResponse('eth_getTransactionByHash', typed(), typed('0x2'))).toBe(true);
    expect(sameResponse('eth_getTransactionByHash', typed('0x2'), typed('0x1'))).toBe(false);
  });

  test('the nonce of a deposit is what each node says: no hash has it', () => {
    const deposit = (nonce: string, type: string) => of({ nonce, type });
    expect(sameResponse('eth_getTransactionByHash', deposit('0x0', '0x7e'), deposit('0x9', '0x7e'))).toBe(
      true,
    );
    expect(sameResponse('eth_getTransactionByHash', deposit('0x0', '0x2'), deposit('0x9', '0x2'))).toBe(
      false,
    );
  });
});
