/** How much slower the statements of the Data API become when a chain has ten times the rows. */
import pg from 'pg';
import { matchOperation } from '../lambdas/data/operations/match-operation.ts';
import { OPERATIONS, type OperationId } from '../lambdas/data/operations/operations.ts';
import { planRequest } from '../lambdas/data/plan-request.ts';
import { startMigratedDatabase } from '../test/database/migrated-database.ts';
import { type MeasuredRequest, measuredRequests, requestPath } from './data-requests.ts';
import { fillRows, type Samples } from './data-rows.ts';

const CHAIN = 'bench';
const DEFAULT_TRANSFERS = 10_000_000;
const SMALLER = 10;
/** How often each request is made, in turns with the others; the quickest counts, as others use the machine too. */
const ROUNDS = 40;
const MOST_GROWTH = 1.3;
/** What does not read rows that grow with the chain. */
const NOT_MEASURED: ReadonlySet<string> = new Set(['listChains', 'getFreshness', 'listCoverage', 'getStock']);
const REQUESTS = measuredRequests(
  (Object.keys(OPERATIONS) as OperationId[]).filter((id) => !NOT_MEASURED.has(id)),
);

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
    print(`${transfers.toLocaleString('en')} transfers seeded in ${seconds} s`);
    return await measure(client, samples);
  } finally {
    await client.end();
    await database.close();
  }
}

async function measure(client: pg.Client, samples: Samples): Promise<Times> {
  const times = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const request of REQUESTS) {
      const statement = statementOf(request, samples);
      const startedAt = performance.now();
      await client.query(statement);
      const taken = performance.now() - startedAt;
      times.set(request.name, Math.min(taken, times.get(request.name) ?? taken));
    }
  }
  return times;
}

/** A statement as PostgreSQL takes it, planned anew each time. */
function statementOf(request: MeasuredRequest, samples: Samples): pg.QueryConfig {
  const { path, query } = requestPath(request, samples);
  const matched = matchOperation(path);
  if (matched === undefined) throw new Error(`no operation at ${path}`);
  const planned = planRequest({ account: 'bench', chain: CHAIN, matched, query, seal: () => '' });
  if (!planned.ok) throw new Error(`${request.name}: ${planned.failure.message}`);
  const [sql, parameters = {}] = planned.statement;
  const names = Object.keys(parameters);
  const text = sql.replace(/:(p\d+)\b/g, (_, name: string) => `$${names.indexOf(name) + 1}`);
  return { text, values: Object.values(parameters) };
}

function report(small: Times, large: Times): number {
  print(`\n${'request'.padEnd(48)}  before   after  growth`);
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
    print(`${name.padEnd(48)}${figures.join('')}${growth > MOST_GROWTH ? '  MISSED' : ''}`);
  }
  print(`\nmilliseconds of the quickest of ${ROUNDS}; target: growth <= ${MOST_GROWTH}`);
  print(`${large.size - missed} of ${large.size} requests meet it`);
  return missed === 0 ? 0 : 1;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const transfers = Number(process.argv[2] ?? DEFAULT_TRANSFERS);
const small = await measureScale(Math.ceil(transfers / SMALLER));
process.exitCode = report(small, await measureScale(transfers));
