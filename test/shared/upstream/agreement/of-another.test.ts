/** A result shows of what it is: one of something else than its call names is found, and no true one is. */
import { isOfAnother } from '../../../../lambdas/shared/upstream/agreement/of-another.ts';

const hash = (digit: string) => `0x${digit.repeat(64)}`;
const account = (digit: string) => `0x${digit.repeat(40)}`;
const place = { blockHash: hash('b'), blockNumber: '0x9', transactionIndex: '0x1' };
const log = { ...place, address: account('C'), topics: [hash('1'), hash('2')], transactionHash: hash('a') };
const transaction = { ...place, hash: hash('A') };
const receipt = { ...place, transactionHash: hash('a'), logs: [log] };
const block = { hash: hash('b'), number: '0x9', parentHash: hash('f'), transactions: [transaction] };

const judged = (method: string, params: readonly unknown[], result: unknown) =>
  isOfAnother({ method, params: Buffer.from(JSON.stringify(params)) }, Buffer.from(JSON.stringify(result)));

const filter = (members: object) => [{ fromBlock: '0x8', toBlock: '0x9', ...members }];
const CASES: readonly (readonly [
  method: string,
  right: readonly unknown[],
  wrong: readonly unknown[],
  result: unknown,
])[] = [
  ['eth_getBlockByNumber', ['0x09', true], ['0xa', true], block],
  ['eth_getBlockByHash', [hash('B'), true], [hash('c'), true], block],
  ['eth_getHeaderByNumber', ['0x9'], ['0x8'], block],
  ['eth_getTransactionByHash', [hash('a')], [hash('c')], transaction],
  ['eth_getTransactionByBlockNumberAndIndex', ['0x9', '0x1'], ['0x9', '0x2'], transaction],
  ['eth_getTransactionByBlockHashAndIndex', [hash('b'), '0x1'], [hash('c'), '0x1'], transaction],
  ['eth_getTransactionReceipt', [hash('a')], [hash('c')], receipt],
  ['eth_getBlockReceipts', ['0x9'], ['0xa'], [receipt]],
  ['eth_getBlockReceipts', [hash('b')], [hash('c')], [receipt]],
  ['eth_getLogs', filter({}), [{ fromBlock: '0x1', toBlock: '0x8' }], [log]],
  ['eth_getLogs', [{ blockHash: hash('b') }], [{ blockHash: hash('c') }], [log]],
  ['eth_getLogs', filter({ address: account('c') }), filter({ address: [account('d')] }), [log]],
  ['eth_getLogs', filter({ topics: [null, [hash('3'), hash('2')]] }), filter({ topics: [hash('2')] }), [log]],
];

test.each(CASES)(
  '%s: a result that was asked for by %j is not that of %j',
  (method, right, wrong, result) => {
    expect([judged(method, right, result), judged(method, wrong, result)]).toEqual([false, true]);
  },
);

test('the last of many logs is looked at as the first is', () => {
  const many = [...Array.from({ length: 50 }, () => log), { ...log, blockNumber: '0xa' }];
  expect(judged('eth_getLogs', filter({}), many)).toBe(true);
});

test('the hash of a transaction behind long calldata is found', () => {
  const long = { gas: '0x9', input: `0x${'ab'.repeat(20_000)}`, ...transaction };
  expect(judged('eth_getTransactionByHash', [hash('a')], long)).toBe(false);
  expect(judged('eth_getTransactionByHash', [hash('c')], long)).toBe(true);
});

test.each([
  ['eth_getBlockByNumber', ['latest', false], block],
  ['eth_getBlockByNumber', ['earliest', false], block],
  ['eth_getUncleByBlockNumberAndIndex', ['0xa', '0x0'], block],
  [
    'eth_getTransactionByHash',
    [hash('a')],
    { ...transaction, blockHash: null, blockNumber: null, transactionIndex: null },
  ],
  ['eth_getLogs', filter({ address: [], topics: [[], [null]] }), [log]],
  ['eth_getLogs', filter({}), []],
  ['eth_getBalance', [account('c'), '0x8'], '0x9'],
  ['eth_call', [{ to: account('c') }, '0x8'], '0x'],
  ['debug_traceBlockByNumber', ['0xa'], [{ txHash: hash('a') }]],
])('%s of %j: what it shows is no contradiction', (method, params, result) => {
  expect(judged(method, params, result)).toBe(false);
});
