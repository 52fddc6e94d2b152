import { existsSync, readFileSync } from 'node:fs';
import pg, { type QueryConfig } from 'pg';
import { findTransactions } from '../../lambdas/data/find-transactions.ts';
import type { PlannedRequest } from '../../lambdas/data/plan-request.ts';
import type { Queries } from '../../lambdas/shared/chain-database/chain-database.ts';
import { bareQuery } from '../../test/data/plan/sampled-requests.ts';
import { fillDearLogs, fillRows, type Samples } from '../../test/data/plan/seeded-rows.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../test/database/migrated-database.ts';
import type { RunningGateway } from '../../test/end-to-end/running-gateway.ts';
import { CHAIN, withGateway } from '../stage.ts';

const SCHEMA = `"${CHAIN}"`;
const NANOSECONDS_PER_MILLISECOND = 1_000_000;

/** Plans hang on settings of the Data API's role. */
const AS_THE_READER = `SELECT set_config(split_part(setting, '=', 1), split_part(setting, '=', 2), false)
  FROM pg_roles CROSS JOIN unnest(rolconfig) AS setting WHERE rolname = 'gateway_reader' AND setting LIKE '%_page_cost=%'`;

/** A database with the rows of a chain, and samples of them. */
interface Seeded {
  readonly client: pg.Client;
  readonly samples: Samples;
}

/** The database of a gateway, once the rows are there. @param transfers of the chain; all else is in proportion */
export async function withSeededGateway<Result>(
  transfers: number,
  work: (gateway: RunningGateway, seeded: Seeded) => Promise<Result>,
): Promise<Result> {
  return withGateway({}, (gateway) =>
    seed({ connectionString: gateway.endpoints.database }, transfers, (seeded) => work(gateway, seeded)),
  );
}

/** The same without a gateway. */
export async function withSeededDatabase<Result>(
  transfers: number,
  work: (database: MigratedDatabase, seeded: Seeded) => Promise<Result>,
): Promise<Result> {
  const database = await startMigratedDatabase([CHAIN]);
  try {
    return await seed(database.postgres.superuser, transfers, (seeded) => work(database, seeded));
  } finally {
    await database.close();
  }
}

async function seed<Result>(
  login: pg.ClientConfig,
  transfers: number,
  work: (seeded: Seeded) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client(login);
  try {
    await client.connect();
    const startedAt = performance.now();
    const run = (sql: string) => client.query(sql);
    const samples = await fillRows(run, { schema: SCHEMA, transfers });
    await client.query(AS_THE_READER);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
    console.log(`${transfers.toLocaleString('en')} transfers seeded in ${seconds} s`);
    return await work({ client, samples });
  } finally {
    await client.end();
  }
}

/** Adds logs that a contract has made as long as they can be. */
export async function addDearLogs(client: pg.Client, transfers: number): Promise<void> {
  await fillDearLogs((sql) => client.query(sql), { schema: SCHEMA, transfers });
  await client.query('VACUUM ANALYZE');
}

/** The statement of a request as PostgreSQL itself takes it, once the transactions that it names are found. */
export async function statementOf(client: pg.Client, request: PlannedRequest): Promise<QueryConfig> {
  const query: Queries['query'] = async (sql, parameters = {}) => {
    const { rows, rowCount } = await client.query(bareQuery([sql, parameters]));
    return { rows, updated: rowCount ?? 0 };
  };
  return bareQuery(request.statement(await findTransactions({ query }, CHAIN, request.hashes)));
}

/**
 * Processor time that the statements of a session have had, in milliseconds: what else runs on the machine does not count. Where the
 * system does not say it, the time of the clock.
 */
export async function processorClock(client: pg.Client): Promise<() => number> {
  // What other processes do for a query would be missed.
  await client.query('SET max_parallel_workers_per_gather = 0');
  const { rows } = await client.query<{ readonly pid: number }>('SELECT pg_backend_pid() AS pid');
  const file = `/proc/${rows[0]?.pid ?? 0}/schedstat`;
  if (!existsSync(file)) return () => performance.now();
  return () => Number(readFileSync(file, 'utf8').split(' ')[0]) / NANOSECONDS_PER_MILLISECOND;
}
