/**
 * Equal work by this indexer and by Ponder, on the same chain, node and PostgreSQL: every transfer of one token, and
 * the balance of every holder. Once cold, from the node; once warm, from what each keeps of the chain in PostgreSQL:
 * Ponder in its cache, this indexer in its logs. Installs Ponder into a folder of its own first.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { decodeBlock } from '../../lambdas/chain-data/decode/decode-block.ts';
import { openTransferDerivation } from '../../lambdas/chain-data/store/transfer-derivation.ts';
import { openChainIndex } from '../../lambdas/indexer/chain-index/chain-index.ts';
import { NodeError } from '../../lambdas/indexer/fetch/node-error.ts';
import { createRetryingClient, type RetryingClient } from '../../lambdas/indexer/fetch/retrying-client.ts';
import { deriveHistory } from '../../lambdas/indexer/follow/derive-history.ts';
import { followStep } from '../../lambdas/indexer/follow/follow-step.ts';
import { createNodeReader } from '../../lambdas/indexer/follow/node-reader.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { systemClock } from '../../lambdas/shared/runtime/clock.ts';
import { sleep } from '../../lambdas/shared/runtime/sleep.ts';
import { connectNode } from '../../lambdas/shared/upstream/connection/node-connection.ts';
import { takeSnapshot } from '../../lambdas/snapshots/take-snapshot.ts';
import { startDemoNode } from '../../local/demo-chain/demo-node.ts';
import { TRANSACTION_BLOCKS } from '../../local/processes/anvil.ts';
import { callNode } from '../../local/processes/node-calls.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../test/database/migrated-database.ts';
import { runBenchmark, type Show } from '../benchmark.ts';

const CHAIN = 'bench';
const CHAIN_ID = 31_337;
const DEFAULT_BLOCKS = 3_000;
const TRANSFERS_PER_BLOCK = 20;
const FINALITY_BLOCKS = 256;
const MAX_BLOCKS = TRANSACTION_BLOCKS - FINALITY_BLOCKS;
const TARGET_RATIO = 5;
const READY_WITHIN_MS = 600_000;
const POLL_MS = 50;
const MAX_RESPONSE_BYTES = 64 * 1_048_576;
const TOKEN = '0x00000000000000000000000000000000000070c0';
const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const PACKAGE = {
  private: true,
  type: 'module',
  dependencies: { ponder: '0.16.10', viem: '2.38.0', hono: '4.6.0' },
  overrides: { ox: '0.9.6' },
};

/** What an indexer has found: to be the same of both. */
interface Found {
  readonly transfers: string;
  readonly amount: string;
  /** Accounts with a balance, and the sum of these. */
  readonly holders: string;
  readonly held: string;
  /** MD5 of each holder's address and balance. */
  readonly balances: string;
}

/** The figures of `Found` about holders, from a table of addresses and their balances. */
const HELD = `(SELECT count(*)::text FROM held) AS holders, (SELECT sum(balance)::text FROM held) AS held,
  (SELECT md5(string_agg(address || ':' || balance, ',' ORDER BY address COLLATE "C")) FROM held) AS balances`;

const PLAIN = { wrappedNative: new Set<never>() };

/** What balances are not compared with: every question is answered with an error. */
const NO_NODE: RetryingClient = {
  send: async (calls) => ({
    responses: calls.map(() => ({ error: new NodeError('refused', 'there is no node') })),
    bytes: 0,
  }),
};

/** Code that emits transfers between accounts that depend on the block: of 1 unit, to `block number + place`. */
function emitterCode(): string {
  const one = (place: number) =>
    // mstore(0, 1); log3(0, 32, topic, place + 1, number + place)
    `60016000524360${byte(place)}0160${byte(place + 1)}7f${TRANSFER_TOPIC}60206000a3`;
  return `0x${Array.from({ length: TRANSFERS_PER_BLOCK }, (_, place) => one(place)).join('')}00`;
}

const byte = (value: number) => value.toString(16).padStart(2, '0');

async function makeChain(url: string, blocks: number): Promise<void> {
  const [accounts] = (await callNode(url, [{ method: 'eth_accounts', params: [] }])) as [string[]];
  await callNode(url, [{ method: 'anvil_setCode', params: [TOKEN, emitterCode()] }]);
  const transaction = { from: accounts[0], to: TOKEN, gas: '0x7a120' };
  // One after the other: each is mined in a block of its own.
  for (let made = 0; made < blocks; made += 1)
    await callNode(url, [{ method: 'eth_sendTransaction', params: [transaction] }]);
  // Balances are of finalized blocks: all transfers are to be.
  await callNode(url, [{ method: 'anvil_mine', params: [`0x${FINALITY_BLOCKS.toString(16)}`] }]);
}

interface Run {
  readonly seconds: number;
  readonly found: Found;
}

/** Everything from the node: blocks, transactions, receipts and logs too, and the balances compared with the chain's. */
async function runCold(url: string, database: MigratedDatabase): Promise<Run> {
  const clock = systemClock;
  const node = connectNode({ url, clock, maxResponseBytes: MAX_RESPONSE_BYTES });
  const parts = {
    reader: createNodeReader(node, clock, { traces: false }),
    index: openChainIndex(connectionTo(database.writer, CHAIN)),
    decode: (block: Parameters<typeof decodeBlock>[0]) => decodeBlock(block, PLAIN),
  };
  const startedAt = performance.now();
  const deadline = clock.now() + READY_WITHIN_MS;
  while ((await followStep(parts, { deadline })).kind !== 'idle');
  await snapshotWith(createRetryingClient(node, clock, sleep), database);
  return { seconds: secondsSince(startedAt), found: await foundBy(database) };
}

/** From the stored logs alone, as Ponder from its cache: the transfers and balances, without a node to compare these with. */
async function runWarm(database: MigratedDatabase): Promise<Run> {
  const tables = ['erc20_transfers', 'tokens', 'balances', 'balance_history', 'balance_snapshots'];
  await database.admin.query(
    `TRUNCATE ${tables.map((table) => `"${CHAIN}".${table}`).join(', ')}, "${CHAIN}".balance_changes,
       "${CHAIN}".balance_token_changes`,
  );
  await database.admin.query(
    `DELETE FROM "${CHAIN}".coverage WHERE dataset IN ('erc20_transfers', 'balances')`,
  );
  const startedAt = performance.now();
  const transfers = openTransferDerivation(connectionTo(database.writer, CHAIN), PLAIN);
  await transfers.enforce();
  await deriveHistory(transfers, () => false);
  await snapshotWith(NO_NODE, database);
  return { seconds: secondsSince(startedAt), found: await foundBy(database) };
}

async function snapshotWith(node: RetryingClient, database: MigratedDatabase): Promise<void> {
  const parts = { connection: connectionTo(database.writer, CHAIN), node, clock: systemClock };
  const { kind } = await takeSnapshot(parts, systemClock.now() + READY_WITHIN_MS);
  if (kind !== 'completed') throw new Error(`the snapshot is ${kind}`);
}

async function foundBy(database: MigratedDatabase): Promise<Found> {
  const { rows } = await database.admin.query(
    `WITH held AS (
       SELECT '0x' || encode(holder, 'hex') AS address, amount AS balance FROM "${CHAIN}".balances)
     SELECT count(*)::text AS transfers, sum(amount)::text AS amount, ${HELD} FROM "${CHAIN}".erc20_transfers`,
  );
  return rows[0] as unknown as Found;
}

const secondsSince = (startedAt: number) => (performance.now() - startedAt) / 1_000;

function writePonder(folder: string, last: number): void {
  mkdirSync(join(folder, 'src', 'api'), { recursive: true });
  const files = {
    'package.json': JSON.stringify(PACKAGE),
    'ponder.config.ts': `import { createConfig } from 'ponder';
const transfer = { type: 'event', name: 'Transfer', inputs: [{ name: 'from', type: 'address', indexed: true },
  { name: 'to', type: 'address', indexed: true }, { name: 'amount', type: 'uint256', indexed: false }] } as const;
export default createConfig({
  database: { kind: 'postgres', connectionString: process.env.DATABASE_URL },
  chains: { bench: { id: ${CHAIN_ID}, rpc: process.env.NODE_URL, ethGetLogsBlockRange: 500 } },
  contracts: { Token: { chain: 'bench', abi: [transfer], address: '${TOKEN}', startBlock: 0, endBlock: ${last} } },
});`,
    'ponder.schema.ts': `import { onchainTable } from 'ponder';
export const transfer = onchainTable('transfer', (t) => ({ id: t.text().primaryKey(), from: t.hex().notNull(),
  to: t.hex().notNull(), amount: t.bigint().notNull(), block: t.bigint().notNull() }));
export const account = onchainTable('account', (t) => ({ address: t.hex().primaryKey(), balance: t.bigint().notNull() }));`,
    'src/index.ts': `import { ponder } from 'ponder:registry';
import { account, transfer } from 'ponder:schema';
ponder.on('Token:Transfer', async ({ event, context }) => {
  const { from, to, amount } = event.args;
  await context.db.insert(transfer).values({ id: event.id, from, to, amount, block: event.block.number });
  await context.db.insert(account).values({ address: from, balance: -amount })
    .onConflictDoUpdate((row) => ({ balance: row.balance - amount }));
  await context.db.insert(account).values({ address: to, balance: amount })
    .onConflictDoUpdate((row) => ({ balance: row.balance + amount }));
});`,
    'src/api/index.ts': `import { Hono } from 'hono';
export default new Hono();`,
    'tsconfig.json': JSON.stringify({
      compilerOptions: { module: 'ESNext', moduleResolution: 'bundler', target: 'ES2022', strict: true },
    }),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
}

async function runPonder(folder: string, url: string, databaseUrl: string, schema: string): Promise<number> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(
    join(folder, 'node_modules', '.bin', 'ponder'),
    ['start', '--schema', schema, '--port', String(port), '--hostname', '127.0.0.1'],
    {
      cwd: folder,
      env: { ...process.env, DATABASE_URL: databaseUrl, NODE_URL: url, PONDER_TELEMETRY_DISABLED: '1' },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  try {
    for (;;) {
      const isReady = await fetch(`http://127.0.0.1:${port}/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isReady) return (performance.now() - startedAt) / 1_000;
      if (child.exitCode !== null) throw new Error(`ponder ended with ${child.exitCode}`);
      if (performance.now() - startedAt > READY_WITHIN_MS) throw new Error('ponder did not become ready');
      await sleep(POLL_MS);
    }
  } finally {
    child.kill('SIGKILL');
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

function install(folder: string): Promise<void> {
  const npm = spawn('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: 'inherit',
  });
  return new Promise((resolve, reject) => {
    npm.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`npm install ended with ${code}`)),
    );
  });
}

async function compare(blocks: number, show: Show): Promise<void> {
  if (blocks > MAX_BLOCKS)
    throw new Error(`at most ${MAX_BLOCKS} blocks: the node forgets older transactions`);
  const folder = mkdtempSync(join(tmpdir(), 'bench-ponder-'));
  writePonder(folder, blocks);
  await install(folder);
  const database = await startMigratedDatabase([CHAIN]);
  const node = await startDemoNode({
    chainId: CHAIN_ID,
    folder: join(folder, 'node'),
    genesisTime: 1_700_000_000,
  });
  try {
    await makeChain(node.url, blocks);
    const { user, password, host, port } = database.postgres.superuser;
    const databaseUrl = `postgresql://${user}:${encodeURIComponent(password)}@${host}:${port}/ponder`;
    const owner = new pg.Client(database.postgres.superuser);
    await owner.connect();
    await owner.query('CREATE DATABASE ponder');
    await owner.end();
    const theirCold = await runPonder(folder, node.url, databaseUrl, 'cold');
    const theirWarm = await runPonder(folder, node.url, databaseUrl, 'warm');
    const cold = await runCold(node.url, database);
    const warm = await runWarm(database);
    const theirs = new pg.Client({ connectionString: databaseUrl });
    await theirs.connect();
    const { rows } = await theirs.query<Found>(
      `WITH held AS (SELECT address, balance FROM warm.account WHERE balance > 0)
       SELECT count(*)::text AS transfers, sum(amount)::text AS amount, ${HELD} FROM warm.transfer`,
    );
    await theirs.end();
    const transfers = blocks * TRANSFERS_PER_BLOCK;
    const compared = (name: string, own: number, ponder: number) => ({
      ...{ name, unit: 'transfers/s', value: transfers / own },
      baseline: { name: 'Ponder', value: transfers / ponder },
    });
    const differing = [cold, warm].filter(({ found }) => !isDeepStrictEqual({ ...rows[0] }, { ...found }));
    show(`${blocks} blocks, ${transfers} transfers`, [
      compared('cold, from the node', cold.seconds, theirCold),
      { ...compared('warm, from what each keeps', warm.seconds, theirWarm), leastRatio: TARGET_RATIO },
      compared('cold beside Ponder warm', cold.seconds, theirWarm),
      { name: 'results that differ from those of Ponder', value: differing.length, unit: '', most: 0 },
    ]);
    if (differing.length > 0) console.log('Ponder found', rows[0], 'this indexer', cold.found, warm.found);
  } finally {
    await node.stop();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

await runBenchmark({ blocks: DEFAULT_BLOCKS }, (show, { blocks }) => compare(blocks, show));
process.exit();
