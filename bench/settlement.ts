/**
 * Settlement of many accounts beside bare transactions of the same size, in one run on dynoxide.
 * `node bench/settlement.ts [--accounts N]`
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readAccountItem } from '../lambdas/access/accounts/account-item.ts';
import { laneUpdate } from '../lambdas/access/charge/lane.ts';
import { markUnsettled, newMark } from '../lambdas/access/charge/unsettled.ts';
import { createDynamoStore } from '../lambdas/access/dynamo-store.ts';
import { inParallel } from '../lambdas/access/in-parallel.ts';
import type { Item, Store } from '../lambdas/access/store.ts';
import { byHour } from '../lambdas/settlement/hour-lanes.ts';
import { ALL_SLOTS, settleSlot } from '../lambdas/settlement/settle-slot.ts';
import { nextStep } from '../lambdas/settlement/settlement-step.ts';
import { Turns } from '../lambdas/settlement/turns.ts';
import { startDynoxide } from '../test/emulators/dynoxide.ts';
import { createMeteringTables, emulatorClientConfig } from '../test/emulators/metering-tables.ts';

const DEFAULT_ACCOUNTS = 5_000;
/** Accounts of either kind that are made and settled in one round; the kinds take turns at going first. */
const ACCOUNTS_PER_ROUND = 2_500;
/** Work under way at once, of either kind. */
const AT_ONCE = 64;
const TARGET = 0.8;
const NOW = Date.parse('2026-11-20T12:15:00Z');
const HOUR = '2026-11-20T11';
/** The hour was marked when it was charged. */
const MARK = newMark(NOW - 3_600_000, (count) => new Uint8Array(count));
const LANES = 4;
const LANE_CU = 13_580n;
const USED = 'bench eth_call:679:13580';
/** The emulator is never given up: only rates count here. */
const PATIENT_MS = 60_000;

type Kind = 'bare' | 'settled';

/** An account without usage. */
function account(kind: Kind, number: number): Item {
  return {
    account: `${kind}-${number}`,
    plan: 'standard',
    plan_revision: 1n,
    shards: 1n,
    keys: 1n,
    granted: 10_000_000n,
    settled: 0n,
    open_from: HOUR,
    created_at: '2026-11-01T00:00:00.000Z',
  };
}

/** What the request path leaves of an account: one closed hour with some lanes, and its mark. */
async function charge(store: Store, item: Item): Promise<void> {
  const hour = { account: String(item.account), shard: 0, hour: HOUR };
  await markUnsettled(store, hour, MARK);
  for (let lane = 0; lane < LANES; lane += 1) {
    await store.update(laneUpdate({ ...hour, lane: `lane000000${lane}`, total: LANE_CU, used: USED }));
  }
}

/** The transactions alone: what settlement would write, without finding and reading the accounts. */
async function writeBare(store: Store, items: readonly Item[]): Promise<void> {
  const write = async (item: Item) => {
    const lanes = Array.from({ length: LANES }, (_, lane) => ({
      account_shard: `${item.account}#0`,
      hour_lane: `${HOUR}#lane000000${lane}`,
      total: LANE_CU,
      used: USED,
    }));
    const hours = byHour(lanes).map((hour) => ({ ...hour, last: undefined }));
    const step = nextStep({ account: readAccountItem(item), hours }, {}, NOW);
    if (step === undefined) throw new Error('nothing is due');
    const result = await store.transact(step.actions);
    if (!result.applied) throw new Error(`${item.account} was refused`);
  };
  await inParallel(items, AT_ONCE, write, () => false);
}

async function settleAll(store: Store, expected: number): Promise<void> {
  let records = 0;
  const books = { store, clock: { now: () => NOW }, pause: (durationMs: number) => sleep(durationMs) };
  const run = {
    scope: {},
    accountsAtOnce: AT_ONCE / ALL_SLOTS.length,
    turns: new Turns(),
    outOfTime: () => false,
    settled: (settled: readonly unknown[]) => {
      records += settled.length;
    },
    failed: (_account: string, error: unknown) => {
      throw error;
    },
  };
  await Promise.all(ALL_SLOTS.map((work) => settleSlot(books, work, run)));
  if (records !== expected) throw new Error(`${records} accounts of ${expected} were settled`);
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return (performance.now() - startedMs) / 1_000;
}

/** Resolves to whether the target is met. */
async function runRounds(accounts: number): Promise<boolean> {
  const spent: Record<Kind, number> = { bare: 0, settled: 0 };
  for (let done = 0, round = 0; done < accounts; done += ACCOUNTS_PER_ROUND, round += 1) {
    const count = Math.min(ACCOUNTS_PER_ROUND, accounts - done);
    await runRound(count, round % 2 === 0, spent);
    const { rss, heapUsed } = process.memoryUsage();
    report(done + count, spent, `memory ${mebibytes(rss)} MiB, heap ${mebibytes(heapUsed)} MiB`);
  }
  const ratio = spent.bare / spent.settled;
  const met = ratio >= TARGET;
  const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
  console.log(
    `settlement runs at ${percent(ratio)} of bare transactions (at least ${percent(TARGET)}: ${met ? 'met' : 'MISSED'})`,
  );
  return met;
}

/** Each round has an emulator of its own: a write takes it the longer, the more it holds. */
async function runRound(count: number, bareFirst: boolean, spent: Record<Kind, number>): Promise<void> {
  const emulator = await startDynoxide();
  try {
    const store = await openTables(emulator.endpoint);
    const bare = Array.from({ length: count }, (_, number) => account('bare', number));
    const settled = Array.from({ length: count }, (_, number) => account('settled', number));
    const never = () => false;
    await inParallel([...bare, ...settled], AT_ONCE, (item) => put(store, item), never);
    await inParallel(settled, AT_ONCE, (item) => charge(store, item), never);
    const measure: Record<Kind, () => Promise<void>> = {
      bare: () => writeBare(store, bare),
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

async function put(store: Store, item: Item): Promise<void> {
  await store.put({ table: 'accounts', item, when: [] });
}

function report(accounts: number, spent: Record<Kind, number>, memory: string): void {
  const rate = (kind: Kind) => `${kind} ${(accounts / spent[kind]).toFixed(0)}/s`;
  console.log(`${String(accounts).padStart(7)} accounts: ${rate('bare')}, ${rate('settled')}; ${memory}`);
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { accounts: { type: 'string' } } });
  const accounts = Number(values.accounts ?? DEFAULT_ACCOUNTS);
  if (!Number.isSafeInteger(accounts) || accounts < 1) throw new Error('--accounts is a whole number');
  if (!(await runRounds(accounts))) process.exitCode = 1;
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
