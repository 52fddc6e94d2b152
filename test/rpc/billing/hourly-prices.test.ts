/** Shows that what is charged has the price of its lane's hour: that in which the response was given, whatever it cost on arrival. */
import { handleData } from '../../../lambdas/data/handle-data.ts';
import { createSeal } from '../../../lambdas/data/plan/seal.ts';
import { handleRequest, type RequestMeter } from '../../../lambdas/rpc/handle-request.ts';
import { FIRST_PRICE_LIST } from '../../../lambdas/shared/bill/price-list.ts';
import { Prices } from '../../../lambdas/shared/methods/method-facts.ts';
import { clockAt } from '../../settlement/settlement-fixture.ts';
import { simulatedChain } from '../../simulation/simulated-chain.ts';
import { admittingMeter } from '../../support/admitting-meter.ts';
import { answeredCall } from '../../support/answered-call.ts';

const HOLDER = { keyId: 'k', account: 'a' };
const dearer = {
  ...FIRST_PRICE_LIST,
  from: '2026-11-20T13',
  prices: { ...FIRST_PRICE_LIST.prices, eth_call: 21, 'data/listChains': 2 },
};
const clock = clockAt('2026-11-20T12:59:59Z');
const prices = new Prices([dearer], clock);
const charged: unknown[] = [];
const meter: RequestMeter = {
  ...admittingMeter(),
  charge: (_, cu, usage, hour) => {
    charged.push([hour, cu, ...usage.map(({ method, calls, cu: ofLine }) => [method, calls, ofLine])]);
    return { lane: undefined, store: async () => 'stored' };
  },
};

beforeEach(() => {
  clock.time = Date.parse('2026-11-20T12:59:59Z');
  charged.length = 0;
});

test('a request that arrives in one hour and is answered in the next is billed by the list of the next', async () => {
  const method = 'eth_call';
  const body = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{},"latest"]}');
  const answered = (ms: number) => ({
    answer: async () => {
      clock.time += ms;
      const response = { kind: 'result', result: Buffer.from('"0x1"') } as const;
      return { responses: [answeredCall(response, { method })], share: async () => {} };
    },
  });
  const chain = { ...simulatedChain('example_mainnet'), prices };
  const request = { holder: HOLDER, chain, body, deadline: clock.time + 60_000, clock };
  const before = await handleRequest(request, meter, answered(0));
  expect(before?.headers).toMatchObject({ 'X-CU-Cost': '20', 'X-CU-Billed': '20' });
  const over = await handleRequest(request, meter, answered(2_000));
  expect(over?.headers).toMatchObject({ 'X-CU-Cost': '20', 'X-CU-Billed': '21' });
  const after = await handleRequest(request, meter, answered(0));
  expect(after?.headers).toMatchObject({ 'X-CU-Cost': '21', 'X-CU-Billed': '21' });
  expect(charged).toEqual([
    ['2026-11-20T12', 20, ['eth_call', 1, 20]],
    ['2026-11-20T13', 21, ['eth_call', 1, 21]],
    ['2026-11-20T13', 21, ['eth_call', 1, 21]],
  ]);
});

test('an operation of the Data API as well', async () => {
  const dependencies = {
    meter,
    prices,
    clock,
    chains: [],
    database: undefined,
    seal: createSeal('a'),
    limits: { queriesPerKey: 1, exportsPerKey: 1 },
    exportPlaces: { take: async () => undefined },
  };
  const request = {
    holder: HOLDER,
    chain: undefined,
    path: undefined,
    query: {},
    ifNoneMatch: undefined,
    requestId: 'r',
  };
  const billed = async () => (await handleData(request, dependencies)).headers?.['X-CU-Billed'];
  expect(await billed()).toBe('1');
  clock.time += 1_000;
  expect(await billed()).toBe('2');
  expect(charged).toEqual([
    ['2026-11-20T12', 1, ['data/listChains', 1, 1]],
    ['2026-11-20T13', 2, ['data/listChains', 1, 2]],
  ]);
});
