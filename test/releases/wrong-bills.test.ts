/**
 * A release whose bills are subtly wrong is found by the bills themselves, by the requests that docs/metering.md says; one that is
 * well never is.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Meter, MethodUsage } from '../../lambdas/access/index.ts';
import { putPriceList } from '../../lambdas/access/store/price-lists.ts';
import type { RpcResponse } from '../../lambdas/rpc/response/rpc-response.ts';
import { FIRST_PRICE_LIST, type PriceList } from '../../lambdas/shared/bill/price-list.ts';
import { repetitions } from '../support/at-length.ts';
import { type AlterCharge, ReleaseProcess, START_MS, type WrongRelease } from './release-process.ts';

/** Longest way to the next response whose price is worked out again. */
const UNTIL_PRICED = 127;
const HEALTHY_REQUESTS = repetitions(20_000);
const LOST: ReturnType<Meter['charge']> = { lane: undefined, store: async () => 'stored' };

/** Charges other amounts than are billed. */
const charging =
  (change: (cu: number) => number): AlterCharge =>
  ({ charge }) => ({ charge: (holder, cu, usage, hour) => charge(holder, change(cu), usage, hour) });

/** Every so many charges are left out. */
const leavingOut = (every: number): AlterCharge => {
  let count = 0;
  return ({ charge }) => ({
    charge: (...charged) => {
      count += 1;
      return count % every === 0 ? LOST : charge(...charged);
    },
  });
};

/** Every so many charges count, and add nothing. */
const addingNothing = (every: number): AlterCharge => {
  let count = 0;
  return charging((cu) => {
    count += 1;
    return count % every === 0 ? 0 : cu;
  });
};

const doubled = (line: MethodUsage): MethodUsage => ({ ...line, calls: 2 * line.calls, cu: 2 * line.cu });

function withHeaders(response: RpcResponse, change: (billed: number) => number): RpcResponse {
  const { 'X-CU-Billed': billed, ...headers } = response.headers;
  return { ...response, headers: { ...headers, 'X-CU-Billed': String(change(Number(billed))) } };
}

/** A list with another price of eth_call. */
const dearer = (from: string): PriceList => ({
  ...FIRST_PRICE_LIST,
  from,
  prices: { ...FIRST_PRICE_LIST.prices, eth_call: 21 },
});

/** Rows of the table, and how each is done in the smallest way. */
const WRONG: Readonly<
  Record<
    string,
    {
      readonly release: WrongRelease;
      readonly rule: string;
      readonly most: number;
      readonly methods?: readonly string[];
    }
  >
> = {
  'charges 1 % more': {
    release: { meter: charging((cu) => Math.ceil(cu * 1.01)) },
    rule: 'lane_rise',
    most: 1,
  },
  'charges 1 % less': {
    release: { meter: charging((cu) => Math.floor(cu * 0.99)) },
    rule: 'lane_rise',
    most: 1,
  },
  'doubles each charge': { release: { meter: charging((cu) => 2 * cu) }, rule: 'lane_rise', most: 1 },
  'doubles calls with their CU': {
    release: {
      isCached: false,
      billing: ({ charge }) => ({
        charge: (holder, cu, usage, hour) => charge(holder, 2 * cu, usage.map(doubled), hour),
      }),
      response: (response) => withHeaders(response, (billed) => 2 * billed),
    },
    rule: 'price',
    most: UNTIL_PRICED,
  },
  'bills cached answers as others': {
    release: {
      cache: ({ responses, share }) => ({
        responses: responses.map((one) => ({ ...one, cached: false })),
        share,
      }),
    },
    rule: 'billed_without_call',
    most: 3,
  },
  'skips every 1,000th charge': {
    release: { billing: leavingOut(1_000) },
    rule: 'billed_without_lane',
    most: 1_000,
  },
  'bills another weight': {
    release: {
      isCached: false,
      billing: ({ charge }) => ({
        charge: (holder, cu, usage, hour) =>
          charge(
            holder,
            cu + 1,
            usage.map((line) => ({ ...line, cu: line.cu + 1 })),
            hour,
          ),
      }),
      response: (response) => withHeaders(response, (billed) => billed + 1),
    },
    rule: 'price',
    most: UNTIL_PRICED,
  },
  'has a price that no list of the ledger has': {
    release: { prices: [dearer('2026-11-20T09')], isCached: false },
    rule: 'price',
    most: UNTIL_PRICED,
    methods: ['eth_call'],
  },
  'adds nothing with every 1,000th': {
    release: { meter: addingNothing(1_000) },
    rule: 'lane_rise',
    most: 1_000,
  },
};

test.each(Object.entries(WRONG))(
  'a release that %s is found',
  async (_, { release, rule, most, methods }) => {
    const process = await ReleaseProcess.open(release);
    expect(await process.requestsUntilFound(most, methods)).toBeDefined();
    expect(process.rules).toEqual([rule]);
  },
);

/** Rows that no bill tells of. */
const RIGHTLY_BILLED: Readonly<Record<string, WrongRelease>> = {
  'gives an old cached answer': {
    cache: ({ responses, share }) => {
      const old = { kind: 'result', result: Buffer.from('"0x0"') } as const;
      return { responses: responses.map((one) => (one.cached ? { ...one, response: old } : one)), share };
    },
  },
  'leaks a header': {
    response: (response) => ({ ...response, headers: { ...response.headers, 'X-Holder': 'acme' } }),
  },
};

test.each(Object.entries(RIGHTLY_BILLED))(
  'a release that %s is not found by its bills',
  async (_, release) => {
    const process = await ReleaseProcess.open(release);
    expect(await process.requestsUntilFound(2_000)).toBeUndefined();
  },
);

test('docs/metering.md says of each wrong release after how many requests its bills show it, or that they do not', () => {
  const root = join(import.meta.dirname, '..', '..');
  const [, section = ''] = readFileSync(join(root, 'docs', 'metering.md'), 'utf8').split(
    '## Releases that are subtly wrong',
  );
  const rows = [...section.matchAll(/^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].slice(2);
  const told = new Map(
    rows.map(([, name = '', before, after, requests]) => [name, { before, after, requests }]),
  );
  for (const [name, { most }] of Object.entries(WRONG)) {
    expect([name, told.get(name)?.after]).toEqual([name, expect.stringContaining('`BillsDisagree`')]);
    expect([name, Number(told.get(name)?.requests?.replaceAll(',', ''))]).toEqual([name, most]);
  }
  for (const name of Object.keys(RIGHTLY_BILLED))
    expect(told.get(name)?.after).not.toContain('BillsDisagree');
  for (const { before = '' } of told.values())
    for (const [, file = ''] of before.matchAll(/`(test\/[^`]+)`/g))
      expect([file, existsSync(join(root, file))]).toEqual([file, true]);
  expect(told.size).toBeGreaterThanOrEqual(12);
});

test('a release that is well, with and without a new price list, is never found', async () => {
  const list = dearer('2026-11-20T10');
  const process = await ReleaseProcess.open({ prices: [list] });
  await putPriceList(process.store, { now: () => START_MS }, list);
  // Its hour begins after 1,000 requests.
  process.advance(3_500_000);
  expect(await process.requestsUntilFound(HEALTHY_REQUESTS)).toBeUndefined();
  expect(process.telemetry.logged).toEqual([]);
  const { headers } = await process.serve('eth_call');
  expect(['21', '1']).toContain(headers['X-CU-Billed']);
});
