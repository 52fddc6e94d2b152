/** Shows that a price list is put once, before its hour, that the next head names it, and that customers see one changed or late. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bill } from '../../clients/gateway-bill/src/bill.ts';
import { badPrices, readHeads } from '../../clients/gateway-bill/src/head-checks.ts';
import { readPublished } from '../../clients/gateway-bill/src/read-heads.ts';
import { Charges } from '../../lambdas/access/charge/charge.ts';
import { putPriceList, readPriceLists } from '../../lambdas/access/store/price-lists.ts';
import { auditAccounts } from '../../lambdas/audit/audit.ts';
import { callUsage } from '../../lambdas/rpc/billing/call-usage.ts';
import { sealHead } from '../../lambdas/seal/seal-head.ts';
import { FIRST_PRICE_LIST, type PriceList, priceListHash } from '../../lambdas/shared/bill/price-list.ts';
import { Prices } from '../../lambdas/shared/methods/method-facts.ts';
import { BARE_CONTEXT } from '../operator/bare-context.ts';
import { capturedRun } from '../operator/captured-run.ts';
import { chargeAt, clockAt, openAccount } from '../settlement/settlement-fixture.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { answeredCall } from '../support/answered-call.ts';
import { MemoryObjects } from '../support/memory/objects.ts';
import { memorySigner } from '../support/memory/signer.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

const clock = clockAt('2026-11-20T12:15:00Z');
let store: MemoryStore;
let heads: MemoryObjects;
const signer = memorySigner();

beforeEach(() => {
  clock.time = Date.parse('2026-11-20T12:15:00Z');
  store = new MemoryStore();
  heads = new MemoryObjects();
});

const listFrom = (from: string, eth_call = 21): PriceList => ({
  ...FIRST_PRICE_LIST,
  from,
  prices: { ...FIRST_PRICE_LIST.prices, eth_call },
});
const books = () => ({ store, clock, pause: async () => {}, telemetry: new RecordedTelemetry() });
const seal = () =>
  sealHead({
    ...books(),
    heads,
    evidence: new MemoryObjects(),
    signer,
    randomBytes: (count) => randomBytes(count),
  });
const put = (list: PriceList) => putPriceList(store, clock, list);
/** As a clock that is late lets it be put, when its hour has begun. */
const putLate = (list: PriceList) => putPriceList(store, { now: () => clock.now() - 3_600_000 }, list);

/** What a customer reads, and finds wrong with the lists. */
async function customer() {
  const published = await readPublished(async (key) => (await heads.get(key))?.toString(), []);
  return {
    lists: published.prices,
    wrong: badPrices(published as unknown as Bill, readHeads(published.heads)),
  };
}

const violations = async () => {
  const report = await auditAccounts(books(), undefined, { accountsAtOnce: 1, outOfTime: () => false });
  return report.invariants.flatMap(({ violations: some }) => some.map(({ detail }) => detail));
};

test('the next head names a list that was put, and customers read it', async () => {
  const first = (await seal()).head;
  await put(listFrom('2026-11-20T13'));
  clock.time += 3_600_000;
  const second = (await seal()).head;
  expect(second?.prices).not.toBe(first?.prices);
  expect(await customer()).toEqual({
    lists: [FIRST_PRICE_LIST, listFrom('2026-11-20T13')],
    wrong: undefined,
  });
  clock.time += 3_600_000;
  expect((await seal()).head?.prices).toBe(second?.prices);
});

test('a list begins with an hour to come, and is put once', async () => {
  await expect(put(listFrom('2026-11-20T12'))).rejects.toThrow('an hour to come');
  await put(listFrom('2026-11-20T13'));
  await expect(put(listFrom('2026-11-20T13', 22))).rejects.toThrow('none is ever changed');
  expect(await readPriceLists({ store })).toEqual([FIRST_PRICE_LIST, listFrom('2026-11-20T13')]);
});

test('a list that is changed in the ledger, or has begun when it is put, is found by the customer', async () => {
  await put(listFrom('2026-11-20T13'));
  await seal();
  clock.time += 3_600_000;
  store.restore('ledger', { account: '#prices', record: '2026-11-20T13' }, undefined);
  await putLate(listFrom('2026-11-20T13', 22));
  await seal();
  expect((await customer()).wrong).toBe('head 2 names another price list than one before it');

  heads = new MemoryObjects();
  store = new MemoryStore();
  await seal();
  await putLate(listFrom('2026-11-20T13'));
  clock.time += 3_600_000;
  await seal();
  expect((await customer()).wrong).toBe(
    'the price list of 2026-11-20T13 was put after head 1, when it had begun',
  );
});

test('an hour is held to its own list: what was billed before and after the change is right', async () => {
  await openAccount(store, 'acme');
  await put(listFrom('2026-11-20T13'));
  const usage = (cu: number) => [{ chain: 'one', method: 'eth_call', calls: 2, cu, cached: 0, errors: 0 }];
  await chargeAt(store, 'acme', '2026-11-20T12:59:59Z', 40, { usage: usage(40) });
  await chargeAt(store, 'acme', '2026-11-20T13:00:00Z', 42, { usage: usage(42) });
  clock.time = Date.parse('2026-11-20T13:05:00Z');
  expect(await violations()).toEqual([]);
  await chargeAt(store, 'acme', '2026-11-20T13:00:01Z', 40, { usage: usage(40), lane: 'lane-2' });
  expect(await violations()).toEqual([expect.stringContaining('by the price list 42')]);
});

test('two releases with the list, whose clocks are 5 s apart, charge over its first moment without a violation', async () => {
  await openAccount(store, 'acme');
  await put(listFrom('2026-11-20T13'));
  const lists = await readPriceLists({ store });
  clock.time = Date.parse('2026-11-20T12:59:30Z');
  const releases = [lists, [listFrom('2026-11-20T13')]].map((shipped, place) => {
    const own = { now: () => clock.time + place * 5_000 };
    const metering = { groupCommitCu: 0 };
    const queue = { send: async () => {} };
    const charges = new Charges({ ...books(), clock: own, queue, randomBytes, metering });
    return { prices: new Prices(shipped, own), charges };
  });
  const account = { account: 'acme', shards: 1, isMarked: () => false };
  const result = { kind: 'result', result: Buffer.from('1') } as const;
  for (let second = 0; second < 60; second += 1, clock.time += 1_000)
    for (const { prices, charges } of releases) {
      const { hour, callCu } = prices.now();
      const usage = callUsage('one', answeredCall(result, { method: 'eth_call' }), callCu);
      // The clock can move on between the price and the charge.
      clock.time += 400;
      await charges.charge(account, usage?.cu ?? 0, usage === undefined ? [] : [usage], hour).store();
      clock.time -= 400;
    }
  const lanes = store.items('lanes').map(({ hour_lane, used }) => [String(hour_lane).slice(0, 13), used]);
  expect(lanes.sort()).toEqual([
    ['2026-11-20T12', 'one eth_call:25:500'],
    ['2026-11-20T12', 'one eth_call:30:600'],
    ['2026-11-20T13', 'one eth_call:30:630'],
    ['2026-11-20T13', 'one eth_call:35:735'],
  ]);
  expect(await violations()).toEqual([]);
});

test('a list that functions would not charge by is not put', async () => {
  await expect(put({ ...listFrom('2026-11-20T13'), cached: 2 })).rejects.toThrow('1 CU each');
  const { rows: _, ...prices } = FIRST_PRICE_LIST.prices;
  await expect(put({ ...listFrom('2026-11-20T13'), prices })).rejects.toThrow('1 CU each');
});

test('a list that is damaged fails the audit: nothing could be held to it', async () => {
  await put(listFrom('2026-11-20T13'));
  const key = { account: '#prices', record: '2026-11-20T13' };
  await store.update({ table: 'ledger', key, when: [], set: { hash: '0'.repeat(64) } });
  await expect(violations()).rejects.toThrow('the price list of 2026-11-20T13 is damaged');
});

test('the operator puts a list from a file, and sees which one counts now', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'prices-'));
  const context = { ...BARE_CONTEXT, store, clock };
  const run = (...argv: string[]) => capturedRun(['price-list', ...argv, '--local'], context);
  const file = join(folder, 'list.json');
  writeFileSync(file, JSON.stringify(listFrom('2026-11-20T13'), undefined, 2));
  const { exitCode, stdout } = await run(file, '--json');
  expect([
    exitCode,
    JSON.parse(stdout).lists.map(({ from, hash, now }: Record<string, unknown>) => [from, hash, now]),
  ]).toEqual([
    0,
    [
      [FIRST_PRICE_LIST.from, priceListHash(FIRST_PRICE_LIST), true],
      ['2026-11-20T13', priceListHash(listFrom('2026-11-20T13')), false],
    ],
  ]);
  expect((await run(file)).stderr).toContain('none is ever changed');
  writeFileSync(file, '{}');
  expect((await run(file)).stderr).toContain('is no price list');
  expect((await run(join(folder, 'none'))).stderr).toContain('cannot be read');
  expect((await run()).stdout).toMatch(/2020-01-01T00 .* now\n/);
  rmSync(folder, { recursive: true });
});
