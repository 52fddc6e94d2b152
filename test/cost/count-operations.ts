import { readFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { CountedOperations } from '../../bin/cost/counted-file.ts';
import { type KindName, REQUEST_KINDS } from '../../bin/cost/request-kinds.ts';
import { createDynamoStore } from '../../lambdas/access/store/dynamo-store.ts';
import type { Table } from '../../lambdas/access/store/tables.ts';
import { createAccount } from '../../lambdas/accounts/create-account.ts';
import { createKey } from '../../lambdas/accounts/keys.ts';
import { systemClock } from '../../lambdas/shared/runtime/clock.ts';
import { sleep } from '../../lambdas/shared/runtime/sleep.ts';
import type { StageConfigInput } from '../../lib/config/stage-config.ts';
import { callNode } from '../../local/processes/node-calls.ts';
import { countBooks } from './count-books.ts';
import { type CountedStage, type PrepareDataFolder, startCountedStage } from './counted-stage.ts';
import type { Operations } from './operation-tally.ts';

/** The stage of `npm start`, with its demo chain; it is counted with plans of its own. */
const LOCAL_STAGE = join(import.meta.dirname, '..', '..', 'config', 'local.json');
/** One plan without a limit that the count could reach, and one whose bucket a request can empty for good. */
const WIDE_PLAN = 'wide';
const LIMITED_PLAN = 'limited';
const PLANS = {
  [WIDE_PLAN]: { bucketCapacity: 1_000_000_000, refillPerSecond: 300 },
  [LIMITED_PLAN]: { bucketCapacity: 1_000, refillPerSecond: 1 },
};
const CHAIN = 'example_mainnet';
/** The dollar of the demo chain. */
const TOKEN = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
const TOTAL_SUPPLY = '0x18160ddd';
/** A block that is finalized on the demo chain. */
const FINALISED_BLOCK = 5;
const LOGS_RANGE_BLOCKS = 100;
/** Requests of a kind before it is counted: the key is read, the cache filled, the process warm. */
const WARMING_REQUESTS = 3;
/** Requests that a figure is the middle of: what also happens by the time, in one or two of them, does not count. */
const COUNTED_REQUESTS = 5;
const READY_WITHIN_MS = 180_000;
const POLL_MS = 20;
/** Written by the indexer meanwhile, and once for each lane. */
const WRITTEN_OTHERWISE = ['heads', 'unsettled'];
/** How often a key, an account or its lanes are read again depends on the time, not on the request. */
const READ_OTHERWISE = ['keys', 'accounts', 'lanes', 'unsettled'];
/** Traces, of 200 CU each, that empty the limited bucket. */
const EMPTYING_TRACES = 5;
const PATIENT_MS = 60_000;
/** Blocks by which the index is behind before it is counted: what it asks to catch up counts for nothing. */
const BEHIND_BLOCKS = 960;
/** Slots of the index that are counted while the chain grows without calls, and how fast it does. */
const BACKGROUND_SLOTS = 2;
const SLOT_MS = 60_000;
/** Behind the end of a slot its lines are there, in milliseconds. */
const LINES_MS = 3_000;
const BLOCKS_PER_SECOND = 4;

/** Every kind of request that is counted. */
export const KIND_NAMES = Object.keys(REQUEST_KINDS) as KindName[];

type KindOperations = CountedOperations['kinds'][KindName];
type BackgroundOperations = CountedOperations['background'];

interface Sent {
  readonly status: number;
  readonly billedCu: number;
  readonly bytes: number;
}

interface Target {
  readonly stage: CountedStage;
  readonly limitedKey: string;
  /** A transaction of the demo chain. */
  readonly transaction: string;
  readonly address: string;
  readonly head: number;
}

/** Counts all operations that the bill is made from: in some three minutes, of which the chain grows for up to four. */
export async function countAll(): Promise<CountedOperations> {
  return withCountedStage(async (stage) => {
    const kinds = await countKinds(stage);
    const background = await countBackground(stage);
    const countedOn = new Date().toISOString().slice(0, 10);
    return { countedOn, kinds, ...(await countBooks()), background };
  });
}

/**
 * Runs the stage with its demo chain, and all that it does counted.
 * @param prepareDataFolder puts the demo chain of an earlier run there @default - a demo chain is made
 */
export async function withCountedStage<Result>(
  work: (stage: CountedStage) => Promise<Result>,
  prepareDataFolder?: PrepareDataFolder,
): Promise<Result> {
  const stage = await startCountedStage(stageConfig(), prepareDataFolder);
  try {
    return await work(stage);
  } finally {
    await stage.close();
  }
}

/** Sends requests of each kind, one after the other, and counts what one of them does. */
export async function countKinds(stage: CountedStage): Promise<CountedOperations['kinds']> {
  const target = await prepare(stage);
  const kinds: [KindName, KindOperations][] = [];
  for (const kind of KIND_NAMES) kinds.push([kind, await countKind(target, kind)]);
  return Object.fromEntries(kinds) as Record<KindName, KindOperations>;
}

function stageConfig(): StageConfigInput {
  const local = JSON.parse(readFileSync(LOCAL_STAGE, 'utf8')) as StageConfigInput;
  // At the pace of a stage that sets none.
  return { ...local, indexing: { enabled: true }, plans: PLANS, defaultPlan: WIDE_PLAN };
}

async function prepare(stage: CountedStage): Promise<Target> {
  const nameOf = (table: Table) => stage.tableNames[table] ?? '';
  const store = createDynamoStore({
    tableNames: {
      keys: nameOf('keys'),
      accounts: nameOf('accounts'),
      lanes: nameOf('lanes'),
      unsettled: nameOf('unsettled'),
      balances: nameOf('balances'),
      ledger: nameOf('ledger'),
    },
    clientConfig: stage.clientConfig,
    connectTimeoutMs: PATIENT_MS,
    requestTimeoutMs: PATIENT_MS,
  });
  const credit = { cu: 1_000_000, reference: 'cost' };
  await createAccount(store, systemClock, { account: 'limited', plan: LIMITED_PLAN, credit });
  const limitedKey = (await createKey(store, systemClock, { account: 'limited' })).api_key;
  const target = { stage, limitedKey, ...(await findTransaction(stage.nodeUrl)) };
  await until(() => isIndexed(target), 'the demo chain was not indexed in time');
  return target;
}

/** Waits for a state. @throws Error with the message if it does not come within minutes */
async function until(isSo: () => boolean | Promise<boolean>, message: string): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(message);
    await sleep(POLL_MS);
  }
}

/** Balances are there last. */
async function isIndexed(target: Target): Promise<boolean> {
  const { baseUrl, apiKey } = target.stage;
  const url = `${baseUrl}/v1/data/${CHAIN}/addresses/${target.address}/balances`;
  const response = await fetch(url, { headers: { 'x-api-key': apiKey } });
  const { data } = (await response.json()) as { readonly data?: readonly unknown[] };
  return response.status === 200 && data !== undefined && data.length > 0;
}

/** The head of the chain, the last transaction that moved its dollar, and its sender. */
async function findTransaction(nodeUrl: string): Promise<Pick<Target, 'transaction' | 'address' | 'head'>> {
  const [logs] = (await callNode(nodeUrl, [
    { method: 'eth_getLogs', params: [{ address: TOKEN, fromBlock: '0x0', toBlock: 'latest' }] },
  ])) as [readonly { readonly transactionHash: string }[]];
  const transaction = logs.at(-1)?.transactionHash;
  if (transaction === undefined) throw new Error('the demo chain has no transaction of its dollar');
  const [{ from }, head] = (await callNode(nodeUrl, [
    { method: 'eth_getTransactionByHash', params: [transaction] },
    { method: 'eth_blockNumber', params: [] },
  ])) as [{ readonly from: string }, string];
  return { transaction, address: from, head: Number(head) };
}

async function countKind(target: Target, kind: KindName): Promise<KindOperations> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    if (kind === 'limited') await emptyBucket(target, agent);
    const counted: KindOperations[] = [];
    for (let number = 0; number < WARMING_REQUESTS + COUNTED_REQUESTS; number += 1) {
      const operations = await countRequest(target, kind, number, agent);
      if (number >= WARMING_REQUESTS) counted.push(operations);
    }
    return middleOf(counted);
  } finally {
    agent.destroy();
  }
}

/** Sends one request, and counts what was done until its function and its API have written their lines. */
async function countRequest(
  target: Target,
  kind: KindName,
  number: number,
  agent: Agent,
): Promise<KindOperations> {
  const { tally } = target.stage;
  const { api } = REQUEST_KINDS[kind];
  tally.take();
  const { billedCu, bytes } = await sendKind(target, kind, number, agent);
  await until(() => tally.hasAnswered(api), `the lines of a request of the kind ${kind} did not come`);
  // Its lines are written at once: those that are not read yet are by the next turn.
  await sleep(POLL_MS);
  const done: Operations = tally.take();
  return {
    reads: without(done.reads, READ_OTHERWISE),
    writes: without(done.writes, WRITTEN_OTHERWISE),
    sqsMessages: done.sqsMessages,
    databaseCalls: done.databaseCalls.reader ?? 0,
    clientCalls: done.nodeCalls.clients,
    nodeCalls: done.nodeCalls.gateway,
    invocations: done.invocations[api] ?? 0,
    logBytes: done.logBytes[api] ?? 0,
    accessLogBytes: done.logBytes.access ?? 0,
    responseBytes: bytes,
    billedCu,
    localMs: round(done.localMs[api] ?? 0),
  };
}

/** The median of each figure. */
function middleOf(counted: readonly KindOperations[]): KindOperations {
  const middle = (figure: (one: KindOperations) => number) =>
    counted.map(figure).sort((one, other) => one - other)[Math.floor(counted.length / 2)] ?? 0;
  const units = (of: 'reads' | 'writes') => {
    const tables = [...new Set(counted.flatMap((one) => Object.keys(one[of])))];
    const middles = tables.map((table) => [table, middle((one) => one[of][table] ?? 0)] as const);
    return Object.fromEntries(middles.filter(([, count]) => count > 0));
  };
  const figure = (name: Exclude<keyof KindOperations, 'reads' | 'writes'>) => middle((one) => one[name]);
  return {
    reads: units('reads'),
    writes: units('writes'),
    sqsMessages: figure('sqsMessages'),
    databaseCalls: figure('databaseCalls'),
    clientCalls: figure('clientCalls'),
    nodeCalls: figure('nodeCalls'),
    invocations: figure('invocations'),
    logBytes: figure('logBytes'),
    accessLogBytes: figure('accessLogBytes'),
    responseBytes: figure('responseBytes'),
    billedCu: figure('billedCu'),
    localMs: figure('localMs'),
  };
}

async function sendKind(target: Target, kind: KindName, number: number, agent: Agent): Promise<Sent> {
  const { path, key, body } = requestOf(target, kind, number);
  const sent = await send(`${target.stage.baseUrl}${path}`, key, body, agent);
  const expected = kind === 'limited' ? 429 : kind === 'unknown_key' ? 404 : 200;
  if (sent.status !== expected) throw new Error(`${kind} was answered with ${sent.status}, not ${expected}`);
  return sent;
}

interface KindRequest {
  readonly path: string;
  readonly key: string;
  /** Absent: a GET. */
  readonly body?: unknown;
}

/** @param number of requests of the kind that were sent before */
function requestOf(target: Target, kind: KindName, number: number): KindRequest {
  const { stage, address, transaction, head, limitedKey } = target;
  const key = stage.apiKey;
  const rpc = (method: string, ...params: readonly unknown[]) => ({
    path: '/v1/',
    key,
    body: { jsonrpc: '2.0', id: 1, method, params },
  });
  const data = (path: string) => ({ path: `/v1/data/${CHAIN}/${path}`, key });
  switch (kind) {
    case 'call':
      return rpc('eth_call', { to: TOKEN, data: TOTAL_SUPPLY }, 'latest');
    case 'balance':
      return rpc('eth_getBalance', address, 'latest');
    case 'head':
      return rpc('eth_blockNumber');
    case 'receipt':
      return rpc('eth_getTransactionReceipt', transaction);
    case 'logs':
      return rpc('eth_getLogs', {
        address: TOKEN,
        fromBlock: hex(head - LOGS_RANGE_BLOCKS + 1),
        toBlock: hex(head),
      });
    case 'trace':
      return rpc('debug_traceTransaction', transaction, { tracer: 'callTracer' });
    case 'cached':
      return rpc('eth_getBlockByNumber', hex(FINALISED_BLOCK), false);
    case 'stored':
      return rpc('eth_getBlockByNumber', hex(FINALISED_BLOCK + 1 + number), false);
    case 'batch':
      return {
        path: '/v1/',
        key,
        body: REQUEST_KINDS.batch.methods.map((method, id) => ({
          jsonrpc: '2.0',
          id,
          method,
          params: [hex(BigInt(address) + BigInt(id)), 'latest'],
        })),
      };
    case 'blocked':
      return rpc('eth_subscribe', 'newHeads');
    case 'limited':
      return { ...rpc('debug_traceTransaction', transaction, { tracer: 'callTracer' }), key: limitedKey };
    case 'unknown_key':
      return { ...rpc('eth_blockNumber'), key: `rgw_${'0'.repeat(64)}` };
    case 'data_block':
      return data(`blocks/${FINALISED_BLOCK}`);
    case 'data_balances':
      return data(`addresses/${address}/balances`);
    case 'data_transactions':
      return data('transactions?limit=50');
  }
}

/** Takes all that the bucket of the limited key holds. */
async function emptyBucket(target: Target, agent: Agent): Promise<void> {
  const { body } = requestOf(target, 'trace', 0);
  const batch = Array.from({ length: EMPTYING_TRACES }, (_, id) => ({ ...(body as object), id }));
  await send(`${target.stage.baseUrl}/v1/`, target.limitedKey, batch, agent);
}

async function send(url: string, key: string, body: unknown, agent: Agent): Promise<Sent> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(
      url,
      {
        agent,
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
      },
      resolve,
    );
    outgoing.once('error', reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
  const content = await buffer(response);
  const head = response.rawHeaders.reduce((sum, part) => sum + part.length + 2, 0);
  return {
    status: Number(response.statusCode),
    billedCu: Number(response.headers['x-cu-billed'] ?? 0),
    bytes: head + content.length,
  };
}

/**
 * Counts what is done while a chain makes four blocks a second and nobody asks: in whole slots that begin at the head.
 * @param slots whole minutes
 */
export async function countBackground(
  stage: CountedStage,
  slots = BACKGROUND_SLOTS,
): Promise<BackgroundOperations> {
  const [accounts] = (await callNode(stage.nodeUrl, [{ method: 'eth_accounts', params: [] }])) as [string[]];
  const [from, to] = accounts;
  const move = { method: 'eth_sendTransaction', params: [{ from, to, value: '0x1' }] };
  const grow = async (untilMs: number) => {
    for (let dueMs = Date.now(); dueMs < untilMs; dueMs += 1_000 / BLOCKS_PER_SECOND) {
      await sleep(Math.max(0, dueMs - Date.now()));
      await callNode(stage.nodeUrl, [move]);
    }
  };
  for (let behind = 0; behind < BEHIND_BLOCKS; behind += 1) await callNode(stage.nodeUrl, [move]);
  // A slot says at its end what it asked for: the first whole one has caught up, and counts for nothing.
  const startMs = (Math.ceil(Date.now() / SLOT_MS) + 1) * SLOT_MS + LINES_MS;
  await grow(startMs);
  stage.tally.take();
  await grow(startMs + slots * SLOT_MS);
  const seconds = (Date.now() - startMs) / 1_000;
  const { databaseCalls, writes, logBytes, localMs, nodeCalls } = stage.tally.take();
  const total = Object.values(logBytes).reduce((sum, bytes) => sum + bytes, 0);
  return {
    databaseCalls: round((databaseCalls.writer ?? 0) / seconds),
    headWrites: round((writes.heads ?? 0) / seconds),
    nodeCalls: round(nodeCalls.index / seconds),
    logBytes: Math.round(total / seconds),
    running: divided(localMs, seconds * 1_000),
  };
}

function without(sums: Readonly<Record<string, number>>, names: readonly string[]): Record<string, number> {
  return Object.fromEntries(Object.entries(sums).filter(([name]) => !names.includes(name)));
}

function divided(sums: Readonly<Record<string, number>>, by: number): Record<string, number> {
  return Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, round(sum / by)]));
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

function hex(number: number | bigint): string {
  return `0x${number.toString(16)}`;
}
