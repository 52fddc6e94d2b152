import { type Hex, keccak256 } from 'viem';
import type { Call, UpstreamResponse } from '../../../../lambdas/shared/jsonrpc/calls.ts';
import { SentTransactions } from '../../../../lambdas/shared/upstream/routing/sent-transactions.ts';

const RAW: Hex = '0x02f86c018080';
let now: number;
let sent: SentTransactions;

beforeEach(() => {
  now = 1_000_000;
  sent = new SentTransactions({ now: () => now });
});

function transaction(raw: string = RAW, method = 'eth_sendRawTransaction'): Call {
  return { id: Buffer.from('1'), method, params: Buffer.from(JSON.stringify([raw])) };
}

function error(message: string, code = -32000): UpstreamResponse {
  return { kind: 'error', code, error: Buffer.from(JSON.stringify({ code, message })) };
}

function told(answer: UpstreamResponse): string {
  return answer.kind === 'result' ? Buffer.from(answer.result).toString() : answer.kind;
}

const KNOWN = error('already known');
const HASH = JSON.stringify(keccak256(RAW));

test.each<[string, UpstreamResponse]>([
  ['geth, reth, erigon', KNOWN],
  ['erigon', error('ALREADY_EXISTS: already known')],
  ['nethermind', error('AlreadyKnown', -32010)],
  ['besu', error('Known transaction')],
  ['anvil', error('transaction already imported', -32603)],
  ['parity', error('Transaction with the same hash was already imported.', -32010)],
])('a transaction that %s has from an attempt of ours is accepted', (_node, answer) => {
  expect(told(sent.accept(transaction(), answer, true))).toBe(HASH);
});

test('also if the attempt was one of an earlier request that nobody answered', () => {
  expect(sent.accept(transaction(), KNOWN, false)).toBe(KNOWN);
  sent.remember(transaction());
  expect(told(sent.accept(transaction(), KNOWN, false))).toBe(HASH);
  expect(sent.accept(transaction('0x01'), KNOWN, false)).toBe(KNOWN);
});

test('the letter case of the bytes does not matter', () => {
  sent.remember(transaction(RAW.toUpperCase().replace('0X', '0x')));
  expect(told(sent.accept(transaction(), KNOWN, false))).toBe(HASH);
});

test('what was sent long ago is forgotten, and so is the oldest of too many', () => {
  sent.remember(transaction());
  now += 5 * 60 * 1000;
  expect(sent.accept(transaction(), KNOWN, false)).toBe(KNOWN);
  sent.remember(transaction());
  for (let other = 0; other < 1_000; other++)
    sent.remember(transaction(`0x${(65_536 + other).toString(16).padStart(8, '0')}`));
  expect(sent.accept(transaction(), KNOWN, false)).toBe(KNOWN);
});

test.each<[string, Call, UpstreamResponse]>([
  ['another error', transaction(), error('nonce too low')],
  ['an error about an unknown transaction', transaction(), error('unknown transaction type')],
  ['a result', transaction(), { kind: 'result', result: Buffer.from('"0x1"') }],
  ['another method', transaction(RAW, 'eth_sendTransaction'), KNOWN],
  ['a transaction with blobs, whose hash is another', transaction('0x03f8'), KNOWN],
  ['what is no hex', transaction('0x0'), KNOWN],
  ['no params', { id: Buffer.from('1'), method: 'eth_sendRawTransaction', params: undefined }, KNOWN],
])('%s stays as it is', (_name, call, answer) => {
  sent.remember(call);
  expect(sent.accept(call, answer, true)).toBe(answer);
});
