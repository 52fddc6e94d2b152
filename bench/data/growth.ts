/** How much slower the statements of the Data API become when a chain has ten times the rows. */
import pg from 'pg';
import { startMigratedDatabase } from '../../test/database/migrated-database.ts';
import { MEASURED_REQUESTS, NAME_WIDTH, requestPath } from './data-requests.ts';
import { fillRows, type Samples } from './data-rows.ts';
import { bareQuery, CHAIN, planSampled } from './data-statement.ts';

const DEFAULT_TRANSFERS = 10_000_000;
const SMALLER = 10;
/** How often each request is made, in turns with the others; the quickest counts, as others use the machine too. */
const ROUNDS = 40;
const MOST_GROWTH = 1.3;

/** Milliseconds of each request's statement, by the request's name. */
type Times = ReadonlyMap<string, number>;

async function measureScale(transfers: number): Promise<Times> {
  const database = await startMigratedDatabase([CHAIN]);
  const client = new pg.Client(database.postgres.superuser);
  try {
    await client.connect();
    const startedAt = performance.now();
    const samples = await fillRows((sql) => client.query(sql), { schema: `"${CHAIN}"`, transfers });
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
    console.log(`${transfers.toLocaleString('en')} transfers seeded in ${seconds} s`);
    return await measure(client, samples);
  } finally {
    await client.end();
    await database.close();
  }
}

async function measure(client: pg.Client, samples: Samples): Promise<Times> {
  const times = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const request of MEASURED_REQUESTS) {
      const query = bareQuery(planSampled(requestPath(request, samples)).statement);
      const startedAt = performance.now();
      await client.query(query);
      const taken = performance.now() - startedAt;
      times.set(request.name, Math.min(taken, times.get(request.name) ?? taken));
    }
  }
  return times;
}

function report(small: Times, large: Times): number {
  console.log(`\n${'request'.padEnd(NAME_WIDTH)}  before   after  growth`);
  let missed = 0;
  for (const [name, after] of large) {
    const before = small.get(name) ?? after;
    const growth = after / before;
    if (growth > MOST_GROWTH) missed += 1;
    const figures = [
      before.toFixed(1).padStart(8),
      after.toFixed(1).padStart(8),
      growth.toFixed(2).padStart(8),
    ];
    console.log(`${name.padEnd(NAME_WIDTH)}${figures.join('')}${growth > MOST_GROWTH ? '  MISSED' : ''}`);
  }
  console.log(`\nmilliseconds of the quickest of ${ROUNDS}; target: growth <= ${MOST_GROWTH}`);
  console.log(`${large.size - missed} of ${large.size} requests meet it`);
  return missed === 0 ? 0 : 1;
}

const transfers = Number(process.argv[2] ?? DEFAULT_TRANSFERS);
const small = await measureScale(Math.ceil(transfers / SMALLER));
process.exitCode = report(small, await measureScale(transfers));
