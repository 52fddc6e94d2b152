/**
 * Settlement of many accounts beside bare transactions of the same size, in one run on dynoxide.
 * `node bench/settlement.ts [--accounts N]`
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createDynamoStore } from '../lambdas/access/dynamo-store.ts';
import { inParallel } from '../lambdas/access/in-parallel.ts';
import { observeAccount } from '../lambdas/access/observed-account.ts';
import { ALL_SHARDS, type ReadAhead, settlePendingShard } from '../lambdas/access/pending-accounts.ts';
import { createReadAhead } from '../lambdas/access/read-ahead.ts';
import { nextStep } from '../lambdas/access/settlement-plan.ts';
import type { Item, Store } from '../lambdas/access/store.ts';
import { startDynoxide } from '../test/emulators/dynoxide.ts';
import { createMeteringTables, emulatorClientConfig } from '../test/emulators/metering-tables.ts';

const DEFAULT_ACCOUNTS = 5_000;
/** Accounts of either kind that are made and settled in one round; the kinds take turns at going first. */
const ACCOUNTS_PER_ROUND = 2_500;
/** Work under way at once, of either kind. */
const AT_ONCE = 64;
/** Partitions of the pending index that settlement does not work. */
const BARE_SHARDS = 1_000;
const TARGET = 0.8;
const NOW = Date.parse('2026-11-20T12:15:00Z');
const HOUR = '2026-11-20T11';
const LANES = 4;
/** The emulator is never given up: only rates count here. */
const PATIENT_MS = 60_000;

type Kind = 'bare' | 'settled';

/** An account with one closed hour, as the request path leaves it. */
function account(kind: Kind, number: number): Item {
  const lanes = Array.from({ length: LANES }, (_, lane) => [`w_lane000${lane}`, BigInt(NOW) * 1_000n]);
  return {
    account: `${kind}-${number}`,
    plan: 'standard',
    granted: 10_000_000n,
    charged: 54_321n,
    [`h_${HOUR}`]: 54_321n,
    pending_hour: HOUR,
    pending_shard: BigInt((number % ALL_SHARDS.length) + (kind === 'bare' ? BARE_SHARDS : 0)),
    created_at: '2026-11-01T00:00:00.000Z',
    ...Object.fromEntries(lanes),
  };
}

/** The transactions alone: what settlement would write, without finding and reading the accounts. */
async function writeBare(store: Store, items: readonly Item[]): Promise<void> {
  const write = async (item: Item) => {
    const step = nextStep({ observed: observeAccount(item), single: false }, NOW, {});
    if (step === undefined) throw new Error('nothing is due');
    const result = await store.transact(step.actions);
    if (!result.applied) throw new Error(`${item.account} was refused`);
  };
  await inParallel(items, AT_ONCE, write, () => false);
}

async function settleAll(store: Store, readAhead: ReadAhead, expected: number): Promise<void> {
  let records = 0;
  const books = { store, clock: { now: () => NOW }, pause: (durationMs: number) => sleep(durationMs) };
  const run = {
    scope: {},
    accountsAtOnce: AT_ONCE / ALL_SHARDS.length,
    outOfTime: () => false,
    readAhead,
    settled: (settled: readonly unknown[]) => {
      records += settled.length;
    },
    failed: (_account: string, error: unknown) => {
      throw error;
    },
  };
  await Promise.all(ALL_SHARDS.map((work) => settlePendingShard(books, work, run)));
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
    const { store, readAhead } = await openTables(emulator.endpoint);
    const bare = Array.from({ length: count }, (_, number) => account('bare', number));
    const settled = Array.from({ length: count }, (_, number) => account('settled', number));
    await inParallel(
      [...bare, ...settled],
      AT_ONCE,
      (item) => put(store, item),
      () => false,
    );
    const measure: Record<Kind, () => Promise<void>> = {
      bare: () => writeBare(store, bare),
      settled: () => settleAll(store, readAhead, count),
    };
    const turns: readonly Kind[] = bareFirst ? ['bare', 'settled'] : ['settled', 'bare'];
    for (const kind of turns) spent[kind] += await seconds(measure[kind]);
  } finally {
    await emulator.close();
  }
}

async function openTables(endpoint: string): Promise<{ store: Store; readAhead: ReadAhead }> {
  const tableNames = await createMeteringTables(endpoint, 'bench');
  const clientConfig = emulatorClientConfig(endpoint);
  return {
    store: createDynamoStore({
      tableNames,
      clientConfig,
      connectTimeoutMs: PATIENT_MS,
      requestTimeoutMs: PATIENT_MS,
    }),
    readAhead: createReadAhead({ tableName: tableNames.accounts, clientConfig }),
  };
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
