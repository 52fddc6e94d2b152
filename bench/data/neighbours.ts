/**
 * How long another customer waits for blocks while one key takes rows that a contract has made as long as they can be, 16 requests
 * at a time: at the database, which all functions share, and through a local run, where they share the processors as well, so
 * there it is measured beside 16 ordinary requests at a time too.
 * `npm run bench -- neighbours [--seconds N]`
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { computeUnitsOf } from '../../lambdas/data/plan/price.ts';
import type { RunningGateway } from '../../test/end-to-end/running-gateway.ts';
import { runBenchmark, type Show } from '../benchmark.ts';
import { countsOf, median } from '../figures.ts';
import { CHAIN } from '../stage.ts';
import { LONG_LOGS } from './data-rows.ts';
import { bareQuery, planSampled } from './data-statement.ts';
import { addDearLogs, withSeededGateway } from './seeded.ts';

const DEFAULT_SECONDS = 20;
const TRANSFERS = 20_000;
/** Requests that the key has under way at a time. */
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

/** Requests of one key, each followed by the next; one that is refused comes again when it was told to. */
function askAgainAndAgain({ baseUrl, apiKey }: RunningGateway, path: string) {
  const outcomes: string[] = [];
  let isOver = false;
  const client = async () => {
    while (!isOver) {
      const response = await fetch(`${baseUrl}/v1/data/${CHAIN}/${path}`, {
        headers: { 'x-api-key': apiKey },
      });
      const body = await response.text().catch(() => undefined);
      if (body === undefined) {
        outcomes.push(`${response.status}, cut off`);
        continue;
      }
      outcomes.push(
        `${response.status} ${response.status === 200 ? '' : JSON.parse(body).error.code}`.trim(),
      );
      if (response.status === TOO_MANY_REQUESTS)
        await sleep(Number(response.headers.get('retry-after')) * MILLISECONDS_PER_SECOND);
    }
  };
  const clients = Array.from({ length: AT_A_TIME }, client);
  return {
    /** Resolves to what was answered, when everything has ended. */
    stop: async (): Promise<readonly string[]> => {
      isOver = true;
      await Promise.all(clients);
      return outcomes;
    },
  };
}

/** What a key asks the database for time and again, and what its bucket is drawn each time, in CU. */
interface Load {
  readonly name: string;
  readonly statement: pg.QueryConfig;
  readonly cu: number;
}

function loadOf(name: string, query: Readonly<Record<string, string>>): Load {
  const asked = { address: LONG_LOGS['16 KB'], ...query };
  const planned = planSampled({
    path: '/logs',
    query: Object.fromEntries(Object.entries(asked).map(([key, value]) => [key, [value]])),
  });
  return { name, statement: bareQuery(planned.statement()), cu: computeUnitsOf(planned.price, planned.most) };
}

/** Sends the statement of a load from as many sessions as the key has requests, as fast as its bucket lets them pass. */
async function askDatabase(
  login: pg.ClientConfig,
  { statement, cu }: Load,
  seconds: number,
): Promise<readonly string[]> {
  const { bucketCapacity, refillPerSecond } = PLANS.wide;
  const startedAt = performance.now();
  const secondsGone = () => (performance.now() - startedAt) / MILLISECONDS_PER_SECOND;
  const outcomes: string[] = [];
  let drawn = 0;
  const session = async () => {
    const client = new pg.Client(login);
    await client.connect();
    while (secondsGone() < seconds) {
      if (drawn + cu > bucketCapacity + refillPerSecond * secondsGone()) {
        await sleep(PAUSE_MS);
        continue;
      }
      drawn += cu;
      const { rows } = await client.query<{ readonly item: string }>(statement);
      outcomes.push(JSON.parse(rows[0]?.item ?? '{}').seated ? 'answered' : 'no seat');
    }
    await client.end();
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, session));
  return outcomes;
}

/** Time of each look-up of a block in the database, in milliseconds. */
async function lookUpRows(client: pg.Client, seconds: number): Promise<readonly number[]> {
  const until = performance.now() + seconds * MILLISECONDS_PER_SECOND;
  const times: number[] = [];
  for (let number = 0; performance.now() < until; number = (number + 1) % BLOCKS) {
    const statement = bareQuery(
      planSampled({ path: `/blocks/${number}`, query: {}, keyId: 'other' }).statement(),
    );
    const startedAt = performance.now();
    await client.query(statement);
    times.push(performance.now() - startedAt);
    await sleep(PAUSE_MS);
  }
  return times;
}

async function atDatabase(client: pg.Client, login: pg.ClientConfig, seconds: number, show: Show) {
  const loads = [
    loadOf('first answers of exports of logs of 16 KB', { format: 'ndjson' }),
    loadOf('pages of 500 logs of 16 KB', { limit: '500' }),
  ];
  for (const load of loads) {
    const before = await lookUpRows(client, seconds);
    const [during, outcomes] = await Promise.all([
      lookUpRows(client, seconds),
      askDatabase(login, load, seconds),
    ]);
    show(`At the database, beside ${AT_A_TIME} ${load.name}`, [
      { ...waited(during, before), mostRatio: MOST_RATIO },
      ...countsOf('answers of the key', outcomes),
    ]);
  }
}

/** Time that another customer waits for a block, beside the time without the load. */
function waited(during: readonly number[], before: readonly number[]) {
  const baseline = { name: 'without them', value: median(before) };
  return { name: 'another customer: a block', value: median(during), unit: 'ms', baseline };
}

async function throughGateway(gateway: RunningGateway, seconds: number, show: Show): Promise<void> {
  const created = async (...args: string[]) =>
    JSON.parse((await gateway.operator([...args, '--json'])).stdout);
  const { account } = await created('account', 'create', '--credit', '1000000000');
  const { api_key: other } = await created('key', 'create', account);
  await lookUps(gateway, other, seconds / 4);
  for (const [name, path] of Object.entries({
    'look-ups of one block': 'blocks/77',
    'pages of 500 transfers': 'transfers?limit=500',
    'exports of logs of 16 KB': `logs?address=${LONG_LOGS['16 KB']}&format=ndjson`,
    'pages of 500 logs of 16 KB': `logs?address=${LONG_LOGS['16 KB']}&limit=500`,
  })) {
    const before = await lookUps(gateway, other, seconds);
    const load = askAgainAndAgain(gateway, path);
    const during = await lookUps(gateway, other, seconds);
    const outcomes = await load.stop();
    show(`Through a local run, beside ${AT_A_TIME} ${name}`, [
      waited(during, before),
      ...countsOf('answers of the key', outcomes),
    ]);
  }
}

await runBenchmark({ seconds: DEFAULT_SECONDS }, (show, { seconds }) =>
  withSeededGateway({ transfers: TRANSFERS, plans: PLANS }, async (gateway, { client }) => {
    await addDearLogs(client, TRANSFERS);
    await atDatabase(client, { connectionString: gateway.endpoints.database }, seconds, show);
    await throughGateway(gateway, seconds, show);
  }),
);
