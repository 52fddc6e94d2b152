/**
 * The bill that a customer checks: memory of settlement while it makes the roots of wide accounts, and the processor time
 * of `gateway-bill verify` for a month of one. `npm run bench -- bill [--lanes N]`
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchBill, readFolder } from '../../clients/gateway-bill/src/bill-folder.ts';
import { checkBill } from '../../clients/gateway-bill/src/check-bill.ts';
import { readPublished } from '../../clients/gateway-bill/src/read-heads.ts';
import type { DataClient } from '../../clients/typescript/src/client.ts';
import { laneUpdate } from '../../lambdas/access/charge/lane.ts';
import type { Item, Query, Store } from '../../lambdas/access/store/store.ts';
import { createAccount } from '../../lambdas/accounts/create-account.ts';
import { sealHead } from '../../lambdas/seal/seal-head.ts';
import { unpackPart } from '../../lambdas/settlement/frozen-leaves.ts';
import { openEvidence } from '../../lambdas/settlement/open-evidence.ts';
import { settleAccount } from '../../lambdas/settlement/settle-account.ts';
import { statementOf, toRecord } from '../../lambdas/settlement/settlement-record.ts';
import type { ObjectStore } from '../../lambdas/shared/aws/object-store.ts';
import { HOUR_MS, hourOf } from '../../lambdas/shared/runtime/hour.ts';
import { inParallel } from '../../lambdas/shared/runtime/in-parallel.ts';
import { systemTelemetry } from '../../lambdas/shared/runtime/telemetry.ts';
import { forward } from '../../test/settlement/settlement-fixture.ts';
import { MemoryStore } from '../../test/simulation/stores/memory-store.ts';
import { MemoryObjects } from '../../test/support/memory/objects.ts';
import { memorySigner } from '../../test/support/memory/signer.ts';
import { runBenchmark, type Show } from '../benchmark.ts';

/** Lanes of the month: what it is divided into hours. */
const DEFAULT_LANES = 1_000_000;
const HOURS = 720;
const START = Date.parse('2026-11-01T00:00:00Z');
const ACCOUNT = 'acme';
/** Accounts that settlement works at once, and lanes of each of them in the hour. */
const WIDE_ACCOUNTS = 64;
const WIDE_LANES = 20_000;
const LANES_PER_PAGE = 250;
const LONGEST_USED = `example ${Array.from({ length: 40 }, (_, place) => `method_${place}:1:3`).join(' ')}`;
/** Memory of the settlement function less that of an empty process. */
const MOST_MIB = 512;
const MOST_SECONDS = 60;
const MIB = 2 ** 20;

interface Clock {
  time: number;
}

/** A store whose every account has the same lanes in the hour before, made as they are read. */
function withLanes(store: MemoryStore, clock: Clock, lanes: number, onPage: () => void): Store {
  return {
    ...forward(store),
    async query(query: Query) {
      if (query.table !== 'lanes') return store.query(query);
      onPage();
      const [account = ''] = String(query.partition.value).split('#');
      const from = Number(query.after?.place ?? 0);
      const end = Math.min(lanes, from + LANES_PER_PAGE);
      const items: Item[] = [];
      for (let place = from; place < end; place += 1) items.push(laneItem(account, hourBefore(clock), place));
      return { items, ...(end < lanes && { next: { place: String(end) } }) };
    },
  };
}

function laneItem(account: string, hour: string, place: number): Item {
  const lane = `lane${String(place).padStart(7, '0')}`;
  const charged = { charges: 40, total: 120n, used: LONGEST_USED };
  const { key, set } = laneUpdate({ account, shard: 0, hour, lane, ...charged });
  return { ...key, ...set };
}

function hourBefore({ time }: Clock): string {
  return hourOf(time - HOUR_MS);
}

function openBooks(lanes: number, onPage: () => void, bucket?: ObjectStore) {
  const clock = { time: START + HOUR_MS + 15 * 60_000, now: () => clock.time };
  const memory = new MemoryStore();
  const objects = new MemoryObjects();
  const random = (count: number) => randomBytes(count);
  const store = withLanes(memory, clock, lanes, onPage);
  const common = { store, clock, pause: async () => {}, telemetry: systemTelemetry };
  const books = openEvidence(common, bucket ?? objects, random);
  const open = (account: string) =>
    createAccount(memory, { now: () => START }, { account, plan: 'standard', shards: 1 });
  const settle = async (account: string) => {
    const mark = { account, shard: 0, hour: hourBefore(clock), mark: 'mark' };
    const { failure } = await settleAccount(books, account, [mark]);
    if (failure !== undefined) throw failure;
  };
  return { clock, memory, objects, random, common, open, settle };
}

/** Most memory while many accounts with many lanes are settled at once. */
async function measureMemory(lanes: number): Promise<number> {
  let peak = 0;
  const books = openBooks(
    lanes,
    () => {
      const { heapUsed, external, arrayBuffers } = process.memoryUsage();
      peak = Math.max(peak, heapUsed + Math.max(external, arrayBuffers));
    },
    { put: async () => {}, putNew: async () => true, get: async () => undefined },
  );
  const accounts = Array.from({ length: WIDE_ACCOUNTS }, (_, place) => `wide-${place}`);
  for (const account of accounts) await books.open(account);
  await inParallel(accounts, WIDE_ACCOUNTS, books.settle, () => false);
  return peak;
}

async function showMemory(show: Show): Promise<void> {
  const few = await measureMemory(4);
  const many = await measureMemory(WIDE_LANES);
  show(`${WIDE_ACCOUNTS} accounts of ${WIDE_LANES} lanes are settled at once`, [
    {
      name: 'most memory, garbage among it',
      value: many / MIB,
      unit: 'MiB',
      baseline: { name: 'four lanes', value: few / MIB },
      most: MOST_MIB,
    },
  ]);
}

async function showVerification(show: Show, lanes: number): Promise<void> {
  const books = openBooks(Math.ceil(lanes / HOURS), () => undefined);
  const signer = memorySigner();
  const published = new MemoryObjects();
  await books.open(ACCOUNT);
  for (let hour = 0; hour < HOURS; hour += 1, books.clock.time += HOUR_MS) {
    await books.settle(ACCOUNT);
    await sealHead({
      ...books.common,
      heads: published,
      evidence: books.objects,
      signer,
      randomBytes: books.random,
    });
  }
  const folder = await mkdtemp(join(tmpdir(), 'bill-'));
  await fetchBill(clientOf(books), folder, books.clock.now());
  const startedUs = process.cpuUsage();
  const stored = await readFolder(folder);
  const read = async (key: string) => (await published.get(key))?.toString();
  const heads = await readPublished(read, stored.settlements);
  const { checks, records } = checkBill({
    ...stored,
    ...heads,
    account: ACCOUNT,
    keys: [signer.key],
    withdrawals: [],
  });
  const { user, system } = process.cpuUsage(startedUs);
  const failure = checks.find((check) => check.failure !== undefined)?.failure;
  if (failure !== undefined || records !== HOURS) throw new Error(failure ?? `${records} records`);
  show(`a month of ${HOURS} records and ${lanes} lanes is verified`, [
    { name: 'processor time', value: (user + system) / 1e6, unit: 's', most: MOST_SECONDS },
  ]);
}

/** The API as the tool reads it. */
function clientOf({ memory, objects }: ReturnType<typeof openBooks>): Pick<DataClient, 'rows'> {
  const records = memory.items('ledger').filter(({ settled_cu }) => settled_cu !== undefined);
  async function* rows(operation: string, { hour }: Record<string, unknown>): AsyncGenerator<object> {
    if (operation === 'listAccountReceipts') return;
    for (const record of records.map(toRecord)) {
      const row = {
        ...record,
        settled_cu: Number(record.settled_cu),
        total_cu: Number(record.total_cu),
        billing_units: Number(record.billing_units),
        remainder_cu: Number(record.remainder_cu),
        statement: statementOf(record) ?? null,
      };
      if (operation === 'listAccountSettlements') yield row;
      else if (record.hour === hour) {
        const place = record.stated?.frozen;
        const part = place && (await objects.get(place.object, place));
        for (const { total, ...leaf } of part === undefined ? [] : unpackPart(part).leaves)
          yield { ...leaf, total_cu: total };
      }
    }
  }
  return { rows: rows as DataClient['rows'] };
}

await runBenchmark({ lanes: DEFAULT_LANES }, async (show, { lanes }) => {
  await showMemory(show);
  await showVerification(show, lanes);
});
