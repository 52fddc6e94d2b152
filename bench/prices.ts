/** What each operation of the Data API costs the operator for one CU: processor time of the database and bytes, beside the median. */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { OPERATIONS, type OperationId } from '../lambdas/data/operations/operations.ts';
import { priceOf } from '../lambdas/data/plan-request.ts';
import { startMigratedDatabase } from '../test/database/migrated-database.ts';
import { samplePath } from './data-requests.ts';
import { fillRows, type Samples } from './data-rows.ts';
import { bareQuery, CHAIN, planSampled } from './data-statement.ts';
import { judgePrices, MAX_RATIO, type PricedRequest } from './price-figures.ts';

const DEFAULT_TRANSFERS = 1_000_000;
/** How often each request is made, in turns with the others; the quickest counts, as others use the machine too. */
const ROUNDS = 12;
const LARGEST_PAGE = 500;
const SETTLE_MS = 1_000;
const NANOSECONDS_PER_MILLISECOND = 1_000_000;
/** The specification has its price. */
const FIXED: ReadonlySet<OperationId> = new Set(['listChains']);
const MEASURED = (Object.keys(OPERATIONS) as OperationId[]).filter((id) => !FIXED.has(id));

async function main(transfers: number): Promise<number> {
  const database = await startMigratedDatabase([CHAIN]);
  const client = new pg.Client(database.postgres.superuser);
  try {
    await client.connect();
    const samples = await fillRows((sql) => client.query(sql), { schema: `"${CHAIN}"`, transfers });
    await client.query('VACUUM ANALYZE');
    await sleep(SETTLE_MS);
    const cases: PreparedCase[] = [];
    for (const operationId of MEASURED)
      for (const limit of pagesOf(operationId))
        cases.push(await prepare(client, { operationId, limit, samples }));
    return report(await measure(client, cases), transfers);
  } finally {
    await client.end();
    await database.close();
  }
}

/** Sizes of pages that an operation is measured with; undefined: the default, or no pages. */
function pagesOf(operationId: OperationId): (number | undefined)[] {
  const { paged, parameters } = OPERATIONS[operationId];
  if (!paged) return [undefined];
  const limit = parameters.find(({ name }) => name === 'limit');
  return [undefined, limit?.kind === 'integer' ? limit.maximum : LARGEST_PAGE];
}

interface Case {
  readonly operationId: OperationId;
  readonly limit: number | undefined;
  readonly samples: Samples;
}

/** A request that can be made time and again, and what it is answered. */
interface PreparedCase extends Omit<PricedRequest, 'databaseMs'> {
  readonly run: () => Promise<unknown>;
}

async function prepare(client: pg.Client, { operationId, limit, samples }: Case): Promise<PreparedCase> {
  const { path, query } = samplePath(operationId, samples);
  const asked = limit === undefined ? query : { ...query, limit: [String(limit)] };
  const planned = planSampled({ path, query: asked });
  const statement = bareQuery(planned.statement);
  const run = () => client.query<{ readonly item: string }>(statement);
  const { rows } = await run();
  const [, ...items] = rows;
  return {
    name: limit === undefined ? operationId : `${operationId} limit=${limit}`,
    cu: priceOf(planned.price, Math.min(items.length, planned.limit)),
    bytes: items.reduce((sum, { item }) => sum + Buffer.byteLength(item), 0),
    run,
  };
}

/** Times cases in turns, each less what a statement takes that reads nothing. */
async function measure(client: pg.Client, cases: readonly PreparedCase[]): Promise<readonly PricedRequest[]> {
  // What other processes do for a query would be missed.
  await client.query('SET max_parallel_workers_per_gather = 0');
  const { rows } = await client.query<{ readonly pid: number }>('SELECT pg_backend_pid() AS pid');
  const spentMs = processorClock(rows[0]?.pid ?? 0);
  const runs = [() => client.query('SELECT 1'), ...cases.map(({ run }) => run)];
  const quickest = runs.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [index, run] of runs.entries()) {
      const before = spentMs();
      await run();
      quickest[index] = Math.min(quickest[index] ?? 0, spentMs() - before);
    }
  const [idleMs = 0, ...times] = quickest;
  return cases.map(({ run: _, ...request }, index) => ({
    ...request,
    databaseMs: Math.max((times[index] ?? 0) - idleMs, 0),
  }));
}

/**
 * Processor time that a process has had, in milliseconds: what else runs on the machine does not count. Where the system
 * does not tell, the time of the clock.
 */
function processorClock(pid: number): () => number {
  const file = `/proc/${pid}/schedstat`;
  if (!existsSync(file)) return () => performance.now();
  return () => Number(readFileSync(file, 'utf8').split(' ')[0]) / NANOSECONDS_PER_MILLISECOND;
}

function report(requests: readonly PricedRequest[], transfers: number): number {
  const judged = judgePrices(requests);
  print(
    `${transfers.toLocaleString('en')} transfers; what a CU costs, in milliseconds of processor time of the database\n`,
  );
  print('request                                       CU       ms     bytes   ms/CU   of the median');
  for (const { name, cu, databaseMs, bytes, msPerCu, ratio } of judged)
    print(
      [
        name.padEnd(42),
        String(cu).padStart(5),
        databaseMs.toFixed(2).padStart(9),
        String(bytes).padStart(9),
        msPerCu.toFixed(3).padStart(8),
        ratio.toFixed(1).padStart(8),
      ].join(''),
    );
  const dear = judged.filter(({ ratio }) => ratio > MAX_RATIO);
  print(
    dear.length === 0
      ? `\nno request costs more than ${MAX_RATIO} times the median for a CU`
      : `\nmore than ${MAX_RATIO} times the median: ${dear.map(({ name }) => name).join(', ')}`,
  );
  return dear.length === 0 ? 0 : 1;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

process.exitCode = await main(Number(process.argv[2] ?? DEFAULT_TRANSFERS));
