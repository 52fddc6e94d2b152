/** That an index of the demo chain comes to the same rows on every way: by its node and by files, killed and started again. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { toEventSelector } from 'viem';
import { PLANNED_TABLES } from '../../bin/operator/fill/row-sizes.ts';
import type { StageConfigInput } from '../../lib/config/stage-config.ts';
import { dumpIndex } from '../indexer/follow/dump-index.ts';
import { untilNoneMentions } from '../local/processes.ts';
import { untilTrue } from '../support/until-true.ts';
import { type RunningGateway, startGateway, stopGateways } from './running-gateway.ts';

const CHAIN = 'example_mainnet';
const STAGE_FILE = join(import.meta.dirname, '..', '..', 'config', 'local.json');
const STAGE = JSON.parse(readFileSync(STAGE_FILE, 'utf8')) as StageConfigInput;
const WRAPPED = String(STAGE.chains[0]?.quotes?.wrappedNative);
/** The stage, without the name of the wrapped native token. */
const NAMELESS: StageConfigInput = {
  ...STAGE,
  chains: STAGE.chains.map((chain) => ({ ...chain, quotes: { stables: chain.quotes?.stables ?? [] } })),
};
/** Events `Deposit` and `Withdrawal` of the wrapped native token. */
const WRAP_TOPICS = ['Deposit(address,uint256)', 'Withdrawal(address,uint256)'].map((event) =>
  toEventSelector(event),
);
/** The index begins anew above this block, as that of a chain with a long past does. */
const BASE = 899;
const MIDDLE = 600;
const WAIT_MS = 120_000;
const END_TIMEOUT_MS = 120_000;
const POLL_MS = 100;
const MAX_DIFFERENCES = 5;
/** How far a sample of a fifth of the blocks may be off. */
const MAX_PLAN_ERROR = 0.25;
const DEADLOCK = '40P01';
const MAX_DEADLOCKS = 20;
/** What may differ: state that a node no longer has cannot be traced, and tokens are asked another time. */
const OTHER_WHEN_REPEATED: ReadonlySet<string> = new Set(['_trace_gaps', 'data_pieces', 'tokens', 'traces']);

const folder = mkdtempSync(join(tmpdir(), 'indexing-'));
const dataDir = join(folder, 'data');
let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await startGateway({ config: NAMELESS, dataDir, prepared: 'demo' });
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

/** What a plan says before the blocks are queued, sampled from the chain's own node. */
async function planned(): Promise<{ readonly rows: number; readonly missing_blocks: number }> {
  const node = ['--node', gateway.endpoints.upstream];
  const { code, stdout, stderr } = await gateway.operator(['backfill', CHAIN, '--plan', ...node, '--json']);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** Rows of the blocks that were missing, in the tables that a plan counts. */
async function plannedRowsStored(): Promise<number> {
  const counts = PLANNED_TABLES.map(
    (table) =>
      `(SELECT count(*) FROM {schema}.${table} WHERE ${table === 'blocks' ? 'number' : 'block_number'} <= ${BASE})`,
  );
  return Number(await one(`SELECT (${counts.join(' + ')})::int`));
}

async function kill(): Promise<void> {
  const ended = new Promise((resolve) => gateway.process.once('close', resolve));
  gateway.process.kill('SIGKILL');
  await ended;
  await untilNoneMentions(folder, END_TIMEOUT_MS);
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

/** How many transfers are told as wraps and unwraps, once all of them are derived. */
async function toldWraps(): Promise<number | undefined> {
  const path = `/v1/data/${CHAIN}/tokens/${WRAPPED}/transfers?from_block=0&to_block=${MIDDLE}&limit=500`;
  const headers = { 'x-api-key': gateway.apiKey };
  const response = await fetch(`${gateway.baseUrl}${path}`, { headers });
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  const { data, meta } = (await response.json()) as {
    data: { kind: string }[];
    meta: { coverage: string };
  };
  return meta.coverage === 'full' ? data.filter(({ kind }) => /wrap/.test(kind)).length : undefined;
}

test(
  'the wrapped native token that the stage file does not name, or names again, is what transfers are told of',
  async () => {
    const filter = { address: WRAPPED, topics: [WRAP_TOPICS], toBlock: `0x${MIDDLE.toString(16)}` };
    const wraps = (await ask('eth_getLogs', { ...filter, fromBlock: '0x0' })) as readonly object[];
    expect(wraps.length).toBeGreaterThan(0);
    const told = async (expected: number) => {
      const now = await toldWraps();
      if (now !== undefined) expect([0, wraps.length]).toContain(now);
      return now === expected;
    };
    await until(() => told(0));
    await gateway.stop();
    gateway = await startGateway({ demoChain: true, dataDir });
    await until(() => told(wraps.length));
  },
  2 * WAIT_MS,
);

test(
  'a backfill that is killed on its way ends with everything that an index from the beginning has',
  async () => {
    const head = await untilAtHead();
    const [tables, covered] = [await stored(), await coverage()];
    expect(tables.blocks).toHaveLength(head + 1);
    expect(tables.dex_swaps?.length).toBeGreaterThan(0);

    await beginAgain();
    await untilAtHead();
    expect(await backfill()).toMatchObject({ missing_blocks: BASE + 1, queued_ranges: 0 });
    const { rows, ...plan } = await planned();
    expect(plan).toMatchObject({ missing_blocks: BASE + 1, fits_one_cluster: true });
    expect((await backfill('--from', String(MIDDLE), '--start')).queued_ranges).toBe(1);
    await until(async () => (await backfill('--from', String(MIDDLE))).missing_blocks === 0);
    expect((await backfill()).missing_blocks).toBe(MIDDLE);

    await backfill('--from', '0', '--to', '9', '--start');
    const started = backfill('--start').catch(() => undefined);
    await until(
      async () => Number(await one('SELECT count(*)::int FROM {schema}.blocks WHERE number < 600')) > 0,
    );
    await kill();
    await started;
    gateway = await startGateway({ demoChain: true, dataDir });

    await backfill('--start');
    await until(async () => JSON.stringify(await coverage()) === JSON.stringify(covered));
    expect((await backfill()).missing_blocks).toBe(0);
    expect(Math.abs(rows / (await plannedRowsStored()) - 1)).toBeLessThan(MAX_PLAN_ERROR);
    expect(differences(tables, await stored())).toEqual([]);
    const untold = await one(`SELECT count(*)::int FROM generate_series(0, ${head}) AS number
    WHERE EXISTS (SELECT FROM {schema}._trace_gaps WHERE number BETWEEN from_block AND to_block)
        = EXISTS (SELECT FROM {schema}.coverage WHERE dataset = 'traces' AND covered @> number::bigint)`);
    expect(untold).toBe(0);
  },
  5 * WAIT_MS,
);

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

test(
  'a file that was changed is refused by its name before anything is queued',
  async () => {
    const files = join(folder, 'files');
    const [logs] = readdirSync(join(files, 'logs'));
    const file = join(files, 'logs', logs ?? '');
    writeFileSync(file, readFileSync(file).subarray(1));
    await beginAgain();
    await untilAtHead();
    const refused = await gateway.operator(['backfill', CHAIN, '--from-files', files]);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`file logs/${logs} is refused`),
    });
    expect((await backfill()).missing_blocks).toBe(BASE + 1);
    await backfill('--start');
    await until(async () => (await backfill()).missing_blocks === 0);
  },
  5 * WAIT_MS,
);

interface PublicStatus {
  readonly gateway: { readonly status: string };
  readonly chains: readonly { readonly chain: string; readonly head: { readonly block: number } }[];
}

/** What an answer of the Data API says of the chain, and of what was asked for. */
interface ToldRow {
  readonly data?: { readonly hash?: string };
  readonly meta?: { readonly as_of_block: number };
}

const publicStatus = async () => (await (await fetch(`${gateway.baseUrl}/v1/status`)).json()) as PublicStatus;

async function read(path: string): Promise<{ readonly status: number; readonly body: ToldRow }> {
  const headers = { 'x-api-key': gateway.apiKey };
  const response = await fetch(`${gateway.baseUrl}/v1/data/${CHAIN}/${path}`, { headers });
  return { status: response.status, body: (await response.json()) as ToldRow };
}

test(
  'a chain that becomes shorter is followed back, and one that loses final blocks halts with a degraded status',
  async () => {
    const head = await untilAtHead();
    await until(async () => (await publicStatus()).chains[0]?.head.block === head);
    expect((await publicStatus()).gateway.status).toBe('ok');
    const newest = await read(`blocks/${head}?finality=latest`);
    expect(newest).toMatchObject({ status: 200, body: { meta: { as_of_block: head } } });
    const transaction = await one(
      "SELECT encode(hash, 'hex') FROM {schema}.transactions ORDER BY block_number DESC LIMIT 1",
    );
    const transactionPath = `transactions/0x${transaction}?finality=latest`;
    expect((await read(transactionPath)).status).toBe(200);

    await ask('anvil_rollback', 40);
    const shorter = Number(await ask('eth_blockNumber'));
    expect(shorter).toBe(head - 40);
    await until(async () => (await publicStatus()).chains[0]?.head.block === shorter);
    expect((await publicStatus()).gateway.status).toBe('ok');
    expect(await read(`blocks/${shorter}?finality=latest`)).toMatchObject({
      status: 200,
      body: { meta: { as_of_block: shorter } },
    });
    expect((await read(`blocks/${head}?finality=latest`)).status).not.toBe(200);
    expect((await read(transactionPath)).status).toBe(404);
    expect(await one(`SELECT max(number)::int FROM {schema}.blocks`)).toBe(shorter);

    await ask('anvil_rollback', 300);
    await until(async () => (await publicStatus()).gateway.status === 'degraded');
    expect((await publicStatus()).chains).toMatchObject([{ chain: CHAIN, head: { block: shorter } }]);
    expect(String(await one(`SELECT halted FROM {schema}.cursors WHERE name = 'indexed'`))).toContain(
      'lacks block',
    );
  },
  3 * WAIT_MS,
);
