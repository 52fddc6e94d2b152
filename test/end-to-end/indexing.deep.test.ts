/** That an index of the demo chain comes to the same rows by its node and by files. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { dumpIndex } from '../indexer/follow/dump-index.ts';
import { untilNoneMentions } from '../local/processes.ts';
import { untilTrue } from '../support/until-true.ts';
import { type RunningGateway, startGateway, stopGateways } from './running-gateway.ts';

const CHAIN = 'example_mainnet';
/** The index begins anew above this block, as that of a chain with a long past does. */
const BASE = 899;
const WAIT_MS = 120_000;
const END_TIMEOUT_MS = 120_000;
const POLL_MS = 100;
const MAX_DIFFERENCES = 5;
const DEADLOCK = '40P01';
const MAX_DEADLOCKS = 20;
/** What may differ: state that a node no longer has cannot be traced, and tokens are asked another time. */
const OTHER_WHEN_REPEATED: ReadonlySet<string> = new Set(['_trace_gaps', 'data_pieces', 'tokens', 'traces']);

const folder = mkdtempSync(join(tmpdir(), 'indexing-'));
const dataDir = join(folder, 'data');
let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await startGateway({ demoChain: true, dataDir, prepared: 'demo' });
});

afterAll(async () => {
  await stopGateways();
  await untilNoneMentions(folder, END_TIMEOUT_MS);
  rmSync(folder, { recursive: true, force: true });
});

function login() {
  const { hostname, port, username, password, pathname } = new URL(gateway.endpoints.database ?? '');
  return {
    host: hostname,
    port: Number(port),
    user: username,
    password: decodeURIComponent(password),
    database: pathname.slice(1),
  };
}

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(login());
  await client.connect();
  try {
    const results = await client.query(sql.replaceAll('{schema}', CHAIN));
    return Array.isArray(results) ? [] : results.rows;
  } finally {
    await client.end();
  }
}

const one = async (sql: string) => Object.values((await query(sql))[0] ?? {})[0];

function until(condition: () => Promise<boolean>): Promise<void> {
  return untilTrue(condition, {
    withinMs: WAIT_MS,
    everyMs: POLL_MS,
    failure: () => `it did not come so far in time:\n${gateway.logs()}`,
  });
}

async function ask(method: string, ...params: unknown[]): Promise<unknown> {
  const response = await fetch(gateway.endpoints.upstream, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return ((await response.json()) as { result: unknown }).result;
}

async function untilAtHead(): Promise<number> {
  const head = Number(await ask('eth_blockNumber'));
  const at = `SELECT block_number::int FROM {schema}.cursors WHERE name = 'indexed'`;
  await until(async () => (await one(at)) === head);
  return head;
}

/** The indexer that continues meanwhile takes the same locks in another order, and either may be refused. */
async function despiteDeadlocks(sql: string): Promise<void> {
  for (let deadlocks = 1; ; deadlocks += 1) {
    const error = await query(sql).then(
      () => undefined,
      (thrown: { code?: string }) => thrown,
    );
    if (!error) return;
    if (error.code !== DEADLOCK || deadlocks === MAX_DEADLOCKS) throw error;
  }
}

/** Empties the index and lets it begin again above a block. */
async function beginAgain(): Promise<void> {
  const block = (await ask('eth_getBlockByNumber', `0x${BASE.toString(16)}`, false)) as Record<
    string,
    string
  >;
  const bytes = (member: string) => `decode('${block[member]?.slice(2)}', 'hex')`;
  const time = `to_timestamp(${Number(block.timestamp)})`;
  const tables = await one(`SELECT string_agg(format('%I.%I', schemaname, tablename), ', ') FROM pg_tables
    WHERE schemaname = '${CHAIN}'`);
  await despiteDeadlocks(`BEGIN; TRUNCATE ${tables};
    INSERT INTO {schema}.cursors (name, block_number, block_hash, block_time)
      VALUES ('indexed', ${BASE}, ${bytes('hash')}, ${time});
    INSERT INTO {schema}.ring VALUES (${BASE}, ${bytes('hash')}, ${bytes('parentHash')}, ${time});
    INSERT INTO {schema}._trace_gaps (from_block, to_block, reason) VALUES (0, ${BASE}, 'not_started');
    COMMIT`);
}

async function backfill(
  ...args: readonly string[]
): Promise<{ missing_blocks: number; queued_ranges: number }> {
  const { code, stdout, stderr } = await gateway.operator(['backfill', CHAIN, ...args, '--json']);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const coverage = () =>
  query(`SELECT dataset, covered::text FROM {schema}.coverage
    WHERE dataset IN ('blocks', 'transactions', 'logs', 'erc20_transfers', 'nft_transfers', 'nft_owners', 'tokens',
      'dex_pools', 'dex_swaps', 'dex_liquidity_events', 'stock_multipliers') ORDER BY 1`);

/** What is stored of the chain: the rows of each table, without what is derived of them later. */
async function stored(): Promise<Record<string, readonly string[]>> {
  const { coverage: _, ...tables } = await dumpIndex(login(), CHAIN);
  const kept = Object.entries(tables).filter(([table]) => !OTHER_WHEN_REPEATED.has(table));
  return Object.fromEntries(kept.map(([table, rows]) => [table, rows.map(withoutDerived)]));
}

function withoutDerived(row: string): string {
  return row.replaceAll(/"(?:amount_usd|usd_method|liquidity_usd)": [^,}]*/g, '');
}

/** Some rows that only one of both has. */
function differences(
  one: Readonly<Record<string, readonly string[]>>,
  other: Readonly<Record<string, readonly string[]>>,
): string[] {
  return Object.keys({ ...one, ...other }).flatMap((table) => {
    const [before, after] = [one[table] ?? [], other[table] ?? []];
    const only = (rows: readonly string[], others: ReadonlySet<string>) =>
      rows.filter((row) => !others.has(row));
    const different = [...only(before, new Set(after)), ...only(after, new Set(before))];
    return different.slice(0, MAX_DIFFERENCES).map((row) => `${table}: ${row}`);
  });
}

/** Final blocks of the demo chain that are taken from files. */
const IN_FILES = 650;

test(
  'a gateway that is filled from the files of another has the rows that it has by its node',
  async () => {
    const head = await untilAtHead();
    await until(async () => (await backfill()).missing_blocks === 0);
    const [tables, covered] = [await stored(), await coverage()];
    const files = join(folder, 'files');
    const node = ['--node', gateway.endpoints.upstream, '--to', files];
    const exported = await gateway.operator([
      'export-range',
      CHAIN,
      '0',
      String(IN_FILES),
      ...node,
      '--json',
    ]);
    expect({ ...exported, stdout: JSON.parse(exported.stdout) }).toMatchObject({
      code: 0,
      stdout: { from_block: 0, to_block: IN_FILES, parts: 1, written: 1 },
    });

    await beginAgain();
    await untilAtHead();
    expect(await backfill('--from-files', files)).toMatchObject({ queued_ranges: 1 });
    await until(async () => (await backfill('--to', String(IN_FILES))).missing_blocks === 0);
    const again = await gateway.operator(['backfill', CHAIN, '--from-files', files]);
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('has no block that is missing') });
    await backfill('--start');
    await until(async () => JSON.stringify(await coverage()) === JSON.stringify(covered));
    // Blocks of files are as told, those of a node are verified.
    const { proof_levels: _, ...rows } = tables;
    const { proof_levels: levels, ...filled } = await stored();
    expect(differences(rows, filled)).toEqual([]);
    expect(levels).toHaveLength(1);
    expect((await stored()).blocks).toHaveLength(head + 1);
  },
  5 * WAIT_MS,
);
