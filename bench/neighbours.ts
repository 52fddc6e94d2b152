/**
 * How long another customer waits for blocks while one key takes exports of rows that a contract has made as long as they can
 * be, 16 at a time, through a local run. `node bench/neighbours.ts [--seconds N]`
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { type RunningGateway, startGateway, stopGateways } from '../test/end-to-end/running-gateway.ts';
import { fillDearLogs, fillRows, LONG_LOGS } from './data-rows.ts';
import { DATA_STAGE } from './data-stage.ts';
import { CHAIN } from './data-statement.ts';
import { median, printFigures, printMachine } from './rpc-figures.ts';

const DEFAULT_SECONDS = 20;
const TRANSFERS = 20_000;
/** Exports that the key asks for at a time. */
const AT_A_TIME = 16;
/** Most times as long as before that another customer may wait. */
const MOST_RATIO = 1.5;
const BLOCKS = 500;
/** Between two requests of the other customer. */
const PAUSE_MS = 20;
const MILLISECONDS_PER_SECOND = 1_000;
const TOO_MANY_REQUESTS = 429;
/** The largest plan but one of the example stage. */
const PLANS = { wide: { bucketCapacity: 20_000, refillPerSecond: 2_000 } };

/** Time of each look-up of a block, in milliseconds, one after the other. */
async function lookUps(
  { baseUrl }: RunningGateway,
  key: string,
  seconds: number,
): Promise<readonly number[]> {
  const until = performance.now() + seconds * MILLISECONDS_PER_SECOND;
  const times: number[] = [];
  for (let number = 0; performance.now() < until; number = (number + 1) % BLOCKS) {
    const startedAt = performance.now();
    const response = await fetch(`${baseUrl}/v1/data/${CHAIN}/blocks/${number}`, {
      headers: { 'x-api-key': key },
    });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`a look-up was answered ${response.status}`);
    times.push(performance.now() - startedAt);
    await sleep(PAUSE_MS);
  }
  return times;
}

/** Exports of one key, each followed by the next; one that is refused comes again when it was told to. Counts what they were answered. */
function takeExports({ baseUrl, apiKey }: RunningGateway, query: string) {
  const counts = new Map<string, number>();
  const leaving = new AbortController();
  const client = async () => {
    while (!leaving.signal.aborted) {
      const response = await fetch(`${baseUrl}/v1/data/${CHAIN}/logs?${query}`, {
        headers: { 'x-api-key': apiKey },
        signal: leaving.signal,
      });
      const body = await response.text();
      const told =
        response.status === 200 ? endOf(body) : `${response.status} ${JSON.parse(body).error.code}`;
      counts.set(told, (counts.get(told) ?? 0) + 1);
      if (response.status === TOO_MANY_REQUESTS)
        await sleep(Number(response.headers.get('retry-after')) * MILLISECONDS_PER_SECOND, undefined, {
          signal: leaving.signal,
        });
    }
  };
  const clients = Array.from({ length: AT_A_TIME }, () => client().catch(() => {}));
  return {
    stop: async () => {
      leaving.abort();
      await Promise.all(clients);
      return [...counts].map(([told, count]) => `${told}: ${count}`).sort();
    },
  };
}

function endOf(body: string): string {
  const last = body.slice(body.lastIndexOf('\n', body.length - 2) + 1);
  if (!last.startsWith('{"end"')) return '200, cut off';
  const { complete, error } = JSON.parse(last).end;
  return complete ? '200, complete' : `200, goes on (${error?.code ?? 'its time or its bound'})`;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { seconds: { type: 'string' } } });
  const seconds = Number(values.seconds ?? DEFAULT_SECONDS);
  printMachine();
  const gateway = await startGateway({ config: { ...DATA_STAGE, plans: PLANS } });
  const client = new pg.Client({ connectionString: gateway.endpoints.database });
  try {
    await client.connect();
    const run = (sql: string) => client.query(sql);
    const options = { schema: `"${CHAIN}"`, transfers: TRANSFERS };
    await fillRows(run, options);
    await fillDearLogs(run, options);
    await client.query('VACUUM ANALYZE');
    const created = async (...args: string[]) =>
      JSON.parse((await gateway.operator([...args, '--json'])).stdout);
    const { account } = await created('account', 'create', '--credit', '1000000000');
    const { api_key: other } = await created('key', 'create', account);
    await lookUps(gateway, other, seconds / 4);
    const missed: string[] = [];
    for (const [name, query] of Object.entries({
      'exports of logs of 16 KB': `address=${LONG_LOGS['16 KB']}&format=ndjson`,
      'pages of 500 logs of 16 KB': `address=${LONG_LOGS['16 KB']}&limit=500`,
    })) {
      const before = await lookUps(gateway, other, seconds);
      const exports = takeExports(gateway, query);
      const during = await lookUps(gateway, other, seconds);
      const told = await exports.stop();
      const after = await lookUps(gateway, other, seconds / 2);
      const baseline = { name: 'before', value: median(before) };
      missed.push(
        ...printFigures(`Another customer beside ${AT_A_TIME} ${name} at a time`, [
          { name: 'a block meanwhile', value: median(during), unit: 'ms', baseline, mostRatio: MOST_RATIO },
          { name: 'a block afterwards', value: median(after), unit: 'ms', baseline },
        ]),
      );
      process.stdout.write(`  answers of the key: ${told.join('; ')}\n`);
    }
    process.exitCode = missed.length === 0 ? 0 : 1;
  } finally {
    await client.end();
    await stopGateways();
  }
}

await main();
