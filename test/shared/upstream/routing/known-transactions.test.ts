/** A transaction that a node has already is accepted by its hash. */
import { concat, type Hex, keccak256, toRlp } from 'viem';
import type { Call, UpstreamResponse } from '../../../../lambdas/shared/jsonrpc/calls.ts';
import { acceptKnown } from '../../../../lambdas/shared/upstream/routing/own-transactions.ts';

const RAW: Hex = '0x02f86c018080';
function transaction(raw: string = RAW, method = 'eth_sendRawTransaction'): Call {
  return { id: Buffer.from('1'), method, params: Buffer.from(JSON.stringify([raw])) };
}

function error(message: string, code = -32000): UpstreamResponse {
  return { kind: 'error', code, error: Buffer.from(JSON.stringify({ code, message })) };
}

function told(response: UpstreamResponse): string {
  return response.kind === 'result' ? Buffer.from(response.result).toString() : response.kind;
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
])('a transaction that %s has already is accepted', (_node, response) => {
  expect(told(acceptKnown(transaction(), response))).toBe(HASH);
});

test('the letter case of the bytes does not matter', () => {
  expect(told(acceptKnown(transaction(RAW.toUpperCase().replace('0X', '0x')), KNOWN))).toBe(HASH);
});

test('a transaction with blobs has the hash of what is in the block, whatever its node was sent beside it', () => {
  const fields: readonly Hex[] = ['0x01', '0x', `0x${'ab'.repeat(300)}`];
  const bare = concat(['0x03', toRlp([...fields])]);
  const blob: Hex = `0x${'cd'.repeat(70_000)}`;
  for (const beside of [
    [[blob], ['0xee'], ['0xff']],
    ['0x01', [blob], ['0xee'], ['0xff']],
  ] as Hex[][]) {
    const sent = concat(['0x03', toRlp([[...fields], ...beside])]);
    expect(told(acceptKnown(transaction(sent), KNOWN))).toBe(JSON.stringify(keccak256(bare)));
  }
  expect(told(acceptKnown(transaction(bare), KNOWN))).toBe(JSON.stringify(keccak256(bare)));
});

test.each<[string, Call, UpstreamResponse]>([
  ['another error', transaction(), error('nonce too low')],
  ['a price that is too low to replace another', transaction(), error('replacement transaction underpriced')],
  ['an error about an unknown transaction', transaction(), error('unknown transaction type')],
  ['a result', transaction(), { kind: 'result', result: Buffer.from('"0x1"') }],
  ['another method', transaction(RAW, 'eth_sendTransaction'), KNOWN],
  ['a transaction with blobs that is cut off', transaction('0x03f8'), KNOWN],
  ['what is no hex', transaction('0x0'), KNOWN],
  ['no params', { id: Buffer.from('1'), method: 'eth_sendRawTransaction', params: undefined }, KNOWN],
])('%s stays as it is', (_name, call, response) => {
  expect(acceptKnown(call, response)).toBe(response);
});
