import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type Postgres, startPostgres } from '../../../local/database/postgres.ts';
import { processesMentioning, untilNoneMentions } from '../processes.ts';

/** The embedded PostgreSQL starts as any user and outlives kills. */
export function testPostgres(): void {
  const END_TIMEOUT_MS = 120_000;

  let folder: string;
  let running: Postgres[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  });
  afterEach(async () => {
    await Promise.all(running.map(({ process }) => process.stop()));
    running = [];
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(): Promise<Postgres> {
    const postgres = await startPostgres(folder);
    running.push(postgres);
    return postgres;
  }

  async function query({ superuser }: Postgres, sql: string): Promise<unknown[]> {
    const client = new pg.Client(superuser);
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  test('starts as any user and keeps what it was told', async () => {
    const first = await start();
    await query(first, 'CREATE TABLE kept AS SELECT 1 AS n');
    await first.process.stop();
    expect(await query(await start(), 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
  });

  test('works in a folder that only its owner may enter', async () => {
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(await query(await start(), 'SELECT version() LIKE $$PostgreSQL 17.%$$ AS right')).toEqual([
      { right: true },
    ]);
  });

  test('goes on after its processes were killed', async () => {
    const first = await start();
    await query(first, 'CREATE TABLE kept AS SELECT 1 AS n');
    // A checkpoint, so that only the crash itself is recovered from, not the last moments.
    await query(first, 'CHECKPOINT');
    for (const pid of processesMentioning(join(folder, 'cluster'))) process.kill(pid, 'SIGKILL');
    await first.process.ended;
    expect(await query(await start(), 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
  });

  test('ends while a client is logged in', async () => {
    const postgres = await start();
    const client = new pg.Client(postgres.superuser);
    client.on('error', () => undefined);
    await client.connect();
    await postgres.process.stop();
    expect(await postgres.process.ended).toMatch(/^it ended with code 0\b/);
    await untilNoneMentions(join(folder, 'cluster'), END_TIMEOUT_MS);
    await client.end();
  });

  test('refuses a login without the password', async () => {
    const { superuser } = await start();
    const client = new pg.Client({ ...superuser, password: 'wrong' });
    await expect(client.connect()).rejects.toMatchObject({ code: '28P01' });
    expect(statSync(join(folder, 'superuser-password')).mode & 0o077).toBe(0);
  });

  test('makes its cluster anew if the making was cut short', async () => {
    mkdirSync(join(folder, 'cluster.new'));
    writeFileSync(join(folder, 'cluster.new', 'PG_VERSION'), '17');
    expect(await query(await start(), 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  });

  test('refuses the data of another major version', async () => {
    mkdirSync(join(folder, 'cluster'));
    writeFileSync(join(folder, 'cluster', 'PG_VERSION'), '16\n');
    await expect(startPostgres(folder)).rejects.toThrow(/data of PostgreSQL 16, not 17: start with --fresh/);
    expect(readFileSync(join(folder, 'cluster', 'PG_VERSION'), 'utf8')).toBe('16\n');
  });
}
