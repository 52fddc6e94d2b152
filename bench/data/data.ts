/** Latency of every list and look-up of the Data API through the whole local path, beside its bare SQL. */
import { Agent, request } from 'node:http';
import pg from 'pg';
import { type RunningGateway, startGateway } from '../../test/end-to-end/running-gateway.ts';
import { MEASURED_REQUESTS, type MeasuredRequest, NAME_WIDTH, requestPath } from './data-requests.ts';
import { fillRows, type Samples } from './data-rows.ts';
import { DATA_STAGE } from './data-stage.ts';
import { bareQuery, CHAIN, planSampled } from './data-statement.ts';

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
  const gateway = await startGateway({ config: DATA_STAGE });
  const pool = new pg.Pool({ connectionString: gateway.endpoints.database, max: CLIENTS });
  try {
    const startedAt = performance.now();
    const samples = await fillRows((sql) => pool.query(sql), { schema: `"${CHAIN}"`, transfers });
    console.log(
      `${transfers.toLocaleString('en')} transfers seeded in ${seconds(performance.now() - startedAt)} s`,
    );
    await measure(() => get(gateway, '/v1/data/chains'), START_REQUESTS_PER_CLIENT);
    const latencies = new Map<string, Measured>();
    for (const request of MEASURED_REQUESTS)
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
  await pool.query(bareQuery(planSampled(requestPath(measured, samples)).statement));
}

const seconds = (milliseconds: number) => (milliseconds / 1_000).toFixed(0);
const ms = (value: number) => value.toFixed(1).padStart(7);

function report(large: Latencies, small: Latencies): number {
  console.log(
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
    console.log(
      `${name.padEnd(NAME_WIDTH)}${ms(api.p50)}${ms(api.p99)}${ms(floor.p50)}${ms(floor.p99)}${ms(sql.p50)}${ms(sql.p99)}${ratio.toFixed(1).padStart(10)}${tailRatio.toFixed(1).padStart(10)}${growth.toFixed(2).padStart(9)}  ${wrong.join(' ')}`,
    );
  }
  console.log(
    '\nfloor: the list of chains, metered, one row of one table; growth: of the bare SQL, against a tenth of the rows',
  );
  console.log(
    `targets: p99 <= ${TARGET_P99_MS} ms, p50 and p99 <= ${TARGET_RATIO}x those of the bare SQL, growth <= ${TARGET_GROWTH}x`,
  );
  console.log(`${large.size - missed} of ${large.size} requests meet all of them`);
  return missed === 0 ? 0 : 1;
}

const rows = Number(process.argv[2] ?? DEFAULT_TRANSFERS);
const small = await measureScale(Math.ceil(rows / SMALLER));
const large = await measureScale(rows);
process.exitCode = report(large, small);
agent.destroy();
