import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createMeter } from '../../lambdas/access/meter.ts';
import { createDynamoStore } from '../../lambdas/access/store/dynamo-store.ts';
import type { Store } from '../../lambdas/access/store/store.ts';
import { createAccount } from '../../lambdas/accounts/create-account.ts';
import { createKey } from '../../lambdas/accounts/keys.ts';
import { systemClock } from '../../lambdas/shared/runtime/clock.ts';
import { loadStageSettings } from '../../lambdas/shared/runtime/settings.ts';
import { sleep } from '../../lambdas/shared/runtime/sleep.ts';
import { systemTelemetry } from '../../lambdas/shared/runtime/telemetry.ts';
import type { StageConfigInput } from '../../lib/config/stage-config.ts';
import { callNode } from '../../local/demo-chain/node-calls.ts';
import { assetFolder } from '../../local/template/template.ts';
import { type CountedStage, type PrepareDataFolder, startCountedStage } from './counted-stage.ts';
import type { Operations } from './operation-tally.ts';
import { KIND_NAMES, type KindName, REQUEST_KINDS } from './request-kinds.ts';
import { functionName } from './stage-resources.ts';

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
/** Time that log lines may take from a function's output to the count, in milliseconds. */
const SETTLE_MS = 200;
const READY_WITHIN_MS = 180_000;
const POLL_MS = 500;
const HOUR_MS = 3_600_000;
/** Written by the indexer meanwhile, and once for each lane. */
const WRITTEN_OTHERWISE = ['heads', 'unsettled'];
/** How often a key, an account or its lanes are read again depends on the time, not on the request. */
const READ_OTHERWISE = ['keys', 'accounts', 'lanes'];
/** Tables that settlement and audit work on. */
const BOOK_TABLES = ['accounts', 'lanes', 'unsettled', 'ledger'] as const;
/** Accounts that are settled and audited while that is counted. */
const SETTLED_ACCOUNTS = 20;
/** Traces, of 200 CU each, that empty the limited bucket. */
const EMPTYING_TRACES = 5;
const PATIENT_MS = 60_000;
/** Time for which the chain grows without calls, in seconds, and how fast it does. */
const BACKGROUND_SECONDS = 120;
const BLOCKS_PER_SECOND = 4;

/** Operations of one request of a kind, on average. */
export interface KindOperations {
  readonly reads: Readonly<Record<string, number>>;
  readonly writes: Readonly<Record<string, number>>;
  readonly sqsMessages: number;
  readonly databaseCalls: number;
  /** Calls of clients that want a node, and all calls for nodes that serving them took. */
  readonly clientCalls: number;
  readonly nodeCalls: number;
  readonly invocations: number;
  /** Lines of its function, and the line of API Gateway. */
  readonly logBytes: number;
  readonly accessLogBytes: number;
  /** Bytes that the client receives, headers included, without TLS. */
  readonly responseBytes: number;
  /** Compute units that the account is billed. */
  readonly billedCu: number;
  /** How long its function ran on this machine, in milliseconds. */
  readonly localMs: number;
}

/** Operations for one chain that grows, without any call. */
interface BackgroundOperations {
  /** In a second. */
  readonly databaseCalls: number;
  readonly headWrites: number;
  /** Calls for the node by the functions that follow the chain. */
  readonly nodeCalls: number;
  readonly logBytes: number;
  /** Share of the time for which each function ran. */
  readonly running: Readonly<Record<string, number>>;
}

/** Units of DynamoDB that the books take for one account and hour with traffic. */
interface BookOperations {
  readonly reads: number;
  readonly writes: number;
}

/** The counts, per request of each kind, per account and hour, and per second. */
export interface CountedOperations {
  readonly countedOn: string;
  readonly requestsOfEachKind: number;
  readonly kinds: Readonly<Record<KindName, KindOperations>>;
  readonly settlement: BookOperations;
  readonly audit: BookOperations;
  /** Absent if it was not counted. */
  readonly background?: BackgroundOperations;
}

interface Sent {
  readonly status: number;
  readonly billedCu: number;
  readonly bytes: number;
}

interface Target {
  readonly stage: CountedStage;
  readonly store: Store;
  readonly limitedKey: string;
  /** A transaction of the demo chain. */
  readonly transaction: string;
  readonly address: string;
  readonly head: number;
}

/**
 * Runs the stage, sends requests of each kind one after the other, and counts what they do.
 *
 * @param background whether the indexing of a growing chain is counted too, which takes two minutes
 * @param prepareDataFolder puts the demo chain of an earlier run there @default - a demo chain is made
 */
export async function countOperations(
  requests: number,
  background: boolean,
  prepareDataFolder?: PrepareDataFolder,
): Promise<CountedOperations> {
  const stage = await startCountedStage(stageConfig(), prepareDataFolder);
  try {
    const target = await prepare(stage);
    const kinds: [KindName, KindOperations][] = [];
    for (const kind of KIND_NAMES) kinds.push([kind, await countKind(target, kind, requests)]);
    const books = await countBooks(target);
    return {
      countedOn: new Date().toISOString().slice(0, 10),
      requestsOfEachKind: requests,
      kinds: Object.fromEntries(kinds) as Record<KindName, KindOperations>,
      ...books,
      ...(background && { background: await countBackground(stage) }),
    };
  } finally {
    await stage.close();
  }
}

function stageConfig(): StageConfigInput {
  const local = JSON.parse(readFileSync(LOCAL_STAGE, 'utf8')) as StageConfigInput;
  return { ...local, plans: PLANS, defaultPlan: WIDE_PLAN };
}

async function prepare(stage: CountedStage): Promise<Target> {
  const store = createDynamoStore({
    tableNames: {
      keys: stage.tableNames.keys ?? '',
      accounts: stage.tableNames.accounts ?? '',
      lanes: stage.tableNames.lanes ?? '',
      unsettled: stage.tableNames.unsettled ?? '',
      balances: stage.tableNames.balances ?? '',
      ledger: stage.tableNames.ledger ?? '',
    },
    clientConfig: stage.clientConfig,
    connectTimeoutMs: PATIENT_MS,
    requestTimeoutMs: PATIENT_MS,
  });
  const credit = { cu: 1_000_000, reference: 'cost' };
  await createAccount(store, systemClock, { account: 'limited', plan: LIMITED_PLAN, credit });
  const limitedKey = (await createKey(store, systemClock, { account: 'limited' })).api_key;
  const target = { stage, store, limitedKey, ...(await findTransaction(stage.nodeUrl)) };
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await isIndexed(target))) {
    if (Date.now() > deadline) throw new Error('the demo chain was not indexed in time');
    await sleep(POLL_MS);
  }
  return target;
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

async function countKind(target: Target, kind: KindName, requests: number): Promise<KindOperations> {
  const { tally } = target.stage;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    if (kind === 'limited') await emptyBucket(target, agent);
    for (let number = 0; number < WARMING_REQUESTS; number += 1) await sendKind(target, kind, number, agent);
    if (kind !== 'limited') await sleep(SETTLE_MS);
    tally.take();
    let billedCu = 0;
    let bytes = 0;
    for (let number = 0; number < requests; number += 1) {
      const response = await sendKind(target, kind, WARMING_REQUESTS + number, agent);
      billedCu += response.billedCu;
      bytes += response.bytes;
    }
    await sleep(SETTLE_MS);
    return perRequest(kind, tally.take(), { requests, billedCu, bytes });
  } finally {
    agent.destroy();
  }
}

function perRequest(
  kind: KindName,
  operations: Operations,
  {
    requests,
    billedCu,
    bytes,
  }: { readonly requests: number; readonly billedCu: number; readonly bytes: number },
): KindOperations {
  const { api } = REQUEST_KINDS[kind];
  return {
    reads: divided(without(operations.reads, READ_OTHERWISE), requests),
    writes: divided(without(operations.writes, WRITTEN_OTHERWISE), requests),
    sqsMessages: operations.sqsMessages / requests,
    databaseCalls: (operations.databaseCalls.reader ?? 0) / requests,
    clientCalls: round(operations.nodeCalls.clients / requests),
    nodeCalls: round(operations.nodeCalls.gateway / requests),
    invocations: (operations.invocations[api] ?? 0) / requests,
    logBytes: Math.round((operations.logBytes[api] ?? 0) / requests),
    accessLogBytes: Math.round((operations.logBytes.access ?? 0) / requests),
    responseBytes: Math.round(bytes / requests),
    billedCu: billedCu / requests,
    localMs: round((operations.localMs[api] ?? 0) / requests),
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
 * Settles and audits accounts that had traffic in an hour that is closed. Settlement takes an hour off its work list in
 * the run after the one that settled it.
 */
async function countBooks(target: Target): Promise<Pick<CountedOperations, 'settlement' | 'audit'>> {
  const { stage, store } = target;
  const clock = { now: () => systemClock.now() - 2 * HOUR_MS };
  const meter = createMeter({
    store,
    queue: { send: () => Promise.reject(new Error('a charge was not stored')) },
    settings: loadStageSettings(codeFolderOf(stage)),
    clock,
    randomBytes,
    pause: sleep,
    telemetry: systemTelemetry,
  });
  for (let number = 0; number < SETTLED_ACCOUNTS; number += 1) {
    const account = `settled-${number}`;
    await createAccount(store, clock, {
      account,
      plan: LIMITED_PLAN,
      credit: { cu: 10_000, reference: 'cost' },
    });
    const usage = [{ chain: CHAIN, method: 'eth_call', calls: 60, cu: 1_200, cached: 0, errors: 0 }];
    const outcome = await meter.charge({ account, keyId: account }, 1_200, usage).store();
    if (outcome !== 'stored') throw new Error(`a charge is ${outcome}`);
  }
  const counted = async (name: string, runs: number): Promise<BookOperations> => {
    stage.tally.take();
    for (let run = 0; run < runs; run += 1) await invoke(stage, name);
    const { reads, writes } = stage.tally.take();
    const perAccount = (of: Readonly<Record<string, number>>) =>
      BOOK_TABLES.reduce((sum, table) => sum + (of[table] ?? 0), 0) / SETTLED_ACCOUNTS;
    return { reads: perAccount(reads), writes: perAccount(writes) };
  };
  return { settlement: await counted('settlement', 2), audit: await counted('audit', 1) };
}

async function invoke(stage: CountedStage, name: string): Promise<void> {
  const result = await stage.stack.functions.invoke(logicalIdOf(stage, name), {});
  if (result.kind !== 'success') throw new Error(`${name} failed: ${JSON.stringify(result)}`);
}

function logicalIdOf(stage: CountedStage, name: string): string {
  const found = [...stage.stack.template.resources.values()].find(
    ({ type, logicalId }) => type === 'AWS::Lambda::Function' && functionName(logicalId) === name,
  );
  if (found === undefined) throw new Error(`the stack has no function ${name}`);
  return found.logicalId;
}

async function countBackground(stage: CountedStage): Promise<BackgroundOperations> {
  const [accounts] = (await callNode(stage.nodeUrl, [{ method: 'eth_accounts', params: [] }])) as [string[]];
  const [from, to] = accounts;
  stage.tally.take();
  const startedMs = performance.now();
  const blocks = BACKGROUND_SECONDS * BLOCKS_PER_SECOND;
  for (let block = 0; block < blocks; block += 1) {
    await callNode(stage.nodeUrl, [{ method: 'eth_sendTransaction', params: [{ from, to, value: '0x1' }] }]);
    const dueMs = startedMs + ((block + 1) * 1_000) / BLOCKS_PER_SECOND;
    await sleep(Math.max(0, dueMs - performance.now()));
  }
  const seconds = (performance.now() - startedMs) / 1_000;
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

function codeFolderOf(stage: CountedStage): string {
  const { template } = stage.stack;
  const resource = template.resources.get(logicalIdOf(stage, 'rpc'));
  if (resource === undefined) throw new Error('the stack has no JSON-RPC function');
  return assetFolder(template, resource);
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
