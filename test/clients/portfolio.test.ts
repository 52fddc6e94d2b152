/** The client reads what an address has chain by chain: exact totals of what is whole, each chain that fails named, and nothing asked in vain. */
import fc from 'fast-check';
import { createClient } from '../../clients/typescript/src/client.ts';
import {
  BadRequestError,
  InsufficientBalanceError,
  NotFoundError,
  RateLimitedError,
  UnavailableError,
  UnprocessableError,
} from '../../clients/typescript/src/errors.ts';
import { portfolioTotals } from '../../clients/typescript/src/portfolio-totals.ts';

const META = { as_of_block: 960, finalized_block: 704, coverage: 'full' };
const BILLED = { 'x-cu-billed': '10' };

type Reply = readonly [status: number, body: object, headers?: Record<string, string>];

const row = (value_usd: string | null, block_number = 704, possible_spam = false) => ({
  token: '0x01',
  value_usd,
  sellable_usd: value_usd,
  block_number,
  possible_spam,
});
const page = (rows: readonly object[], next_cursor?: string): Reply => [
  200,
  { data: rows, next_cursor, meta: META },
  BILLED,
];
const refusal = (status: number, code: string): Reply => [
  status,
  { error: { code, message: `it is ${code}` } },
];

/** A client of a gateway whose chains answer in turn; `most` are asked at once. */
function world(chains: Readonly<Record<string, readonly Reply[]>>) {
  const asked: string[] = [];
  let [open, most] = [0, 0];
  const turns = new Map(Object.entries(chains).map(([chain, replies]) => [chain, [...replies]]));
  const client = createClient({
    baseUrl: 'http://gateway',
    apiKey: 'k',
    retries: 0,
    fetch: async (url) => {
      const { pathname, search } = new URL(String(url));
      const [, chain = ''] = /^\/v1\/data\/([^/]+)/.exec(pathname) ?? [];
      asked.push(chain + search);
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      if (chain === 'chains')
        return Response.json(
          { data: Object.keys(chains).map((one) => ({ chain: one })), meta: META },
          { headers: { 'x-cu-billed': '1' } },
        );
      const [status, body, headers] = turns.get(chain)?.shift() ?? refusal(404, 'not_found');
      return Response.json(body, { status, ...(headers && { headers }) });
    },
  });
  return { client, asked, most: () => most };
}

test('every chain of the list is read to its end, with totals of each block and the price of all', async () => {
  const { client, asked } = world({
    one: [
      page([row('1.5'), row(null)], 'next'),
      page([row('90071992547409930.000001'), row('3', 704, true)]),
    ],
    two: [page([row('2', 700), row('0.1', 701)])],
  });
  const { chains, complete, cuBilled } = await client.portfolio('0xab');
  expect({ complete, cuBilled }).toEqual({ complete: true, cuBilled: 31 });
  const total = { balances: 1, without_value: 0, possible_spam: 0 };
  expect(chains.map(({ chain, totals, cuBilled: of }) => [chain, totals, of])).toEqual([
    [
      'one',
      [
        {
          block_number: 704,
          value_usd: '90071992547409931.500001',
          sellable_usd: '90071992547409931.500001',
          balances: 4,
          without_value: 1,
          possible_spam: 1,
        },
      ],
      20,
    ],
    [
      'two',
      [
        { ...total, block_number: 700, value_usd: '2', sellable_usd: '2' },
        { ...total, block_number: 701, value_usd: '0.1', sellable_usd: '0.1' },
      ],
      10,
    ],
  ]);
  expect(asked).toEqual(['chains', 'one?limit=500', 'two?limit=500', 'one?limit=500&cursor=next']);
});

test('a chain that fails is named with its error and what was read of it, and the others are read', async () => {
  const { client } = world({
    away: [refusal(503, 'unavailable')],
    unindexed: [refusal(422, 'dataset_not_installed')],
    replaced: [page([row('1')], 'next'), refusal(409, 'snapshot_replaced')],
    one: [page([])],
  });
  // One that is not the key's is as unknown as one that is nowhere.
  const names = ['away', 'unindexed', 'nowhere', 'replaced', 'one', 'one'];
  const { chains, complete, cuBilled } = await client.portfolio('0xab', { chains: names });
  expect({ complete, cuBilled }).toEqual({ complete: false, cuBilled: 20 });
  expect(
    chains.map(({ chain, error, balances, totals }) => [chain, error?.message, balances.length, totals]),
  ).toEqual([
    ['away', 'it is unavailable', 0, undefined],
    ['unindexed', 'it is dataset_not_installed', 0, undefined],
    ['nowhere', 'it is not_found', 0, undefined],
    ['replaced', 'it is snapshot_replaced', 1, undefined],
    ['one', undefined, 0, []],
  ]);
  expect(chains.map(({ error }) => error?.constructor)).toMatchObject([
    UnavailableError,
    UnprocessableError,
    NotFoundError,
    expect.anything(),
    undefined,
  ]);
});

test('a chain that lags is whole, and its meta says how far it is', async () => {
  const lagging = { as_of_block: 300, finalized_block: 44, coverage: 'partial' };
  const { client } = world({
    lagging: [[200, { data: [row('1', 40)], meta: lagging }, BILLED]],
    one: [page([row('2')])],
  });
  const { chains, complete } = await client.portfolio('0xab', { chains: ['lagging', 'one'] });
  expect(complete).toBe(true);
  expect(chains.map(({ meta, totals }) => [meta, totals?.map(({ block_number }) => block_number)])).toEqual([
    [lagging, [40]],
    [META, [704]],
  ]);
});

test('fifty chains are asked four at a time; once the balance is used up, those that are left are named and not asked', async () => {
  const names = Array.from({ length: 50 }, (_, at) => `c${at}`);
  const all = world(Object.fromEntries(names.map((name) => [name, [page([])]])));
  expect((await all.client.portfolio('0xab', { chains: names })).chains.map(({ chain }) => chain)).toEqual(
    names,
  );
  expect([all.asked.length, all.most()]).toEqual([50, 4]);
  const some = world(
    Object.fromEntries(
      names.map((name, at) => [name, [at < 6 ? page([]) : refusal(402, 'insufficient_balance')]]),
    ),
  );
  const { chains, cuBilled } = await some.client.portfolio('0xab', { chains: names });
  expect(chains.map(({ error }) => error?.constructor)).toEqual(
    names.map((_, at) => (at < 6 ? undefined : InsufficientBalanceError)),
  );
  expect(cuBilled).toBe(60);
  expect(some.asked.length).toBeLessThan(12);
});

test('a limit of the key ends the asking: the chains that are left are named with it', async () => {
  const names = Array.from({ length: 20 }, (_, at) => `c${at}`);
  const { client, asked } = world(
    Object.fromEntries(names.map((name) => [name, [refusal(429, 'key_daily_limit')]])),
  );
  const { chains } = await client.portfolio('0xab', { chains: names });
  expect(chains.map(({ error }) => error?.constructor)).toEqual(names.map(() => RateLimitedError));
  expect(asked.length).toBeLessThan(8);
});

test('an address with more balances than are wanted is said to be cut, and where to go on', async () => {
  const { client, asked } = world({
    one: Array.from({ length: 300 }, (_, at) => page([row('1')], `c${at}`)),
  });
  const [one] = (await client.portfolio('0xab', { chains: ['one'], maxBalances: 2 })).chains;
  expect(one).toMatchObject({ complete: false, nextCursor: 'c0' });
  expect(one).not.toHaveProperty('totals');
  expect(asked).toHaveLength(1);
});

test('what no chain could answer is thrown', async () => {
  const { client, asked } = world({ one: [refusal(400, 'bad_request')] });
  await expect(client.portfolio('0x', { chains: ['one'] })).rejects.toBeInstanceOf(BadRequestError);
  await expect(client.portfolio('..', { chains: ['one'] })).rejects.toBeInstanceOf(TypeError);
  await expect(client.portfolio('0xab', { chains: [] })).rejects.toBeInstanceOf(TypeError);
  await expect(client.portfolio('0xab', { maxBalances: 0 })).rejects.toBeInstanceOf(TypeError);
  expect(asked).toEqual(['one?limit=500']);
  const ended = AbortSignal.abort(new Error('enough'));
  await expect(client.portfolio('0xab', { chains: ['one'], signal: ended })).rejects.toThrow('enough');
});

test('totals are exact, whatever the digits', () => {
  const fraction = fc
    .tuple(fc.bigInt(0n, 2n ** 200n), fc.integer({ min: 0, max: 6 }))
    .map(([units, places]) => {
      const digits = String(units).padStart(places + 1, '0');
      const whole = digits.slice(0, digits.length - places);
      return {
        millionths: units * 10n ** BigInt(6 - places),
        text: places === 0 ? whole : `${whole}.${digits.slice(-places)}`,
      };
    });
  fc.assert(
    fc.property(fc.array(fraction, { minLength: 1 }), (fractions) => {
      const [total] = portfolioTotals(fractions.map(({ text }) => row(text)));
      const [whole = '', decimals = ''] = (total?.value_usd ?? '').split('.');
      expect(BigInt(whole + decimals.padEnd(6, '0'))).toBe(
        fractions.reduce((sum, { millionths }) => sum + millionths, 0n),
      );
      expect(total?.value_usd).toMatch(/^(0|[1-9]\d*)(\.\d*[1-9])?$/);
    }),
  );
});
