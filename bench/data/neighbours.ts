/**
 * How long another customer waits for blocks while one key takes rows that a contract has made as long as they can be, 16 requests
 * at a time, at the database, which all functions share.
 * `npm run bench -- neighbours [--seconds N]`
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { computeUnitsOf } from '../../lambdas/data/plan/price.ts';
import { bareQuery, planSampled } from '../../test/data/plan/sampled-requests.ts';
import { LONG_LOGS } from '../../test/data/plan/seeded-rows.ts';
import { runBenchmark, type Show } from '../benchmark.ts';
import { countsOf, median } from '../figures.ts';
import { addDearLogs, withSeededDatabase } from './seeded.ts';

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
/** The largest plan but one of the example stage. */
const PLAN = { bucketCapacity: 20_000, refillPerSecond: 2_000 };

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
  const { bucketCapacity, refillPerSecond } = PLAN;
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
      {
        name: 'another customer: a block',
        value: median(during),
        unit: 'ms',
        baseline: { name: 'without them', value: median(before) },
        mostRatio: MOST_RATIO,
      },
      ...countsOf('answers of the key', outcomes),
    ]);
  }
}

await runBenchmark({ seconds: DEFAULT_SECONDS }, (show, { seconds }) =>
  withSeededDatabase(TRANSFERS, async ({ postgres }, { client }) => {
    await addDearLogs(client, TRANSFERS);
    await atDatabase(client, postgres.superuser, seconds, show);
  }),
);
