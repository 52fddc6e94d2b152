/** Shows that the first price list is the specification's table, and that what is charged today is what it says. */
import { OPERATIONS } from '../../../lambdas/data/operations/operations.ts';
import {
  dearestCall,
  FIRST_PRICE_LIST,
  isPriceOf,
  listedPrice,
  type PriceList,
  parsePriceList,
  priceListAt,
  priceListHash,
  priceListText,
} from '../../../lambdas/shared/bill/price-list.ts';
import { weightOf } from '../../../lambdas/shared/methods/method-facts.ts';
import { METHODS } from '../../../lambdas/shared/methods/method-table.ts';

const list = (change: Partial<PriceList> = {}): PriceList => ({ ...FIRST_PRICE_LIST, ...change });

test('the first list is the table of the specification', () => {
  const { cached, default: other, prices } = FIRST_PRICE_LIST;
  const ofMethods = Object.entries(prices).filter(([name]) => /^(eth|net|web3|debug)_/.test(name));
  expect(Object.fromEntries(ofMethods)).toEqual({
    eth_blockNumber: 1,
    eth_chainId: 1,
    eth_getBlockByNumber: 5,
    eth_getBlockReceipts: 10,
    eth_getProof: 10,
    eth_call: 20,
    eth_createAccessList: 20,
    eth_estimateGas: 20,
    eth_simulateV1: 20,
    eth_sendRawTransaction: 30,
    eth_getLogs: 50,
    'debug_trace*': 200,
  });
  expect({ other, cached, chainList: listedPrice(FIRST_PRICE_LIST, 'data/listChains') }).toEqual({
    other: 10,
    cached: 1,
    chainList: 1,
  });
});

test('what this release charges is what the first list says', () => {
  const methods = [...METHODS.map(({ name }) => name), 'eth_nonsense', 'debug_traceNonsense', 'net_x'];
  expect(methods.filter((method) => weightOf(method) !== listedPrice(FIRST_PRICE_LIST, method))).toEqual([]);
  const charged = Object.entries(OPERATIONS).filter(([, { computeUnits }]) => computeUnits > 0);
  const wrong = charged.filter(
    ([id, { computeUnits }]) => listedPrice(FIRST_PRICE_LIST, `data/${id}`) !== computeUnits,
  );
  expect(wrong).toEqual([]);
});

test('a name comes before the longest prefix, that before a shorter one, and the default last', () => {
  const prices = { eth_getBlock: 2, 'eth_get*': 3, 'eth_getBlock*': 4, 'eth_*': 5 };
  const of = (method: string) => listedPrice(list({ prices }), method);
  expect([of('eth_getBlock'), of('eth_getBlockByHash'), of('eth_getCode'), of('eth_call')]).toEqual([
    2, 4, 3, 5,
  ]);
  expect(of('net_version')).toBe(10);
  for (const method of ['data/getBlock', 'rows', 'other', '*', 'constructor', 'toString'])
    expect(of(method)).toBeUndefined();
});

test('an hour has the last list that has begun by then', () => {
  const lists = [list({ from: '2026-11-20T13', cached: 2 }), list({ from: '2026-11-01T00' })];
  expect(priceListAt(lists, '2026-11-20T12')?.cached).toBe(1);
  expect(priceListAt(lists, '2026-11-20T13')?.cached).toBe(2);
  expect(priceListAt(lists, '2026-10-31T23')).toBeUndefined();
});

test('a list is read from its text, whose hash is the same however its JSON is written', () => {
  const { from, prices, ...rest } = FIRST_PRICE_LIST;
  const reversed = Object.fromEntries(Object.entries(prices).reverse());
  const read = parsePriceList(JSON.stringify({ prices: reversed, ...rest, from }, undefined, 2));
  expect(read).toEqual(FIRST_PRICE_LIST);
  expect(read && priceListHash(read)).toBe(priceListHash(FIRST_PRICE_LIST));
  expect(priceListHash(list({ cached: 2 }))).not.toBe(priceListHash(FIRST_PRICE_LIST));
  expect(parsePriceList(priceListText(FIRST_PRICE_LIST))).toEqual(FIRST_PRICE_LIST);
});

test.each([
  ['no hour', { from: '2026-11-20T24' }],
  ['a price of 0', { prices: { eth_call: 0 } }],
  ['a fraction', { default: 1.5 }],
  ['a name with a star inside', { prices: { 'eth_*Block': 1 } }],
  ['no price of cached calls', { cached: undefined as unknown as number }],
])('%s is no list', (_, change) => {
  expect(parsePriceList(JSON.stringify({ ...FIRST_PRICE_LIST, ...change }))).toBeUndefined();
});

test('the prices that calls can be summed by are those of the list', () => {
  const summed = [0, 1, 2, 5, 10, 15, 20, 21, 30, 50, 100, 200].filter((cu) =>
    isPriceOf(FIRST_PRICE_LIST, cu),
  );
  expect(summed).toEqual([1, 5, 10, 15, 20, 30, 50, 200]);
  expect(dearestCall(FIRST_PRICE_LIST)).toBe(200);
});
