/** Latency of every list and look-up of the Data API through the whole local path, beside its bare SQL. */
import { Agent, request } from 'node:http';
import pg from 'pg';
import { bareQuery, planSampled } from '../../test/data/plan/sampled-requests.ts';
import type { Samples } from '../../test/data/plan/seeded-rows.ts';
import type { RunningGateway } from '../../test/end-to-end/running-gateway.ts';
import { runBenchmark } from '../benchmark.ts';
import { type Figure, quantile } from '../figures.ts';
import { CHAIN } from '../stage.ts';
import { MEASURED_REQUESTS, type MeasuredRequest, requestPath } from './data-requests.ts';
import { withSeededGateway } from './seeded.ts';

const CLIENTS = 8;
const REQUESTS_PER_CLIENT = 50;
/** Each client's for each operation, and before the first, so that every process of the function has run for a while. */
const WARM_UP_REQUESTS_PER_CLIENT = 8;
const START_REQUESTS_PER_CLIENT = 200;
const DEFAULT_TRANSFERS = 10_000_000;
const TARGET_P99_MS = 25;
/** Of the median and of the 99th percentile to those of the bare SQL. */
const TARGET_RATIO = 3;

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

function measureAll(transfers: number): Promise<Latencies> {
  return withSeededGateway(transfers, async (gateway, { samples }) => {
    const pool = new pg.Pool({ connectionString: gateway.endpoints.database, max: CLIENTS });
    try {
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
    }
  });
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
  return { p50: quantile(taken, 0.5), p99: quantile(taken, 0.99) };
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
    const sent = request(`${baseUrl}${path}`, { agent, headers: { 'x-api-key': apiKey } }, (response) => {
      response.resume();
      response.once('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`${path}: HTTP ${response.statusCode}`)),
      );
    });
    sent.once('error', reject);
    sent.end();
  });
}

/** The same statement, straight to PostgreSQL. */
async function runBare(pool: pg.Pool, measured: MeasuredRequest, samples: Samples): Promise<void> {
  await pool.query(bareQuery(planSampled(requestPath(measured, samples)).statement()));
}

/** A request beside its bare SQL, and beside the list of chains as one that reads almost nothing. */
function figuresOf(name: string, { api, floor, sql }: Measured): Figure[] {
  const figure = (what: string, value: number, baseline: string, against: number) => ({
    name: `${name}: ${what}`,
    value,
    unit: 'ms',
    baseline: { name: baseline, value: against },
  });
  return [
    { ...figure('p50', api.p50, 'bare SQL', sql.p50), mostRatio: TARGET_RATIO },
    { ...figure('p99', api.p99, 'bare SQL', sql.p99), most: TARGET_P99_MS, mostRatio: TARGET_RATIO },
    figure('p50', api.p50, 'list of chains', floor.p50),
    figure('p99', api.p99, 'list of chains', floor.p99),
  ];
}

await runBenchmark({ transfers: DEFAULT_TRANSFERS }, async (show, { transfers }) => {
  const latencies = await measureAll(transfers);
  agent.destroy();
  show(
    `The Data API over ${transfers.toLocaleString('en')} transfers, ${CLIENTS} clients`,
    [...latencies].flatMap(([name, measured]) => figuresOf(name, measured)),
  );
});
