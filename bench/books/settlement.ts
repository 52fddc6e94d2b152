/**
 * Settlement of many accounts beside bare transactions of the same size, in one run on dynoxide.
 * `npm run bench -- settlement [--accounts N] [--lanes N]`
 */
import { type AccountItem, toStoredAccount } from '../../lambdas/access/accounts/account-item.ts';
import { type LaneTotal, laneUpdate } from '../../lambdas/access/charge/lane.ts';
import { markUnsettled, newMark } from '../../lambdas/access/charge/unsettled.ts';
import { createDynamoStore } from '../../lambdas/access/store/dynamo-store.ts';
import type { Item, Store } from '../../lambdas/access/store/store.ts';
import { dueAccounts } from '../../lambdas/settlement/due-accounts.ts';
import { HourLeaves } from '../../lambdas/settlement/hour-sum.ts';
import { settleAccounts } from '../../lambdas/settlement/settle-accounts.ts';
import { nextStep } from '../../lambdas/settlement/settlement-step.ts';
import { ShardLeaves } from '../../lambdas/settlement/shard-leaves.ts';
import { keptAt, stateRecord } from '../../lambdas/settlement/stated-step.ts';
import { hourAfter } from '../../lambdas/shared/runtime/hour.ts';
import { inParallel } from '../../lambdas/shared/runtime/in-parallel.ts';
import { sleep } from '../../lambdas/shared/runtime/sleep.ts';
import { systemTelemetry } from '../../lambdas/shared/runtime/telemetry.ts';
import { startDynoxide } from '../../test/emulators/dynoxide.ts';
import { createMeteringTables, emulatorClientConfig } from '../../test/emulators/metering-tables.ts';
import { UNKEPT } from '../../test/support/kept-leaves.ts';
import { runBenchmark, type Show } from '../benchmark.ts';

const DEFAULT_ACCOUNTS = 5_000;
/** Instances that charged each account in the hour. */
const DEFAULT_LANES = 4;
/** Accounts of either kind that are made and settled in one round; the kinds take turns at going first. */
const ACCOUNTS_PER_ROUND = 2_500;
/** Work under way at once, of either kind. */
const AT_ONCE = 64;
/** Least rate as a share of that of bare transactions. */
const TARGET = 0.4;
const MIB = 2 ** 20;
const NOW = Date.parse('2026-11-20T12:15:00Z');
const HOUR = '2026-11-20T11';
/** The hour was marked when it was charged. */
const MARK = newMark(NOW - 3_600_000, (count) => new Uint8Array(count));
const LANE_CU = 12_345n;
/** The emulator is never given up: only rates count here. */
const PATIENT_MS = 60_000;

type Kind = 'bare' | 'settled';

/** An account with one closed hour, as the request path leaves it. */
interface ChargedAccount {
  readonly item: AccountItem;
  readonly lanes: readonly LaneTotal[];
}

function chargedAccount(kind: Kind, number: number, laneCount: number): ChargedAccount {
  const account = `${kind}-${number}`;
  const item: AccountItem = {
    account,
    plan: 'standard',
    planRevision: 1n,
    shards: 1,
    keys: 1,
    enabledKeys: 1,
    disabledAtMs: 0,
    granted: 10_000_000n,
    debited: 0n,
    settled: 0n,
    openFrom: HOUR,
    closed: 0n,
    createdAt: '2026-11-01T00:00:00.000Z',
  };
  const lanes = Array.from({ length: laneCount }, (_, lane) => ({
    account,
    shard: 0,
    hour: HOUR,
    lane: `lane${String(lane).padStart(7, '0')}`,
    charges: 617,
    total: LANE_CU,
    used: `example eth_call:617:${LANE_CU}`,
  }));
  return { item, lanes };
}

/** The transactions alone: what settlement would write, without finding and reading the accounts. */
async function writeBare(store: Store, accounts: readonly ChargedAccount[]): Promise<void> {
  const write = async ({ item, lanes }: ChargedAccount) => {
    const hour = hourLeaves(item.account, lanes.map(storedLane));
    const step = nextStep({ account: item, records: new Map(), hour, unread: hourAfter(HOUR) }, {}, NOW);
    if (step === undefined) throw new Error('nothing is due');
    const stated = stateRecord(step, hour, item.lastRecord, UNKEPT.randomBytes);
    const result = await store.transact(keptAt(stated, undefined).actions);
    if (!result.applied) throw new Error(`${item.account} was refused`);
  };
  await inParallel(accounts, AT_ONCE, write, () => false);
}

function hourLeaves(account: string, lanes: readonly Item[]): HourLeaves {
  const leaves = new ShardLeaves(0, HOUR);
  for (const lane of lanes) leaves.add(lane);
  return new HourLeaves(account, {
    hour: HOUR,
    cu: LANE_CU * BigInt(lanes.length),
    lanes: lanes.length,
    sinks: [leaves],
  });
}

function storedLane(lane: LaneTotal): Item {
  const { key, set } = laneUpdate(lane);
  return { ...key, ...set };
}

async function settleAll(store: Store, expected: number): Promise<void> {
  let records = 0;
  const books = {
    store,
    clock: { now: () => NOW },
    pause: sleep,
    telemetry: systemTelemetry,
    evidence: UNKEPT,
  };
  const run = {
    scope: {},
    accountsAtOnce: AT_ONCE,
    outOfTime: () => false,
    settled: (settled: readonly unknown[]) => {
      records += settled.length;
    },
    failed: (_account: string, error: unknown) => {
      throw error;
    },
  };
  for await (const accounts of dueAccounts(books, {})) await settleAccounts(books, accounts, run);
  if (records !== expected) throw new Error(`${records} accounts of ${expected} were settled`);
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return (performance.now() - startedMs) / 1_000;
}

async function runRounds(accounts: number, lanes: number, show: Show): Promise<void> {
  const spent: Record<Kind, number> = { bare: 0, settled: 0 };
  for (let done = 0, round = 0; done < accounts; done += ACCOUNTS_PER_ROUND, round += 1) {
    const count = Math.min(ACCOUNTS_PER_ROUND, accounts - done);
    await runRound(count, lanes, round % 2 === 0, spent);
    const rate = (kind: Kind) => (done + count) / spent[kind];
    const { rss, heapUsed } = process.memoryUsage();
    show(`${done + count} accounts of ${lanes} lanes`, [
      {
        name: 'settlement',
        value: rate('settled'),
        unit: '/s',
        baseline: { name: 'bare transactions', value: rate('bare') },
        // The first rounds are still being compiled.
        ...(done + count === accounts && { leastRatio: TARGET }),
      },
      { name: 'memory', value: rss / MIB, unit: 'MiB' },
      { name: 'heap', value: heapUsed / MIB, unit: 'MiB' },
    ]);
  }
}

/** Each round has an emulator of its own: a write takes it the longer, the more it holds. */
async function runRound(
  count: number,
  lanes: number,
  bareFirst: boolean,
  spent: Record<Kind, number>,
): Promise<void> {
  const emulator = await startDynoxide();
  try {
    const store = await openTables(emulator.endpoint);
    const accountsOf = (kind: Kind) =>
      Array.from({ length: count }, (_, number) => chargedAccount(kind, number, lanes));
    const accounts = { bare: accountsOf('bare'), settled: accountsOf('settled') };
    const put = async ({ item }: ChargedAccount) => {
      await store.put({ table: 'accounts', item: toStoredAccount(item), when: [] });
    };
    await inParallel([...accounts.bare, ...accounts.settled], AT_ONCE, put, () => false);
    await inParallel(
      accounts.settled,
      AT_ONCE,
      (account) => charge(store, account),
      () => false,
    );
    const measure: Record<Kind, () => Promise<void>> = {
      bare: () => writeBare(store, accounts.bare),
      settled: () => settleAll(store, count),
    };
    const turns: readonly Kind[] = bareFirst ? ['bare', 'settled'] : ['settled', 'bare'];
    for (const kind of turns) spent[kind] += await seconds(measure[kind]);
  } finally {
    await emulator.close();
  }
}

async function openTables(endpoint: string): Promise<Store> {
  return createDynamoStore({
    tableNames: await createMeteringTables(endpoint, 'bench'),
    clientConfig: emulatorClientConfig(endpoint),
    connectTimeoutMs: PATIENT_MS,
    requestTimeoutMs: PATIENT_MS,
  });
}

async function charge(store: Store, { lanes }: ChargedAccount): Promise<void> {
  const [first] = lanes;
  if (first !== undefined) await markUnsettled(store, first, MARK);
  for (const lane of lanes) await store.update(laneUpdate(lane));
}

await runBenchmark({ accounts: DEFAULT_ACCOUNTS, lanes: DEFAULT_LANES }, (show, { accounts, lanes }) =>
  runRounds(accounts, lanes, show),
);
