import { randomBytes } from 'node:crypto';
import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { entryOf, newMark } from '../../../lambdas/access/charge/lane.ts';
import { encodeLane } from '../../../lambdas/access/charge/lane-message.ts';
import { hourOf } from '../../../lambdas/shared/runtime/clock.ts';
import { metricNamespace } from '../../../lambdas/shared/runtime/metrics.ts';
import { parseEmbeddedMetrics } from '../../../local/dashboard/embedded-metrics.ts';
import { metricsOf } from '../../../local/dashboard/metric-query.ts';
import { readAlarms } from '../../../local/dashboard/read-alarms.ts';
import { readWidgets } from '../../../local/dashboard/read-dashboard.ts';
import { callNode } from '../../../local/processes/node-calls.ts';
import { createAttributes } from '../../../local/template/attributes.ts';
import { createResolver } from '../../../local/template/intrinsics.ts';
import { loadTemplate } from '../../../local/template/load-template.ts';
import { processesMentioning } from '../../local/processes.ts';
import { closing, result } from '../../nodes/replies.ts';
import { type Reply, type ScriptedNode, startScriptedNode } from '../../nodes/scripted-node.ts';
import { testAtLength } from '../../support/at-length-tests.ts';
import { untilTrue } from '../../support/until-true.ts';
import { nodeStage } from '../nodes/node-stage.ts';
import { openAccount } from '../operator/account.ts';
import { type RunningGateway, START_TIMEOUT_MS, startGateway } from '../running-gateway.ts';
import { sendMessage } from '../send-message.ts';

/** Metrics that this run cannot be made to emit, and why. */
const NOT_PROVOKED: Readonly<Record<string, string>> = {
  DatabaseResumes: 'the embedded PostgreSQL never sleeps',
  SlotsWithoutDatabase: 'it is not stopped; test/indexer and test/rollups have slots without one',
  InternalErrors:
    'no request is known that finds a defect; test/access/run-figures.test.ts and the canary have some',
  EarlyTimeouts: 'the same',
  BillsDisagree: 'no bill of this run is wrong; test/releases/wrong-bills.test.ts has some that are',
  UpstreamsLimited: 'no node of this run has a limit; test/monitoring/dead-node.system.test.ts has one',
  UpstreamsHeld: 'no operator holds a node of this run; test/operator/upstream.test.ts has one',
  ShadowCalls: 'no chain of this run has a shadow; test/rpc/copies/shadow.test.ts has some',
  ShadowDifferences: 'the same',
  ShadowFailures: 'the same',
  UpstreamsDisagree: 'no chain of this run has a node that lies; test/rpc/told-liars.test.ts has some',
  WrongAnswers: 'no node of this run lies; test/indexer/proof/lying-nodes.test.ts has some that do',
  ProofLost: 'no block of this run is of a later fork; test/indexer/proof/lying-nodes.test.ts has some',
  UnprovenBlocks: 'the same',
  HashContradictions:
    'no node of this run is on a branch of its own; test/indexer/proof/witnesses.test.ts has one',
  SilentWitnesses: 'this run takes less than ten minutes; test/indexer/proof/witnesses.test.ts has a silence',
  UnknownNodeWords:
    'nodes of this run say nothing unknown; test/rpc/unknown-words.test.ts has one that does, for both sides',
  HeadsNotKept: 'the store takes the heads of keys here; test/rpc/given-heads.test.ts has one that does not',
  DerivationsSetAside:
    'no pool of the demo chain makes a step fail; test/rollups/forged-pools.system.test.ts has some',
  RpcProbeFailures: 'a local run has no probe; test/end-to-end/default-stage/probe.ts does',
  DataProbeFailures: 'the same',
  UnfrozenRecords:
    'the bucket takes the leaves here; test/settlement/stated-records.test.ts has one that does not',
  SealedRecords: 'a head is signed once an hour; test/seal/seal-head.test.ts has some',
  LedgerBehindHead:
    'settlement runs once an hour; test/settlement/restored-ledger.test.ts has a ledger that was restored',
  BalanceViews: 'a run of the function that keeps them lasts longer than this test',
  BalanceViewAge: 'the same',
};
const CHAIN = 'example_mainnet';
const NAMESPACE = metricNamespace('local');
/** A slot of the indexer ends within a minute; what it found is told at its end. */
const EMITTED_WITHIN_MS = 120_000;
const LOOK_INTERVAL_MS = 500;
/** A charge has 2 seconds for the store and 1.4 for the queue; after it a call is made again. */
const CHARGED_WITHIN_MS = 10_000;
const AUDIT_INTERVAL_MS = 2_000;
const HOUR_MS = 3_600_000;
/** More than a breaker bears, and than are tried again. */
const FAILED_CALLS = 20;
const RAW_TRANSACTION = { method: 'eth_sendRawTransaction', params: ['0x00'] };

/** On the demo chain, with its database. */
let whole: RunningGateway;
/** On a node that does what it is told. */
let faulty: RunningGateway;
let node: ScriptedNode;
const emitted = new Set<string>();
/** Units and records that were settled before the late hour. */
let settledBefore: readonly number[];

const answered = result('"0x1"');

async function provokeAll(): Promise<void> {
  node = await startScriptedNode(answered);
  faulty = await startGateway({ config: nodeStage(node.url) });
  await Promise.all([useWholeGateway(), useFaultyGateway()]);
  for (const gateway of [whole, faulty]) for (const { name } of emittedBy(gateway)) emitted.add(name);
}

function emittedBy(gateway: RunningGateway) {
  const lines = gateway.logs().split('\n');
  return lines.flatMap(parseEmbeddedMetrics).filter(({ namespace }) => namespace === NAMESPACE);
}

/** Reads only the lines that name it: there are many, and they are looked at often. */
function isEmitted(gateway: RunningGateway, metric: string): boolean {
  const lines = gateway.logs().split('\n');
  const naming = lines.filter((line) => line.includes(`"${metric}"`));
  return naming.flatMap(parseEmbeddedMetrics).some(({ name }) => name === metric);
}

function sumEmitted(gateway: RunningGateway, metric: string): number {
  return emittedBy(gateway).reduce((sum, { name, value }) => (name === metric ? sum + value : sum), 0);
}

function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  return untilTrue(condition, {
    withinMs: EMITTED_WITHIN_MS,
    everyMs: LOOK_INTERVAL_MS,
    failure: () => `in vain: ${what}`,
  });
}

const untilEmitted = (gateway: RunningGateway, name: string) =>
  until(`waited for ${name}`, () => isEmitted(gateway, name));

async function call(gateway: RunningGateway, body: object, apiKey = gateway.apiKey): Promise<number> {
  const calls = Array.isArray(body) ? body : { jsonrpc: '2.0', id: 1, ...body };
  const response = await fetch(`${gateway.baseUrl}/v1/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify(calls),
  });
  await response.arrayBuffer();
  return response.status;
}

async function sendTo(gateway: RunningGateway, queue: string, messages: readonly string[]): Promise<void> {
  for (const message of messages) await sendMessage(gateway, message, { queue: queueName(gateway, queue) });
}

function queueName({ dataDir }: RunningGateway, part: string): string {
  const name = readdirSync(join(dataDir, 'queues')).find((queue) => queue.includes(part));
  if (name === undefined) throw new Error(`no queue is called ${part}`);
  return name;
}

/** What an operator sees of a healthy stage, and of requests that are refused. */
async function useWholeGateway(): Promise<void> {
  const everyMinute = ['RollupLagBlocks', 'SnapshotAge'].map((name) => untilEmitted(whole, name));
  await Promise.all([requestCalls(), requestData(), closeBooks(), indexUntilHalted(), ...everyMinute]);
}

async function requestCalls(): Promise<void> {
  const block = { method: 'eth_getBlockByNumber', params: ['0x1', false] };
  expect(await call(whole, block)).toBe(200);
  expect(await call(whole, block)).toBe(200);
  expect(await call(whole, { method: 'eth_getBalance', params: ['no address'] })).toBe(200);
  expect(await call(whole, { method: 'eth_subscribe' })).toBe(200);
  expect(await call(whole, block, 'unknown')).toBe(404);
  const trace = { jsonrpc: '2.0', id: 1, method: 'debug_traceBlockByNumber', params: ['0x1'] };
  expect(
    await call(
      whole,
      Array.from({ length: 100 }, () => trace),
    ),
  ).toBe(429);
  const { apiKey } = await openAccount(whole, { credit: 0 });
  expect(await call(whole, block, apiKey)).toBe(402);
}

/** The second request finds a database that does not answer. */
async function requestData(): Promise<void> {
  const request = async () => {
    const headers = { 'x-api-key': whole.apiKey };
    const response = await fetch(`${whole.baseUrl}/v1/data/${CHAIN}/blocks/0`, { headers });
    await response.arrayBuffer();
    return response.status;
  };
  await until('waited for the first block', async () => (await request()) === 200);
  await withDatabase(async (database) => {
    await database.query(`BEGIN; LOCK TABLE ${CHAIN}.blocks IN ACCESS EXCLUSIVE MODE`);
    const unanswered = request();
    const session = await waitingSession(database);
    process.kill(session, 'SIGSTOP');
    expect(await unanswered).toBe(503);
    process.kill(session, 'SIGCONT');
    await database.query('ROLLBACK');
  });
}

/** Process of the session that waits for a lock. */
async function waitingSession(database: pg.Client): Promise<number> {
  const waiting = 'SELECT pid FROM pg_locks WHERE NOT granted';
  let pid: number | undefined;
  await until('waited for a session that waits', async () => {
    pid = (await database.query<{ pid: number }>(waiting)).rows[0]?.pid;
    return pid !== undefined;
  });
  return Number(pid);
}

async function withDatabase(work: (database: pg.Client) => Promise<void>): Promise<void> {
  const database = new pg.Client({ connectionString: whole.endpoints.database });
  await database.connect();
  await work(database).finally(() => database.end());
}

/** Settles an hour that is over, and audits; both are otherwise done every hour. */
async function closeBooks(): Promise<void> {
  settledBefore = ['SettledComputeUnits', 'SettlementRecords'].map((metric) => sumEmitted(whole, metric));
  const account = 'late-payer';
  await whole.operator(['account', 'create', account, '--credit', '5000']);
  const hour = hourOf(Date.now() - 2 * HOUR_MS);
  const lane = encodeLane({
    account,
    shard: 0,
    hour,
    lane: 'two-hours-1',
    charges: 1,
    total: 1_000n,
    used: `${CHAIN} eth_call:50:1000`,
  });
  await sendTo(whole, 'ChargesQueue', [lane]);
  // Whatever mark the message has, the hour's own stays on the work list until it is settled.
  const mark = newMark(Date.now(), randomBytes);
  const entries = [[entryOf({ account, shard: 0, hour }), mark]];
  await until('waited for the late hour to be settled', async () => {
    await sendTo(whole, 'BooksSettlementWork', [JSON.stringify({ entries })]);
    const { stdout } = await whole.operator(['account', 'show', account, '--json']);
    return JSON.parse(stdout).charged_cu === 1_000;
  });
  await untilEmitted(whole, 'SettlementRecords');
  // What a busy machine does not begin in time, the queue keeps for long: it is sent again.
  await until('waited for the audit', async () => {
    await sendTo(whole, 'BooksAuditWork', [JSON.stringify({ slot: 0, failures: 0 })]);
    await sleep(AUDIT_INTERVAL_MS);
    return isEmitted(whole, 'AuditedAccounts');
  });
}

/** A slot that stores the whole chain; then the chain that the index knows is no longer that of the node. */
async function indexUntilHalted(): Promise<void> {
  await callNode(whole.endpoints.upstream, [{ method: 'evm_mine', params: [] }]);
  await withDatabase(async (database) => {
    const [head] = await callNode(whole.endpoints.upstream, [{ method: 'eth_blockNumber', params: [] }]);
    const indexed = `SELECT FROM ${CHAIN}.cursors WHERE name = 'indexed' AND block_number = ${Number(head)}`;
    await until(
      'waited for the head in the index',
      async () => (await database.query(indexed)).rowCount === 1,
    );
    await untilEmitted(whole, 'IndexedBlocks');
    const foreign = "decode(repeat('ab', 32), 'hex')";
    for (const change of [
      `UPDATE ${CHAIN}.ring SET block_hash = ${foreign}, parent_hash = ${foreign}`,
      `UPDATE ${CHAIN}.cursors SET block_hash = ${foreign}`,
    ])
      expect((await database.query(change)).rowCount).toBeGreaterThan(0);
  });
  await callNode(whole.endpoints.upstream, [{ method: 'evm_mine', params: [] }]);
  await untilEmitted(whole, 'IndexerHalted');
}

/** What goes wrong with the store, its queue, and the node. */
async function useFaultyGateway(): Promise<void> {
  expect(await call(faulty, RAW_TRANSACTION)).toBe(200);
  const account = faulty.gatewayJson.demo_account;
  const made = await faulty.operator(['key', 'create', account, '--methods', 'eth_chainId', '--json']);
  expect(await call(faulty, { method: 'eth_gasPrice' }, JSON.parse(made.stdout).api_key)).toBe(200);
  await untilEmitted(faulty, 'RefusedByBounds');
  signalStore('SIGSTOP');
  // On a busy machine a process that is to stand still may first end what it is at.
  await until('waited for a refusal', async () => (await call(faulty, RAW_TRANSACTION)) === 503);
  signalStore('SIGCONT');
  await chargeWithoutStoreUntil('ChargesQueued');
  const queue = join(faulty.dataDir, 'queues', queueName(faulty, 'ChargesQueue'));
  renameSync(queue, `${queue}.away`);
  await chargeWithoutStoreUntil('UnchargedComputeUnits');
  renameSync(`${queue}.away`, queue);
  // Each process has a breaker of its own, and what failed long ago does not count: again, until one is open.
  await until('waited for UpstreamsTakenOut', async () => {
    node.script(...Array.from({ length: FAILED_CALLS }, () => closing));
    for (let failure = 0; failure < FAILED_CALLS; failure += 1)
      await call(faulty, { method: 'eth_gasPrice' });
    return isEmitted(faulty, 'UpstreamsTakenOut');
  });
}

/**
 * Calls in the midst of which the store halts: the node has answered, the charge cannot be stored. Again until it shows:
 * a call may be answered without the node, or by a process that is charging for the one before.
 */
async function chargeWithoutStoreUntil(metric: string): Promise<void> {
  const halting: Reply = (request, response) => {
    signalStore('SIGSTOP');
    answered(request, response);
  };
  await until(`waited for ${metric}`, async () => {
    await until('waited for the store', async () => (await call(faulty, RAW_TRANSACTION)) === 200);
    node.script(halting);
    await call(faulty, RAW_TRANSACTION);
    const hasShown = await withinCharge(() => isEmitted(faulty, metric));
    signalStore('SIGCONT');
    return hasShown;
  });
}

/** Whether a condition comes true in the time that a charge takes for all its attempts. */
async function withinCharge(condition: () => boolean): Promise<boolean> {
  const deadline = Date.now() + CHARGED_WITHIN_MS;
  while (!condition()) {
    if (Date.now() > deadline) return false;
    await sleep(LOOK_INTERVAL_MS);
  }
  return true;
}

function signalStore(signal: 'SIGSTOP' | 'SIGCONT'): void {
  for (const id of processesMentioning(join(faulty.dataDir, 'dynamodb'))) process.kill(id, signal);
}

/** Our metrics that the dashboard or an alarm of the default stage names. */
function namedMetrics(): Set<string> {
  const template = loadTemplate(join(whole.dataDir, 'assembly'));
  const resolve = createResolver(template, {
    parameters: Object.fromEntries(Object.keys(template.parameters).map((name) => [name, 'http://node'])),
    attribute: createAttributes(template, 'http://127.0.0.1:1'),
  });
  const shown = readWidgets(template, resolve).flatMap((widget) =>
    widget.kind === 'metrics' ? [widget.queries] : [],
  );
  const watched = readAlarms(template, resolve).map(({ queries }) => queries);
  const metrics = [...shown, ...watched].flatMap((queries) =>
    queries.flatMap((query) => metricsOf(query, queries)),
  );
  const ours = metrics.filter(({ namespace }) => namespace === NAMESPACE);
  return new Set(ours.map(({ name }) => name));
}

/**
 * Every metric that is watched is one that a run emits, and the other way round. Its index is halted then, so it comes last.
 * @param running a run of the demo chain
 */
export function describeMetrics(running: () => RunningGateway): void {
  beforeAll(
    async () => {
      whole = running();
      await provokeAll();
    },
    START_TIMEOUT_MS + 3 * EMITTED_WITHIN_MS,
  );
  afterAll(() => node?.close());

  testAtLength('every metric that the dashboard or an alarm names is emitted by a run', () => {
    const named = namedMetrics();
    expect(named.size).toBeGreaterThan(20);
    const silent = [...named].filter((name) => !emitted.has(name));
    expect(silent.filter((name) => !(name in NOT_PROVOKED))).toEqual([]);
  });

  testAtLength('every metric that a run emits is on the dashboard or in an alarm', () => {
    const named = namedMetrics();
    expect([...emitted].filter((name) => !named.has(name))).toEqual([]);
  });

  testAtLength('an hour that was over is settled, and the books balance', () => {
    const settled = ['SettledComputeUnits', 'SettlementRecords'].map((metric) => sumEmitted(whole, metric));
    expect(settled.map((sum, index) => sum - Number(settledBefore[index]))).toEqual([1_000, 1]);
    expect(sumEmitted(whole, 'AuditViolations')).toBe(0);
  });
}
