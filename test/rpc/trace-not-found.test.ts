import type { Call, NodeAnswer } from '../../lambdas/rpc/calls.ts';
import { normaliseNotFound } from '../../lambdas/rpc/trace-not-found.ts';

function call(method: string): Call {
  return { id: Buffer.from('1'), method, params: undefined };
}

function error(message: string, code = -32000): NodeAnswer {
  return { kind: 'error', code, error: Buffer.from(JSON.stringify({ code, message })) };
}

function result(json: string): NodeAnswer {
  return { kind: 'result', result: Buffer.from(json) };
}

function reasonOf(method: string, answer: NodeAnswer): string | undefined {
  const normalised = normaliseNotFound(call(method), answer);
  return normalised.kind === 'failed' ? normalised.error.reason : undefined;
}

test.each<[string, NodeAnswer]>([
  ['geth', error('transaction not found')],
  ['geth, while it indexes', error('transaction 0xab not found')],
  ['nethermind', error('Cannot find transaction with hash 0xab', -32001)],
  ['besu', result('null')],
  ['anvil', result('{"failed":false,"gas":0,"returnValue":"0x","structLogs":[]}')],
])('an unknown transaction, as %s says it', (_node, answer) => {
  expect(reasonOf('debug_traceTransaction', answer)).toBe('transaction_not_found');
});

test.each<[string, string, NodeAnswer]>([
  ['geth', 'debug_traceBlockByNumber', error('block #1048575 not found')],
  ['geth', 'debug_traceBlockByHash', error('block 0x11 not found')],
  ['geth', 'debug_traceCall', error('header not found')],
  ['reth', 'debug_traceBlockByHash', error('block not found: hash 0x11', -32001)],
  ['erigon', 'debug_traceBlockByNumber', error('unknown block')],
  ['anvil', 'debug_traceBlockByNumber', error('Resource not found', -32001)],
  ['anvil', 'debug_traceCall', error('BlockOutOfRangeError: block height is 3 but requested was 9', -32602)],
  ['nethermind', 'debug_traceBlockByNumber', result('null')],
])('an unknown block, as %s says it to %s', (_node, method, answer) => {
  expect(reasonOf(method, answer)).toBe('block_not_found');
});

test.each<[string, string, NodeAnswer]>([
  ['a revert', 'debug_traceCall', error('execution reverted', 3)],
  ['pruned history', 'debug_traceTransaction', error('transaction not found in pruned history', 4444)],
  [
    'pruned state',
    'debug_traceTransaction',
    error('missing trie node 0a state 0x1 is not available, not found'),
  ],
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
])('%s stays as it is', (_name, method, answer) => {
  expect(normaliseNotFound(call(method), answer)).toBe(answer);
});
