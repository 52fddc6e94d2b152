/** A portfolio of several chains is what each chain answers alone, at the same price: a chain that fails is named, and none is left out. */
import type { Admission, KeyHolder, MethodUsage } from '../../lambdas/access/contract/metering.ts';
import type { DataDependencies } from '../../lambdas/data/handle-data.ts';
import { createSeal } from '../../lambdas/data/plan/seal.ts';
import { callTool, type ToolDependencies } from '../../lambdas/mcp/call-tool.ts';
import { toolPrice } from '../../lambdas/mcp/price-again.ts';
import { toolResult } from '../../lambdas/mcp/tool-result.ts';
import { PORTFOLIO_TOOL } from '../../lambdas/mcp/tools/portfolio-tool.ts';
import { FIRST_PRICE_LIST } from '../../lambdas/shared/bill/price-list.ts';
import { StatementTimeoutError } from '../../lambdas/shared/chain-database/database-error.ts';
import { UNLIMITED } from '../support/data-limits.ts';

const ADDRESS = `0x${'ab'.repeat(20)}`;
const NOW = 1_000_000_000_000;
const REMAINING_MS = 24_000;
const META = {
  as_of: 960,
  finalized: 704,
  reach: 704,
  refusal: null,
  coverage: 'full',
  refreshed_at: '2026-11-20T09:00:00Z',
  rows_read: 1,
  height: null,
  exists: true,
  snapshot: 3,
  snapshot_block: 704,
  examined_to: null,
  seated: true,
  anchor: null,
};

interface Balance {
  readonly value_usd: string | null;
  readonly possible_spam?: boolean;
  readonly symbol?: string;
}

/** The MCP server's calls on a stage of chains whose database is a list of balances, or fails. */
class Chains {
  /** What each chain has, in its order; of a chain that is not here nothing is indexed. */
  readonly balances: Record<string, readonly Balance[] | 'times out'> = {};
  /** Milliseconds that a statement takes. */
  statementMs = 0;
  admissions: Admission[] = [];
  readonly charged: MethodUsage[] = [];
  readonly #stage: readonly string[];
  #now = NOW;
  #charges = 0;

  constructor(stage: readonly string[]) {
    this.#stage = stage;
  }

  async call(given: Record<string, unknown>, holder: KeyHolder = { keyId: 'k', account: 'a' }) {
    const context = { holder, requestId: 'r', remainingMs: REMAINING_MS };
    const dependencies = { data: this.#data() } as unknown as ToolDependencies;
    const told = await callTool(PORTFOLIO_TOOL, given, context, dependencies);
    if (told === undefined) return undefined;
    const result = toolResult(told, PORTFOLIO_TOOL.output);
    const message = { method: 'tools/call', params: { name: PORTFOLIO_TOOL.name, arguments: given } };
    const answered = { statusCode: 200, headers: {}, body: JSON.stringify({ result }) };
    const { data = [], charges = [] } = (result.structuredContent ?? {}) as {
      data?: Record<string, unknown>[];
      charges?: string[];
    };
    return {
      data,
      charges,
      meta: result._meta,
      truncated: result.structuredContent?.truncated,
      isError: result.isError === true,
      body: JSON.parse(Buffer.concat(told.body).toString()),
      price: toolPrice(JSON.stringify(message), answered, FIRST_PRICE_LIST),
    };
  }

  #data(): DataDependencies {
    return {
      meter: {
        noteRefusal: () => {},
        usedUpBalance: async () => undefined,
        admit: async () => this.admissions.shift() ?? { admitted: true, balanceCu: 1_000n, limits: [] },
        charge: (_, cu, usage) => {
          this.charged.push(...usage);
          this.#charges += 1;
          return { lane: `2026-11-20T09/lane;n=${this.#charges};total=${cu}`, store: async () => 'stored' };
        },
      },
      chains: this.#stage.map((chain, at) => ({ chain, chainId: at + 1, isDefault: at === 0 })),
      database: {
        query: async (sql, parameters = {}) => ({ rows: this.#rows(sql, parameters), updated: 0 }),
      },
      clock: { now: () => this.#now },
      seal: createSeal('key of the tests'),
      ...UNLIMITED,
    };
  }

  #rows(
    sql: string,
    parameters: Readonly<Record<string, unknown>>,
  ): Record<string, string | number | null>[] {
    const indexed = this.#stage.flatMap((chain, place) =>
      this.balances[chain] === undefined
        ? []
        : [{ place, block_number: 960, refreshed_at: META.refreshed_at }],
    );
    if (!sql.includes('.balances')) return indexed;
    this.#now += this.statementMs;
    const chain = this.#stage.find((one) => sql.includes(`"${one}"`)) ?? '';
    const { [chain]: balances } = this.balances;
    if (balances === 'times out') throw new StatementTimeoutError('8 s', undefined);
    if (balances === undefined)
      return [{ ordinal: 0, key: null, item: JSON.stringify({ ...META, as_of: null }) }];
    const [, name = ''] = /ordinal <= :(\w+)/.exec(sql) ?? [];
    const page = balances.slice(0, Number(parameters[name]));
    const meta = {
      ...META,
      rows_found: balances.length,
      rows_returned: page.length,
      rows_counted: page.length,
    };
    const rows = page.map((balance, at) => ({
      ordinal: at + 1,
      key: JSON.stringify([String(at)]),
      item: JSON.stringify({
        token: `0x${at}`,
        possible_spam: false,
        sellable_usd: null,
        block_number: 704,
        ...balance,
      }),
    }));
    return [{ ordinal: 0, key: null, item: JSON.stringify(meta) }, ...rows];
  }
}

const REFUSED: Admission = { admitted: false, refusal: { reason: 'insufficient_balance', balanceCu: -1n } };
const ADMITTED: Admission = { admitted: true, balanceCu: 20n, limits: [] };

test('each chain has what it answers alone, with exact totals, and the sum of the prices', async () => {
  const world = new Chains(['one', 'two']);
  world.balances.one = [{ value_usd: '0.000001' }, { value_usd: '90071992547409930.2' }, { value_usd: null }];
  world.balances.two = [{ value_usd: '7', possible_spam: true }];
  const told = await world.call({ address: ADDRESS, chains: ['two', 'one', 'two'] });
  expect(told?.data.map(({ chain, error, totals }) => ({ chain, error, totals }))).toEqual([
    {
      chain: 'two',
      error: null,
      totals: [
        {
          block_number: 704,
          value_usd: '0',
          sellable_usd: '0',
          balances: 1,
          without_value: 0,
          possible_spam: 1,
        },
      ],
    },
    {
      chain: 'one',
      error: null,
      totals: [
        {
          block_number: 704,
          value_usd: '90071992547409930.200001',
          sellable_usd: '0',
          balances: 3,
          without_value: 1,
          possible_spam: 0,
        },
      ],
    },
  ]);
  expect(told?.data[1]).toMatchObject({ meta: { as_of_block: 960, coverage: 'full' } });
  expect(world.charged.map(({ chain, method, cu }) => [chain, method, cu])).toEqual([
    ['two', 'data/listAddressBalanceValues', 10],
    ['one', 'data/listAddressBalanceValues', 10],
  ]);
  expect(told?.meta).toMatchObject({
    cu_cost: 20,
    cu_billed: 20,
    cu_lane: '2026-11-20T09/lane;n=2;total=10',
  });
  expect(told?.charges).toEqual(['2026-11-20T09/lane;n=1;total=10 10', '2026-11-20T09/lane;n=2;total=10 10']);
  expect(told?.price).toEqual({ least: 20, most: 20 });
});

test('without chains those that are indexed and the key may read are asked, for the price of their list', async () => {
  const world = new Chains(['one', 'unindexed', 'two', 'foreign']);
  for (const chain of ['one', 'two', 'foreign']) world.balances[chain] = [];
  const bounds = { chains: ['one', 'unindexed', 'two'] };
  const told = await world.call({ address: ADDRESS }, {
    keyId: 'k',
    account: 'a',
    bounds,
  } as unknown as KeyHolder);
  expect(told?.data.map(({ chain }) => chain)).toEqual(['one', 'two']);
  expect([told?.meta?.cu_billed, told?.price]).toEqual([21, { least: 21, most: 21 }]);
});

test.each([
  ['402', REFUSED, { code: 'insufficient_balance' }],
  ['a key that was disabled', { admitted: false, refusal: { reason: 'key_unknown' } }, undefined],
] as const)(
  'without the list of chains no chain is asked, and nothing billed: %s',
  async (_, refused, error) => {
    const world = new Chains(['one']);
    world.balances.one = [];
    world.admissions = [refused, ADMITTED];
    const told = await world.call({ address: ADDRESS });
    expect([told?.isError, world.admissions, world.charged]).toEqual([error && true, [ADMITTED], []]);
    if (error !== undefined) expect(told?.body.error).toMatchObject(error);
  },
);

test('a chain that is away, without an index, unknown or not of the key is named, and the others are read', async () => {
  const world = new Chains(['one', 'away', 'unindexed', 'foreign']);
  world.balances.one = [];
  world.balances.away = 'times out';
  world.balances.foreign = [];
  const bounds = { chains: ['one', 'away', 'unindexed', 'nowhere'] };
  const told = await world.call(
    { address: ADDRESS, chains: ['away', 'unindexed', 'nowhere', 'foreign', '../x', 'one'] },
    { keyId: 'k', account: 'a', bounds } as unknown as KeyHolder,
  );
  expect(told?.data.map(({ chain, error }) => [chain, error])).toEqual([
    ['away', 'query_timeout'],
    ['unindexed', 'dataset_not_installed'],
    ['nowhere', 'not_found'],
    ['foreign', 'not_found'],
    ['../x', 'not_found'],
    ['one', null],
  ]);
  expect([told?.isError, told?.meta?.cu_billed, told?.price]).toEqual([false, 10, { least: 10, most: 10 }]);
});

test.each([
  ['402', REFUSED, 'insufficient_balance'],
  [
    'a limit',
    { admitted: false, refusal: { reason: 'rate_limited', limit: 'cu', retryAfterMs: 2_500, limits: [] } },
    'rate_limited',
  ],
  [
    'an account that cannot be read',
    { admitted: false, refusal: { reason: 'billing_unavailable' } },
    'billing_unavailable',
  ],
  ['a key that was disabled meanwhile', { admitted: false, refusal: { reason: 'key_unknown' } }, 'not_found'],
] as const)(
  '%s in the middle names the chains that are left, which are not asked',
  async (_, refused, code) => {
    const names = ['a', 'b', 'c', 'd'];
    const world = new Chains(names);
    for (const chain of names) world.balances[chain] = [];
    world.admissions = [ADMITTED, refused as Admission, ADMITTED];
    const told = await world.call({ address: ADDRESS, chains: names });
    expect(told?.data.map(({ chain, error }) => [chain, error])).toEqual([
      ['a', null],
      ['b', code],
      ['c', code],
      ['d', code],
    ]);
    expect([world.admissions.length, told?.meta?.cu_billed, told?.price]).toEqual([
      1,
      10,
      { least: 10, most: 10 },
    ]);
  },
);

test('a key that is disabled before anything is billed is answered as an unknown key', async () => {
  const world = new Chains(['a']);
  world.admissions = [{ admitted: false, refusal: { reason: 'key_unknown' } }];
  expect(await world.call({ address: ADDRESS, chains: ['a'] })).toBeUndefined();
});

test('fifty chains share the room of a result, and a chain that is cut says where to go on and has no total', async () => {
  const names = Array.from({ length: 50 }, (_, at) => `chain${at}x`);
  const world = new Chains(names);
  for (const chain of names) world.balances[chain] = [];
  world.balances[names[0] ?? ''] = Array.from({ length: 100 }, () => ({ value_usd: '1' }));
  const told = await world.call({ address: ADDRESS, chains: names, limit: 100 });
  expect(told?.data).toHaveLength(50);
  expect(told?.data[0]).toMatchObject({ totals: null, next_cursor: expect.any(String) });
  expect(told?.data[0]?.balances).toHaveLength(5);
  expect(told?.data[1]).toMatchObject({ totals: [], balances: [] });
  expect(told?.price).toEqual({ least: 500, most: 500 });
});

test('a result that is cut does not say what it cost, and so is not taken for a free one', async () => {
  const world = new Chains(['a']);
  world.balances.a = [{ value_usd: '1', symbol: 'x'.repeat(200_000) }];
  const { truncated, price, meta } = (await world.call({ address: ADDRESS, chains: ['a'] })) ?? {};
  expect([truncated, price, meta?.cu_billed]).toEqual([true, undefined, 10]);
});

test('chains for which no time is left are named, and not billed', async () => {
  const names = ['a', 'b', 'c', 'd'];
  const world = new Chains(names);
  for (const chain of names) world.balances[chain] = [];
  world.statementMs = 6_000;
  const told = await world.call({ address: ADDRESS, chains: names });
  expect(told?.data.map(({ error }) => error)).toEqual([null, null, 'not_asked', 'not_asked']);
  expect(told?.meta?.cu_billed).toBe(20);
});

test.each([
  [{ chains: ['a'] }, "must have required property 'address'"],
  [{ address: '0x1', chains: ['a'] }, 'address must match pattern'],
  [{ address: ADDRESS, chains: [] }, 'chains: name one at least'],
  [
    { address: ADDRESS, chains: Array.from({ length: 51 }, () => 'a') },
    'chains must NOT have more than 50 items',
  ],
  [{ address: ADDRESS, chains: 'a' }, 'chains must be array'],
  [{ address: ADDRESS, chains: ['a'], limit: 101 }, 'limit must be <= 100'],
])('%j is refused before it costs anything', async (given, problem) => {
  const world = new Chains(['a']);
  world.balances.a = [];
  const told = await world.call(given);
  expect(told?.body.error).toMatchObject({ code: 'bad_request', message: expect.stringContaining(problem) });
  expect([world.charged, told?.price]).toEqual([[], { least: 0, most: 0 }]);
});
