/** The policy and the weights of methods are those of the specification. */
import { priceCalls } from '../../../lambdas/rpc/billing/call-usage.ts';
import { isMethodAvailable, weightOf } from '../../../lambdas/shared/methods/method-facts.ts';

describe('isMethodAvailable', () => {
  test.each([
    'eth_blockNumber',
    'eth_call',
    'eth_getLogs',
    'eth_sendRawTransaction',
    'eth_newFilterX',
    'eth_',
    'net_version',
    'web3_clientVersion',
    'debug_traceTransaction',
    'debug_traceBlockByNumber',
    'debug_trace',
  ])('passes %s', (method) => {
    expect(isMethodAvailable(method)).toBe(true);
  });

  test.each([
    'eth_newFilter',
    'eth_newBlockFilter',
    'eth_newPendingTransactionFilter',
    'eth_getFilterLogs',
    'eth_getFilterChanges',
    'eth_uninstallFilter',
    'eth_subscribe',
    'eth_unsubscribe',
    'debug_getRawBlock',
    'debug_setHead',
    'admin_peers',
    'personal_sign',
    'txpool_content',
    'trace_block',
    'ETH_call',
    'Eth_call',
    ' eth_call',
    'xeth_call',
    'eth',
    '',
    '__proto__',
    'constructor',
    'eth_newFilter\0',
    'eth_call\n',
    'eth_\ud800',
    '\ud800eth_call',
  ])('refuses %j', (method) => {
    expect(isMethodAvailable(method)).toBe(false);
  });
});

describe('weightOf', () => {
  test.each<[string, number]>([
    ['eth_blockNumber', 1],
    ['eth_chainId', 1],
    ['eth_getBlockByNumber', 5],
    ['eth_getBlockReceipts', 10],
    ['eth_getProof', 10],
    ['eth_call', 20],
    ['eth_createAccessList', 20],
    ['eth_estimateGas', 20],
    ['eth_simulateV1', 20],
    ['eth_sendRawTransaction', 30],
    ['eth_getLogs', 50],
    ['debug_traceTransaction', 200],
    ['debug_trace', 200],
    ['debug_trace*', 200],
    ['eth_getBalance', 10],
    ['eth_getBlockByNumbers', 10],
    ['eth_calls', 10],
    ['net_version', 10],
    ['__proto__', 10],
    ['toString', 10],
  ])('of %s is %d', (method, weight) => {
    expect(weightOf(method)).toBe(weight);
  });
});

test('a request costs the sum of the weights of its calls', () => {
  expect(priceCalls([])).toEqual({ cu: 0 });
  const methods = ['eth_call', 'eth_call', 'debug_traceCall', 'eth_getBalance'];
  expect(priceCalls(methods.map((method) => ({ method })))).toEqual({ cu: 250 });
});
