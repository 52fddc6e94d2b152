import { type CacheCondition, cacheCondition } from '../../../lambdas/rpc/cache/final-results.ts';

const HASH = `0x${'Ab'.repeat(32)}`;
const LOWER_HASH = HASH.toLowerCase();
const ADDRESS = `0x${'cd'.repeat(20)}`;

function pin(method: string, ...params: readonly unknown[]): CacheCondition | undefined {
  return cacheCondition({ method, params: Buffer.from(JSON.stringify(params)) });
}

describe('a call is pinned', () => {
  test.each<[string, readonly unknown[], CacheCondition]>([
    ['eth_chainId', [], { kind: 'constant' }],
    ['eth_getBlockByNumber', ['0x1f', true], { kind: 'number', number: 31n, shown: 'number', traces: false }],
    [
      'eth_getBlockByNumber',
      ['0x01F', true],
      {
        kind: 'number',
        number: 31n,
        shown: 'number',
        traces: false,
        spellings: [{ start: 1, end: 8, number: 31n }],
      },
    ],
    ['eth_getBlockReceipts', ['0x1'], { kind: 'number', number: 1n, shown: 'blockNumber', traces: false }],
    ['eth_getBlockReceipts', [HASH], { kind: 'shown', shown: 'blockNumber', hash: LOWER_HASH }],
    ['eth_getBlockByHash', [HASH, false], { kind: 'shown', shown: 'number', hash: LOWER_HASH }],
    ['eth_getTransactionReceipt', [HASH], { kind: 'shown', shown: 'blockNumber', hash: LOWER_HASH }],
    ['eth_getBalance', [ADDRESS, '0x0'], { kind: 'number', number: 0n, shown: undefined, traces: false }],
    [
      'eth_getStorageAt',
      [ADDRESS, '0x0', '0x5'],
      { kind: 'number', number: 5n, shown: undefined, traces: false },
    ],
    [
      'eth_call',
      [{ to: ADDRESS }, '0x5', {}],
      { kind: 'number', number: 5n, shown: undefined, traces: false },
    ],
    ['eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x2' }], { kind: 'range', to: 2n }],
    ['eth_getLogs', [{ blockHash: HASH }], { kind: 'shown', shown: 'blockNumber', hash: LOWER_HASH }],
    ['debug_traceTransaction', [HASH, {}], { kind: 'hash', hash: LOWER_HASH, traces: false }],
    ['debug_traceBlockByHash', [HASH], { kind: 'hash', hash: LOWER_HASH, traces: true }],
    ['debug_traceBlockByNumber', ['0x5'], { kind: 'number', number: 5n, shown: undefined, traces: true }],
  ])('%s %j', (method, params, expected) => {
    expect(pin(method, ...params)).toEqual(expected);
  });

  test('where params are absent', () => {
    expect(cacheCondition({ method: 'eth_chainId', params: undefined })).toEqual({ kind: 'constant' });
    expect(cacheCondition({ method: 'eth_getBlockByNumber', params: undefined })).toBeUndefined();
  });
});

describe('a call is not pinned', () => {
  test.each<[string, readonly unknown[]]>([
    ...['latest', 'earliest', 'pending', 'safe', 'finalized'].map((tag): [string, readonly unknown[]] => [
      'eth_getBlockByNumber',
      [tag, false],
    ]),
    ['eth_getBlockByNumber', [5, false]],
    ['eth_getBlockByNumber', ['5', false]],
    ['eth_getBlockByNumber', ['0x', false]],
    ['eth_getBlockByNumber', []],
    ['eth_getBalance', [ADDRESS]],
    ['eth_getBalance', [ADDRESS, { blockNumber: '0x1' }]],
    ['eth_getBalance', [ADDRESS, { blockHash: HASH }]],
    ['eth_getTransactionReceipt', ['0x1']],
    ['debug_traceTransaction', ['0x1']],
    ['eth_getLogs', [{ fromBlock: '0x1' }]],
    ['eth_getLogs', [{ toBlock: '0x1' }]],
    ['eth_getLogs', [{ fromBlock: 'earliest', toBlock: '0x2' }]],
    ['eth_getLogs', [{ fromBlock: '0x1', toBlock: 'latest' }]],
    ['eth_getLogs', [{ fromBlock: 1, toBlock: '2' }]],
    ['eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x2', blockHash: null }]],
    ['eth_getLogs', ['0x1']],
    ['eth_getLogs', []],
    ['eth_blockNumber', []],
    ['eth_gasPrice', []],
    ['eth_estimateGas', [{ to: ADDRESS }, '0x1']],
    ['eth_sendRawTransaction', ['0x00']],
    ['web3_clientVersion', []],
    ['__proto__', []],
  ])('%s %j', (method, params) => {
    expect(pin(method, ...params)).toBeUndefined();
  });
});
