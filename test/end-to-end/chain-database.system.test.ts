import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { untilNoneMentions } from '../local/processes.ts';
import { type RunningGateway, startGateway, stopGateways, TWO_RUNS_MS } from './running-gateway.ts';

const END_TIMEOUT_MS = 120_000;
const HASH = "'\\x00'";

const folder = mkdtempSync(join(tmpdir(), 'gateway-database-'));
const dataDir = join(folder, 'data');
const start = () => startGateway({ dataDir });

afterAll(async () => {
  await stopGateways();
  rmSync(folder, { recursive: true, force: true });
});

async function query({ endpoints }: RunningGateway, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: endpoints.database });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test(
  'a run has the schema of each chain, and keeps its rows when it is killed',
  async () => {
    const first = await start();
    await query(first, `INSERT INTO example_mainnet.ring VALUES (1, ${HASH}, ${HASH}, now())`);
    const applied = await query(
      first,
      'SELECT chain, name, applied_at FROM gateway.migrations ORDER BY name',
    );
    expect(applied.length).toBeGreaterThan(0);
    first.process.kill('SIGKILL');
    await untilNoneMentions(join(dataDir, 'database'), END_TIMEOUT_MS);

    const second = await start();
    expect(await query(second, 'SELECT block_number FROM example_mainnet.ring')).toEqual([
      { block_number: '1' },
    ]);
    expect(
      await query(second, 'SELECT chain, name, applied_at FROM gateway.migrations ORDER BY name'),
    ).toEqual(applied);
    const { password } = new URL(second.endpoints.database ?? '');
    expect(password).not.toBe('');
    expect(second.logs()).not.toContain(decodeURIComponent(password));
  },
  TWO_RUNS_MS,
);

test(
  'a run of the same folder waits for the database of one that was just killed',
  async () => {
    await stopGateways();
    (await start()).process.kill('SIGKILL');
    expect(await query(await start(), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  },
  TWO_RUNS_MS,
);
