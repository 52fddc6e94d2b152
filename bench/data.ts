/** Latency of every list and look-up of the Data API through the whole local path, beside its bare SQL. */
import { Agent, request } from 'node:http';
import pg from 'pg';
import { matchOperation } from '../lambdas/data/operations/match-operation.ts';
import { OPERATIONS, type OperationId } from '../lambdas/data/operations/operations.ts';
import { planRequest } from '../lambdas/data/plan-request.ts';
import type { StageConfigInput } from '../lib/config/stage-config.ts';
import { type RunningGateway, startGateway } from '../test/end-to-end/running-gateway.ts';
import { type MeasuredRequest, measuredRequests, requestPath } from './data-requests.ts';
import { fillRows, type Samples } from './data-rows.ts';

const CHAIN = 'bench';
const CLIENTS = 8;
const REQUESTS_PER_CLIENT = 50;
/** Each client's for each operation, and before the first, so that every process of the function has run for a while. */
const WARM_UP_REQUESTS_PER_CLIENT = 8;
const START_REQUESTS_PER_CLIENT = 200;
const DEFAULT_TRANSFERS = 10_000_000;
const SMALLER = 10;
const TARGET_P99_MS = 25;
/** Of the median and of the 99th percentile to those of the bare SQL. */
const TARGET_RATIO = 3;
const TARGET_GROWTH = 1.3;
const NAME_WIDTH = 48;
/** What does not read rows that grow with the chain. */
const NOT_MEASURED: ReadonlySet<string> = new Set(['listChains', 'getFreshness', 'listCoverage', 'getStock']);
const MEASURED = measuredRequests(
  (Object.keys(OPERATIONS) as OperationId[]).filter((id) => !NOT_MEASURED.has(id)),
);

const STAGE: StageConfigInput = {
  stage: 'bench',
  chains: [{ chain: CHAIN, name: 'Bench', chainId: 1, default: true, upstreams: ['embedded'] }],
  plans: { wide: { bucketCapacity: 1_000_000_000, refillPerSecond: 300 } },
  defaultPlan: 'wide',
  demo: { creditCu: 1_000_000_000_000 },
  alarms: { enabled: false },
  removal: 'destroy',
};

interface Latency {
  readonly p50: number;
  readonly p99: number;
}

interface Measured {
  readonly api: Latency;
  /** The same path with nothing to find: what authentication, metering and the local run take. */
  readonly floor: Latency;
  readonly sql: Latency;
}

/** By the names of requests. */
type Latencies = ReadonlyMap<string, Measured>;

async function measureScale(transfers: number): Promise<Latencies> {
  const gateway = await startGateway({ config: STAGE });
  const pool = new pg.Pool({ connectionString: gateway.endpoints.database, max: CLIENTS });
  try {
    const startedAt = performance.now();
    const samples = await fillRows((sql) => pool.query(sql), { schema: `"${CHAIN}"`, transfers });
    print(
      `${transfers.toLocaleString('en')} transfers seeded in ${seconds(performance.now() - startedAt)} s`,
    );
    await measure(() => get(gateway, '/v1/data/chains'), START_REQUESTS_PER_CLIENT);
    const latencies = new Map<string, Measured>();
    for (const request of MEASURED)
      latencies.set(request.name, {
        api: await measure(() => call(gateway, request, samples)),
        floor: await measure(() => get(gateway, '/v1/data/chains')),
        sql: await measure(() => runBare(pool, request, samples)),
      });
    return latencies;
  } finally {
    await pool.end();
    await gateway.stop();
  }
}

/** Latencies of calls by several clients at once, in milliseconds. */
async function measure(run: () => Promise<unknown>, requests = REQUESTS_PER_CLIENT): Promise<Latency> {
  const taken: number[] = [];
  const client = async () => {
    for (let warm = 0; warm < WARM_UP_REQUESTS_PER_CLIENT; warm += 1) await run();
    for (let count = 0; count < requests; count += 1) {
      const startedAt = performance.now();
      await run();
      taken.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  taken.sort((one, other) => one - other);
  const at = (share: number) => taken[Math.min(taken.length - 1, Math.floor(taken.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });

function call(gateway: RunningGateway, measured: MeasuredRequest, samples: Samples): Promise<void> {
  const { path, query } = requestPath(measured, samples);
  const values = Object.entries(query).flatMap(([name, all]) => all.map((value) => [name, value]));
  const text = new URLSearchParams(values as [string, string][]).toString();
  return get(gateway, `/v1/data/${CHAIN}${path}${text === '' ? '' : `?${text}`}`);
}

function get({ baseUrl, apiKey }: RunningGateway, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(`${baseUrl}${path}`, { agent, headers: { 'x-api-key': apiKey } }, (answer) => {
      answer.resume();
      answer.once('end', () =>
        answer.statusCode === 200 ? resolve() : reject(new Error(`${path}: HTTP ${answer.statusCode}`)),
      );
    });
    sent.once('error', reject);
    sent.end();
  });
}

/** The same statement, straight to PostgreSQL. */
async function runBare(pool: pg.Pool, measured: MeasuredRequest, samples: Samples): Promise<void> {
  const { path, query } = requestPath(measured, samples);
  const matched = matchOperation(path);
  if (matched === undefined) throw new Error(`no operation at ${path}`);
  const planned = planRequest({ account: 'bench', chain: CHAIN, matched, query, seal: () => '' });
  if (!planned.ok) throw new Error(planned.failure.message);
  const [sql, parameters = {}] = planned.statement;
  const names = Object.keys(parameters);
  await pool.query(
    sql.replace(/:(p\d+)\b/g, (_, name: string) => `$${names.indexOf(name) + 1}`),
    Object.values(parameters),
  );
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const seconds = (milliseconds: number) => (milliseconds / 1_000).toFixed(0);
const ms = (value: number) => value.toFixed(1).padStart(7);

function report(large: Latencies, small: Latencies): number {
  print(
    `\n${'request'.padEnd(NAME_WIDTH)}    p50    p99 floor50 floor99  bare50  bare99  p50/bare  p99/bare  growth`,
  );
  let missed = 0;
  for (const [name, { api, floor, sql }] of large) {
    const before = small.get(name);
    const growth = before === undefined ? 1 : sql.p50 / before.sql.p50;
    const ratio = api.p50 / sql.p50;
    const tailRatio = api.p99 / sql.p99;
    const wrong = [
      api.p99 > TARGET_P99_MS ? 'p99' : '',
      ratio > TARGET_RATIO ? 'p50/bare' : '',
      tailRatio > TARGET_RATIO ? 'p99/bare' : '',
      growth > TARGET_GROWTH ? 'growth' : '',
    ].filter((target) => target !== '');
    if (wrong.length > 0) missed += 1;
    print(
      `${name.padEnd(NAME_WIDTH)}${ms(api.p50)}${ms(api.p99)}${ms(floor.p50)}${ms(floor.p99)}${ms(sql.p50)}${ms(sql.p99)}${ratio.toFixed(1).padStart(10)}${tailRatio.toFixed(1).padStart(10)}${growth.toFixed(2).padStart(9)}  ${wrong.join(' ')}`,
    );
  }
  print(
    '\nfloor: the list of chains, metered, one row of one table; growth: of the bare SQL, against a tenth of the rows',
  );
  print(
    `targets: p99 <= ${TARGET_P99_MS} ms, p50 and p99 <= ${TARGET_RATIO}x those of the bare SQL, growth <= ${TARGET_GROWTH}x`,
  );
  print(`${large.size - missed} of ${large.size} requests meet all of them`);
  return missed === 0 ? 0 : 1;
}

const rows = Number(process.argv[2] ?? DEFAULT_TRANSFERS);
const small = await measureScale(Math.ceil(rows / SMALLER));
const large = await measureScale(rows);
process.exitCode = report(large, small);
agent.destroy();
