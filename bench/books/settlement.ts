/**
 * Settlement of many accounts beside the same without statements, and beside bare transactions, in one run on dynoxide.
 * `npm run bench -- settlement [--accounts N] [--lanes N] [--table N] [--put MS]`
 */
import { randomBytes } from 'node:crypto';
import {
  type AccountItem,
  readAccountItem,
  toStoredAccount,
} from '../../lambdas/access/accounts/account-item.ts';
import { laneHours } from '../../lambdas/access/accounts/lane-hours.ts';
import { type LaneTotal, laneUpdate } from '../../lambdas/access/charge/lane.ts';
import { markUnsettled, newMark } from '../../lambdas/access/charge/unsettled.ts';
import { sumUsage } from '../../lambdas/access/charge/usage-text.ts';
import { createDynamoStore } from '../../lambdas/access/store/dynamo-store.ts';
import type { Item, Store } from '../../lambdas/access/store/store.ts';
import { type DueAccount, dueAccounts } from '../../lambdas/settlement/due-accounts.ts';
import { laneDigest, laneUsage } from '../../lambdas/settlement/hour-lanes.ts';
import { HourLeaves } from '../../lambdas/settlement/hour-sum.ts';
import { openEvidence } from '../../lambdas/settlement/open-evidence.ts';
import { settleAccounts } from '../../lambdas/settlement/settle-accounts.ts';
import { nextStep } from '../../lambdas/settlement/settlement-step.ts';
import { ShardLeaves } from '../../lambdas/settlement/shard-leaves.ts';
import { keptAt, stateRecord } from '../../lambdas/settlement/stated-step.ts';
import type { ObjectStore } from '../../lambdas/shared/aws/object-store.ts';
import { hourAfter } from '../../lambdas/shared/runtime/hour.ts';
import { inParallel } from '../../lambdas/shared/runtime/in-parallel.ts';
import { sleep } from '../../lambdas/shared/runtime/sleep.ts';
import { systemTelemetry } from '../../lambdas/shared/runtime/telemetry.ts';
import { startDynoxide } from '../../test/emulators/dynoxide.ts';
import { createMeteringTables, emulatorClientConfig } from '../../test/emulators/metering-tables.ts';
import { runBenchmark, type Show } from '../benchmark.ts';

const DEFAULT_ACCOUNTS = 6_000;
/** Instances that charged each account in the hour. */
const DEFAULT_LANES = 4;
/** Accounts of each kind in one table, of one round; the kinds take turns at going first. */
const DEFAULT_TABLE = 1_000;
/** Work under way at once, of each kind. */
const AT_ONCE = 64;
/** Time in which the bucket takes an object with leaves, in milliseconds. */
const DEFAULT_PUT = 1;
/** Most processor time as a multiple of that without statements, and least rate as a share of it. */
const MOST_TIME = 1.2;
const LEAST_RATE = 1 / 1.2;
/** Least rate as a share of that of bare transactions. */
const LEAST_OF_BARE = 0.4;
const MIB = 2 ** 20;
const MILLISECONDS_PER_SECOND = 1_000;
const MICROSECONDS_PER_MILLISECOND = 1_000;
const NOW = Date.parse('2026-11-20T12:15:00Z');
const HOUR = '2026-11-20T11';
/** The hour was marked when it was charged. */
const MARK = newMark(NOW - 3_600_000, (count) => new Uint8Array(count));
const LANE_CU = 12_345n;
/** The emulator is never given up: only rates count here. */
const PATIENT_MS = 60_000;

/**
 * `settled`: as it is. `unstated`: as it was before records stated anything: the same reads, and a transaction of two items
 * for each account. `bare`: the transactions of `settled` alone.
 */
const KINDS = ['settled', 'unstated', 'bare'] as const;
type Kind = (typeof KINDS)[number];

/** Times of a kind of work so far, in milliseconds. */
interface Spent {
  ms: number;
  processorMs: number;
}

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
    const stated = stateRecord(step, hour, item.lastRecord, (bytes) => randomBytes(bytes));
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

/** A bucket that takes its time and keeps nothing. */
function bucketOf(putMs: number): ObjectStore {
  return { put: () => sleep(putMs), putNew: async () => true, get: async () => undefined };
}

function bookkeeping(store: Store) {
  return { store, clock: { now: () => NOW }, pause: sleep, telemetry: systemTelemetry };
}

async function settleAll(store: Store, bucket: ObjectStore, expected: number): Promise<void> {
  let records = 0;
  const books = openEvidence(bookkeeping(store), bucket, (bytes) => randomBytes(bytes));
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

async function settleUnstated(store: Store, expected: number): Promise<void> {
  let records = 0;
  const settle = async ([{ account }]: DueAccount) => {
    const item = readAccountItem((await store.get('accounts', { account })) ?? {});
    const range = { account, shards: item.shards, fromHour: HOUR, toHour: HOUR };
    for await (const { hour, cu, lanes } of laneHours({ store }, range)) {
      const sum = {
        hour,
        cu,
        lanes: lanes.length,
        digest: () => laneDigest(lanes),
        usage: () => sumUsage(laneUsage(lanes)),
      };
      const state = { account: item, records: new Map(), hour: sum, unread: hourAfter(hour) };
      const result = await store.transact(nextStep(state, {}, NOW)?.actions ?? []);
      if (result.applied) records += 1;
    }
  };
  for await (const accounts of dueAccounts(bookkeeping(store), {}))
    await inParallel(accounts, AT_ONCE, settle, () => false);
  if (records !== expected) throw new Error(`${records} accounts of ${expected} were settled`);
}

async function measure(work: () => Promise<void>, spent: Spent): Promise<void> {
  const before = process.cpuUsage();
  const startedMs = performance.now();
  await work();
  spent.ms += performance.now() - startedMs;
  const { user, system } = process.cpuUsage(before);
  spent.processorMs += (user + system) / MICROSECONDS_PER_MILLISECOND;
}

interface Sizes {
  readonly accounts: number;
  readonly lanes: number;
  readonly table: number;
  readonly put: number;
}

async function runRounds({ accounts, lanes, table, put }: Sizes, show: Show): Promise<void> {
  const spent: Record<Kind, Spent> = {
    settled: { ms: 0, processorMs: 0 },
    unstated: { ms: 0, processorMs: 0 },
    bare: { ms: 0, processorMs: 0 },
  };
  for (let done = 0, round = 0; done < accounts; round += 1) {
    const count = Math.min(table, accounts - done);
    await runRound({ count, lanes, round, put }, spent);
    done += count;
    // The first rounds are still being compiled.
    showRates(`${done} accounts of ${lanes} lanes`, { spent, done, isLast: done === accounts }, show);
  }
}

function showRates(
  title: string,
  { spent, done, isLast }: { spent: Record<Kind, Spent>; done: number; isLast: boolean },
  show: Show,
): void {
  const rate = (kind: Kind) => (done / spent[kind].ms) * MILLISECONDS_PER_SECOND;
  const processorMs = (kind: Kind) => spent[kind].processorMs / done;
  const { rss, heapUsed } = process.memoryUsage();
  show(title, [
    {
      name: 'settlement',
      value: rate('settled'),
      unit: '/s',
      baseline: { name: 'without statements', value: rate('unstated') },
      ...(isLast && { leastRatio: LEAST_RATE }),
    },
    {
      name: 'processor time of an account',
      value: processorMs('settled'),
      unit: 'ms',
      baseline: { name: 'without statements', value: processorMs('unstated') },
      ...(isLast && { mostRatio: MOST_TIME }),
    },
    {
      name: 'settlement',
      value: rate('settled'),
      unit: '/s',
      baseline: { name: 'bare transactions', value: rate('bare') },
      ...(isLast && { leastRatio: LEAST_OF_BARE }),
    },
    { name: 'memory', value: rss / MIB, unit: 'MiB' },
    { name: 'heap', value: heapUsed / MIB, unit: 'MiB' },
  ]);
}

interface Round extends Pick<Sizes, 'lanes' | 'put'> {
  readonly count: number;
  readonly round: number;
}

/** Each kind has an emulator of its own in each round: a write takes it the longer, the more it holds. */
async function runRound({ count, lanes, round, put }: Round, spent: Record<Kind, Spent>): Promise<void> {
  const first = round % KINDS.length;
  for (const kind of [...KINDS.slice(first), ...KINDS.slice(0, first)]) {
    const emulator = await startDynoxide();
    try {
      const store = await openTables(emulator.endpoint);
      const accounts = Array.from({ length: count }, (_, number) => chargedAccount(kind, number, lanes));
      await inParallel(
        accounts,
        AT_ONCE,
        (account) => charge(store, account),
        () => false,
      );
      const work: Record<Kind, () => Promise<void>> = {
        settled: () => settleAll(store, bucketOf(put), count),
        unstated: () => settleUnstated(store, count),
        bare: () => writeBare(store, accounts),
      };
      await measure(work[kind], spent[kind]);
    } finally {
      await emulator.close();
    }
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

async function charge(store: Store, { item, lanes }: ChargedAccount): Promise<void> {
  await store.put({ table: 'accounts', item: toStoredAccount(item), when: [] });
  const [first] = lanes;
  if (first !== undefined) await markUnsettled(store, first, MARK);
  for (const lane of lanes) await store.update(laneUpdate(lane));
}

await runBenchmark(
  { accounts: DEFAULT_ACCOUNTS, lanes: DEFAULT_LANES, table: DEFAULT_TABLE, put: DEFAULT_PUT },
  (show, sizes) => runRounds(sizes, show),
);
