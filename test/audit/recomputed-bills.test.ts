/** Shows that the audit works every bill out again: a healthy gateway has no violation, and each changed price is found. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Charges } from '../../lambdas/access/charge/charge.ts';
import { accountShard, hourLane } from '../../lambdas/access/charge/lane.ts';
import type { MethodUsage } from '../../lambdas/access/contract/metering.ts';
import type { Item } from '../../lambdas/access/store/store.ts';
import { auditAccounts } from '../../lambdas/audit/audit.ts';
import {
  billedCalls,
  cachedUsage,
  computeUnitsOf,
  pageCalls,
  usageOf,
} from '../../lambdas/data/plan/price.ts';
import { callUsage } from '../../lambdas/rpc/billing/call-usage.ts';
import { FIRST_PRICE_LIST, listedPrice } from '../../lambdas/shared/bill/price-list.ts';
import { METHODS } from '../../lambdas/shared/methods/method-table.ts';
import { chargeAt, clockAt, openAccount, settleMarked } from '../settlement/settlement-fixture.ts';
import { Random } from '../simulation/random.ts';
import { itemSize } from '../simulation/stores/item-size.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { answeredCall } from '../support/answered-call.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

const INVARIANT = 'lanes and records bill the price of their usage';
const ACCOUNT = 'a'.repeat(63);
const CHAINS = ['one', 'two', 'three', 'four'].map((name) => name.padEnd(20, '-x'));
const HOUR = '2026-11-20T09';
let store: MemoryStore;
const clock = clockAt('2026-11-20T09:50:00Z');

async function auditNow(all = false) {
  const books = { store, clock, pause: async () => {}, telemetry: new RecordedTelemetry() };
  const report = await auditAccounts(
    books,
    undefined,
    { accountsAtOnce: 1, outOfTime: () => false },
    { all },
  );
  const wrong = report.invariants.filter(({ violationCount }) => violationCount > 0);
  return {
    violated: wrong.map(({ invariant }) => invariant),
    detail: wrong.find(({ invariant }) => invariant === INVARIANT)?.violations[0]?.detail,
    figures: report.invariants.find(({ invariant }) => invariant === INVARIANT)?.figures,
  };
}

async function lanesNow(): Promise<Item[]> {
  const partition = { attribute: 'account_shard', value: accountShard(ACCOUNT, 0) };
  return [...(await store.query({ table: 'lanes', partition, limit: 1_000 })).items];
}

/** As many charges as are asked for, by the code that prices responses: every fourth one is a batch. */
function* mixedCharges(count: number, random: Random): Generator<readonly MethodUsage[]> {
  const methods = [...METHODS.map(({ name }) => name), 'eth_nonsense', 'debug_traceNonsense'];
  const reads = methods.filter((method) => !method.startsWith('eth_send')).slice(0, 40);
  const pick = <T>(some: readonly T[]): T => some[random.integer(0, some.length - 1)] as T;
  const call = (chain: string): readonly MethodUsage[] => {
    const isError = random.integer(0, 9) === 0;
    const error = { kind: 'error', error: Buffer.from('{"code":3}'), code: 3 } as const;
    const response = isError ? error : ({ kind: 'result', result: Buffer.from('1') } as const);
    const cached = random.integer(0, 4) === 0;
    return [callUsage(chain, answeredCall(response, { method: pick(reads), cached })) ?? []].flat();
  };
  const list = { computeUnits: 20, isPerItem: false };
  const batch = { computeUnits: 5, isPerItem: true };
  for (let number = 0; number < count; number += 1) {
    const chain = pick(CHAINS);
    const kind = random.integer(0, 9);
    if (kind < 5) yield call(chain);
    else if (kind < 7) yield Array.from({ length: random.integer(2, 100) }, () => call(chain)).flat();
    else if (kind === 7) {
      const size = { rows: random.integer(0, 500), bytes: random.integer(0, 400_000) };
      yield usageOf(chain, 'listLogs', billedCalls(list, size));
    } else if (kind === 8)
      yield usageOf(chain, 'getTokens', billedCalls(batch, { rows: random.integer(0, 100), bytes: 0 }));
    else yield [cachedUsage(chain, 'listLogs')];
  }
}

/** What a file of 4,001 rows is charged, page by page. */
function* exportCharges(): Generator<readonly MethodUsage[]> {
  const price = { computeUnits: 20, isPerItem: false };
  let billed = 0;
  for (const rows of [100, 4_001]) {
    const due = computeUnitsOf(price, { rows, bytes: rows * 900 }) - billed;
    yield usageOf(CHAINS[0] as string, 'listLogs', pageCalls(price, due, billed === 0));
    billed += due;
  }
}

function chargesOn(): Charges {
  return new Charges({
    store,
    queue: { send: async () => {} },
    clock,
    pause: async () => {},
    telemetry: new RecordedTelemetry(),
    randomBytes,
    metering: { groupCommitCu: 10_000_000 },
  });
}

const cuOf = (usage: readonly MethodUsage[]) => usage.reduce((sum, { cu }) => sum + cu, 0);
const charged = { account: ACCOUNT, shards: 1, isMarked: () => false };

beforeEach(async () => {
  store = new MemoryStore();
  clock.time = Date.parse('2026-11-20T09:50:00Z');
  await openAccount(store, ACCOUNT);
});

test('10,000 mixed charges and an export over the turn of an hour are no violation, in lanes of 1 KB; each of 500 changes of a price is found', async () => {
  const random = new Random(7);
  const charges = chargesOn();
  let number = 0;
  for (const usage of mixedCharges(10_000, random)) {
    number += 1;
    if (number % 100 === 0) clock.time += 1_000;
    await charges.charge(charged, cuOf(usage), usage).store();
  }
  clock.time = Date.parse('2026-11-20T09:59:59Z');
  for (const usage of exportCharges()) {
    await charges.charge(charged, cuOf(usage), usage).store();
    clock.time += 5_000;
  }
  await charges.storeDue(Number.POSITIVE_INFINITY);
  clock.time += 60_000;
  await charges.storeDue(Number.POSITIVE_INFINITY);
  const lanes = await lanesNow();
  expect(lanes.map(({ hour_lane }) => String(hour_lane).slice(0, 13))).toEqual([HOUR, '2026-11-20T10']);
  for (const lane of lanes) expect(itemSize(lane)).toBeLessThanOrEqual(1_024);
  expect(String(lanes[0]?.used)).toContain('*200:');
  expect((await auditNow()).violated).toEqual([]);

  for (let change = 0; change < 500; change += 1) {
    const lane = lanes[random.integer(0, 1)] as Item;
    const { used, total } = changed(lane, random);
    const key = { account_shard: String(lane.account_shard), hour_lane: String(lane.hour_lane) };
    store.restore('lanes', key, { ...lane, used, total });
    const { violated, detail } = await auditNow();
    if (!violated.includes(INVARIANT)) throw new Error(`not found: ${lane.used} -> ${used}`);
    expect(detail).toContain(String(lane.hour_lane));
    store.restore('lanes', key, lane);
  }

  clock.time = Date.parse('2026-11-20T12:15:00Z');
  await settleMarked(store, clock, ACCOUNT, [HOUR, '2026-11-20T10']);
  const { violated, figures } = await auditNow();
  expect(violated).toEqual([]);
  expect(figures).toMatchObject({ recomputed: 4n });
});

/** One line of a lane with another price, and the lane's total as the line has it. */
function changed({ used, total }: Item, random: Random) {
  const groups = String(used)
    .split(';')
    .map((group) => group.split(' '));
  const group = groups[random.integer(0, groups.length - 1)] as string[];
  const place = random.integer(1, group.length - 1);
  const [name = '', calls = '0', cu = '0', cached = '0', ...errors] = (group[place] as string).split(':');
  const price = name.startsWith('*')
    ? Number(name.slice(1))
    : (listedPrice(FIRST_PRICE_LIST, name) as number);
  const by = random.integer(1, 50);
  const line = (change: { name?: string; calls?: number; cu?: number; cached?: number }) =>
    [change.name ?? name, change.calls ?? calls, change.cu ?? cu, change.cached ?? cached, ...errors].join(
      ':',
    );
  const changes = [
    () => ({ text: line({ cu: Number(cu) + by }), more: by }),
    () => ({ text: line({ cu: Number(cu) + by }), more: 0 }),
    () => ({ text: line({ calls: Number(calls) + by }), more: 0 }),
    ...(price === 1 ? [] : [() => ({ text: line({ cached: Number(cached) + by }), more: 0 })]),
    ...(calls === cached
      ? []
      : [
          () => ({ text: line({ name: price === 20 ? '*10' : '*20' }), more: 0 }),
          () => ({ text: line({ name: price === 50 ? 'eth_call' : 'eth_getLogs' }), more: 0 }),
          () => ({ text: line({ name: `*${price + 1}` }), more: 0 }),
        ]),
  ];
  const { text: other, more } = (
    changes[random.integer(0, changes.length - 1)] as () => { text: string; more: number }
  )();
  group[place] = other;
  return {
    used: groups.map((one) => one.join(' ')).join(';'),
    total: BigInt(total as bigint) + BigInt(more),
  };
}

const LINE = { chain: 'one', method: 'eth_call', calls: 3, cu: 63, cached: 0, errors: 0 };

test('a release that bills 21 where the list says 20 is found in the running hour', async () => {
  await chargeAt(store, ACCOUNT, '2026-11-20T09:45:00Z', 63, { usage: [LINE] });
  const { violated, detail } = await auditNow();
  expect(violated).toEqual([INVARIANT]);
  expect(detail).toBe(
    `lane ${HOUR}#lane-1 of ${ACCOUNT}#0: 3 calls of eth_call on one, 0 of them cached, are 63 CU, and by the price list 60`,
  );
});

test('a settled hour is found for three hours, and after that with everything', async () => {
  await chargeAt(store, ACCOUNT, '2026-11-20T09:45:00Z', 63, { usage: [LINE] });
  clock.time = Date.parse('2026-11-20T10:15:00Z');
  await settleMarked(store, clock, ACCOUNT, [HOUR]);
  await settleMarked(store, clock, ACCOUNT, [HOUR]);
  expect((await auditNow()).detail).toMatch(/^record 2026-11-20T09 revision 1: .* and 1 more$/);
  clock.time = Date.parse('2026-11-20T14:15:00Z');
  expect(await auditNow()).toMatchObject({ violated: [], figures: { recomputed: 0n } });
  expect((await auditNow(true)).violated).toEqual([INVARIANT]);
});

test.each([
  ['a sum of several prices', 'one *:3:60'],
  ['a name without a price', 'one other:6:60'],
  ['a code that stands for nothing', 'one .zzz:3:60'],
  ['a price that no call has', 'one *21:3:63'],
  ['no line', ''],
  ['a chain without a line', 'one'],
  ['more cached than called', 'one eth_call:3:60:9'],
  ['what is no text of usage', 'one eth_call 3 60'],
  ['a sum that is not billed', 'one eth_call:4:80'],
])('%s is a violation, whatever it adds up to', async (_, used) => {
  await chargeAt(store, ACCOUNT, '2026-11-20T09:45:00Z', 60);
  const [lane] = await lanesNow();
  const key = { account_shard: accountShard(ACCOUNT, 0), hour_lane: hourLane(HOUR, 'lane-1') };
  store.restore('lanes', key, { ...(lane as Item), used, total: used.endsWith('63') ? 63n : 60n });
  expect((await auditNow()).violated).toEqual([INVARIANT]);
});

/** A file and all that it needs. */
function neededBy(first: string): string[] {
  const root = join(import.meta.dirname, '..', '..');
  const seen = new Set<string>();
  const open = [first];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, name = ''] of text.matchAll(/^(?:import|export|\}).*from '([^']+)';$/gm)) {
      if (name === 'gateway-access') open.push('lambdas/access/index.ts');
      if (name.startsWith('.')) open.push(join(dirname(file), name));
    }
  }
  return [...seen];
}

test('what works bills out again is made of nothing that prices a call', () => {
  const needed = neededBy('lambdas/audit/priced-lanes.ts');
  expect(needed).toContain('lambdas/shared/bill/price-list.ts');
  expect(needed.filter((file) => /shared\/methods|billing|price-calls|data\/plan/.test(file))).toEqual([]);
});

test('the audit adds up by itself: of settlement it knows the form of the ledger alone', () => {
  const needed = neededBy('lambdas/audit/audit.ts');
  expect(needed).toContain('lambdas/audit/ledger-sums.ts');
  expect(needed.filter((file) => file.startsWith('lambdas/settlement/'))).toEqual([
    'lambdas/settlement/settlement-ledger.ts',
  ]);
});
