/** What nodes say of absent blocks and transactions is one error. */
import type { Call, UpstreamResponse } from '../../../lambdas/shared/jsonrpc/calls.ts';
import { isEmptyTrace, normaliseNotFound } from '../../../lambdas/shared/jsonrpc/match-responses.ts';
import { OWN_TRACER } from '../../rpc/tracer-errors.ts';

function call(method: string): Call {
  return { id: Buffer.from('1'), method, params: undefined };
}

function error(message: string, code = -32000): UpstreamResponse {
  return { kind: 'error', code, error: Buffer.from(JSON.stringify({ code, message })) };
}

function result(json: string): UpstreamResponse {
  return { kind: 'result', result: Buffer.from(json) };
}

function reasonOf(method: string, response: UpstreamResponse): string | undefined {
  const normalised = normaliseNotFound(call(method), response);
  return normalised.kind === 'failed' ? normalised.error.reason : undefined;
}

test.each<[string, UpstreamResponse]>([
  ['geth', error('transaction not found')],
  ['geth, while it indexes', error('transaction 0xab not found')],
  ['nethermind', error('Cannot find transaction with hash 0xab', -32001)],
  ['besu', result('null')],
])('an unknown transaction, as %s says it', (_node, response) => {
  expect(reasonOf('debug_traceTransaction', response)).toBe('transaction_not_found');
});

test.each<[string, string, UpstreamResponse]>([
  ['geth', 'debug_traceBlockByNumber', error('block #1048575 not found')],
  ['geth', 'debug_traceBlockByHash', error('block 0x11 not found')],
  ['geth', 'debug_traceCall', error('header not found')],
  ['reth', 'debug_traceBlockByHash', error('block not found: hash 0x11', -32001)],
  ['erigon', 'debug_traceBlockByNumber', error('unknown block')],
  ['anvil', 'debug_traceBlockByNumber', error('Resource not found', -32001)],
  ['anvil', 'debug_traceCall', error('BlockOutOfRangeError: block height is 3 but requested was 9', -32602)],
  ['nethermind', 'debug_traceBlockByNumber', result('null')],
])('an unknown block, as %s says it to %s', (_node, method, response) => {
  expect(reasonOf(method, response)).toBe('block_not_found');
});

test.each<[string, Call, UpstreamResponse]>([
  ['with gas', call('debug_traceTransaction'), result('{"gas":21000,"structLogs":[]}')],
  ['with steps', call('debug_traceTransaction'), result('{"gas":0,"structLogs":[{}]}')],
  ['of a block', call('debug_traceBlockByNumber'), result('{"gas":0,"structLogs":[]}')],
  ['by code of the client', OWN_TRACER, result('{"gas":0,"structLogs":[]}')],
  ['that is null', call('debug_traceTransaction'), result('null')],
])('a trace %s is not empty', (_name, traced, response) => {
  expect(isEmptyTrace(traced, response)).toBe(false);
});

test('a trace by code of the client of a transaction that does not exist, as the node says it', () => {
  expect(normaliseNotFound(OWN_TRACER, error('transaction not found'))).toEqual({
    kind: 'failed',
    error: { reason: 'transaction_not_found' },
  });
});

test.each<[string, string, string]>([
  ['eth_getBlockReceipts', 'block not found', 'block_not_found'],
  ['eth_call', 'Block 0x11 not found', 'block_not_found'],
  ['eth_getLogs', 'block not found: hash 0x11', 'block_not_found'],
  ['eth_getTransactionByHash', 'transaction not found', 'transaction_not_found'],
  ['eth_getRawTransactionByHash', 'Transaction 0xab not found.', 'transaction_not_found'],
])('whatever is asked, these words are the error of the gateway: %s, %s', (method, message, reason) => {
  expect(reasonOf(method, error(message))).toBe(reason);
  expect(reasonOf(method, error(message, -32602))).toBeUndefined();
});

test.each([
  'header not found',
  'execution reverted: block not found',
  'my block not found',
  'block not foundling',
])('other words of other methods stay as they are: %s', (message) => {
  expect(reasonOf('eth_call', error(message))).toBeUndefined();
});

test.each<[string, string, UpstreamResponse]>([
  ['a revert', 'debug_traceCall', error('execution reverted', 3)],
  ['pruned history', 'debug_traceTransaction', error('transaction not found in pruned history', 4444)],
  [
    'pruned state',
    'debug_traceTransaction',
    error('missing trie node 0a state 0x1 is not available, not found'),
  ],
  [
    'a deposit of a layer 2, which has no step',
    'debug_traceTransaction',
    result('{"gas":0,"failed":false,"returnValue":"0x","structLogs":[]}'),
  ],
  ['a call without a trace', 'debug_traceCall', result('null')],
  ['a revert with a reason', 'debug_traceCall', error('execution reverted: block not found')],
  ['a revert with a reason and its code', 'debug_traceCall', error('execution reverted: block not found', 3)],
  ['a parameter in quotes', 'debug_traceCall', error('time: invalid duration "block not found"')],
  ['an unknown tracer', 'debug_traceTransaction', error('tracer not found')],
  [
    'a trace',
    'debug_traceTransaction',
    result('{"gas":21000,"failed":false,"returnValue":"","structLogs":[]}'),
  ],
  ['an empty list', 'debug_traceBlockByNumber', result('[]')],
  ['a number', 'debug_traceTransaction', result('5')],
  ['another method', 'eth_getTransactionByHash', result('null')],
  ['another method that fails', 'eth_call', error('header not found')],
  [
    'our own failure',
    'debug_traceTransaction',
    { kind: 'failed', error: { reason: 'upstream_unavailable' } },
  ],
])('%s stays as it is', (_name, method, response) => {
  expect(normaliseNotFound(call(method), response)).toBe(response);
});
