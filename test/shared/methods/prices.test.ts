/** Shows that an hour has one list of prices, and that what charges by it and what checks it resolve a name alike. */
import fc from 'fast-check';
import { listedPrice, type PriceList } from '../../../lambdas/shared/bill/price-list.ts';
import { Prices, weightOf } from '../../../lambdas/shared/methods/method-facts.ts';
import { clockAt } from '../../settlement/settlement-fixture.ts';

const list = (from: string, prices: PriceList['prices'], other = 10): PriceList => ({
  from,
  cached: 1,
  default: other,
  prices,
});

test('a name comes before the longest prefix, that before a shorter one, and the default last', () => {
  const prices = {
    eth_getBlock: 2,
    'eth_get*': 3,
    'eth_getBlock*': 4,
    'eth_*': 5,
    'data/*': 6,
    'data/getBlock': 7,
  };
  const { callCu: of, operationCu } = new Prices(
    [list('2026-11-20T13', prices, 9)],
    clockAt('2026-11-20T13:00:00Z'),
  ).now();
  const methods = [
    'eth_getBlock',
    'eth_getBlockByHash',
    'eth_getCode',
    'eth_call',
    'net_version',
    'constructor',
  ];
  expect(methods.map(of)).toEqual([2, 4, 3, 5, 9, 9]);
  expect([operationCu('getBlock', 1), operationCu('listLogs', 1)]).toEqual([7, 6]);
});

test('both resolvers give any name the same price', () => {
  const part = fc.constantFrom('eth_', 'net_', 'get', 'Block', 'By', 'Hash', 'debug_trace');
  const name = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `eth_${parts.join('')}`);
  const pattern = fc.oneof(
    name,
    name.map((one) => `${one}*`),
  );
  fc.assert(
    fc.property(fc.dictionary(pattern, fc.integer({ min: 1, max: 500 })), name, (prices, method) => {
      const one = list('2026-11-20T13', prices);
      const { callCu: of } = new Prices([one], clockAt('2026-11-20T13:00:00Z')).now();
      expect(of(method)).toBe(listedPrice(one, method));
    }),
    { numRuns: 1_000 },
  );
});

test('a list counts from its first hour on, and before the first one the tables of the release', () => {
  const clock = clockAt('2026-11-20T12:59:59.999Z');
  const prices = new Prices(
    [list('2026-11-20T14', { eth_call: 30 }), list('2026-11-20T13', { eth_call: 21 })],
    clock,
  );
  const seen = () => {
    const { hour, callCu: of, operationCu } = prices.now();
    return [hour, of('eth_call'), operationCu('listLogs', 20)];
  };
  expect(seen()).toEqual(['2026-11-20T12', weightOf('eth_call'), 20]);
  clock.time += 1;
  expect(seen()).toEqual(['2026-11-20T13', 21, 20]);
  clock.time += 3_600_000;
  expect(seen()).toEqual(['2026-11-20T14', 30, 20]);
  clock.time -= 3_600_000;
  expect(seen()).toEqual(['2026-11-20T13', 21, 20]);
});
