import { openChainIndex } from '../../lambdas/indexer/chain-index/chain-index.ts';
import { createRetryingClient } from '../../lambdas/indexer/fetch/retrying-client.ts';
import type { ChainDatabase } from '../../lambdas/shared/chain-database/chain-database.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { SnapshotLostError } from '../../lambdas/snapshots/hold-snapshot.ts';
import { ageOfBalances } from '../../lambdas/snapshots/snapshot.ts';
import { takeSnapshot } from '../../lambdas/snapshots/take-snapshot.ts';
import { address, CHAIN, FINALIZED, HEAD, type SeededChain, startSeededChain } from '../data/seeded-chain.ts';
import { disturbed } from '../database/disturbed.ts';
import { createFakeNode, type ReceivedCall, type Said } from '../indexer/fetch/fake-node.ts';

const TOKEN = address('70');
/** Received in a block that stays, in one below the snapshot that vanishes, and in one of the next branch. */
const [STAYED, GONE, NEW] = [address('a1'), address('a2'), address('a3')];
/** Where the second of two shorter chains ends: below the snapshot, and final before the first. */
const ANCESTOR = FINALIZED - 44;
const REGROWN = 700;
const SERVED = [`/addresses/${GONE}/balances`, `/tokens/${TOKEN}/holders`];
/** A transaction of a run that holds its snapshot. */
const HELD_AT = 5;
const MAX_STEPS = 60;
const WORD_DIGITS = 64;
const uint = (value: number): Said => ({ result: `0x${value.toString(16).padStart(WORD_DIGITS, '0')}` });

let chain: SeededChain;
/** What the node says of supplies. */
let supply: number;

beforeAll(async () => {
  chain = await startSeededChain();
  await chain.insert(`INSERT INTO {schema}.cursors (name, block_number, block_hash, block_time)
    SELECT 'node', block_number, block_hash, block_time FROM {schema}.cursors`);
});

afterAll(() => chain?.close());

beforeEach(begin);

/** The chain as it was before any snapshot. */
async function begin(): Promise<void> {
  const written = [
    'balances',
    'balance_history',
    'balance_changes',
    'balance_token_changes',
    'balance_snapshots',
  ];
  for (const table of [...written, 'erc20_transfers', 'tokens'])
    await chain.insert(`DELETE FROM {schema}.${table}`);
  await chain.insert(`DELETE FROM {schema}.coverage WHERE dataset = 'balances'`);
  await chain.insert(`DELETE FROM {schema}.blocks WHERE number > ${ANCESTOR}`);
  await grow(HEAD);
  supply = 2;
  await receive(STAYED, ANCESTOR - 5);
  await receive(GONE, ANCESTOR + 5);
}

const bytes = (of: string) => `'\\x${of.slice(2)}'::bytea`;

async function receive(holder: string, block: number): Promise<void> {
  await chain.insert(`INSERT INTO {schema}.erc20_transfers
      (block_number, log_index, tx_index, tx_hash, block_time, token, from_address, to_address, amount, kind)
    VALUES (${block}, 0, 0, '\\x00', now(), ${bytes(TOKEN)}, ${bytes(address('99'))}, ${bytes(holder)}, 1, 'transfer')`);
  await chain.insert(
    `UPDATE {schema}.tokens SET first_seen_block = ${ANCESTOR - 5}, updated_block = ${block}`,
  );
}

/** Each holder has 1; the sender, whose balance the transfers make negative, nothing. */
function respond({ params: [call] }: ReceivedCall): Said {
  const { data } = call as { data: string };
  if (!data.startsWith('0x70a08231')) return uint(supply);
  return uint(data.endsWith('99') ? 0 : 1);
}

function take(over: ChainDatabase = chain.database.writer) {
  const clock = { now: () => 0 };
  const node = createRetryingClient(createFakeNode(respond), clock, async () => undefined);
  return takeSnapshot({ connection: connectionTo(over, CHAIN), node, clock }, 1_000);
}

/** The chain becomes shorter: what the indexer does then. */
async function shorten(head: number): Promise<void> {
  const index = openChainIndex(connectionTo(chain.database.writer, CHAIN));
  const seen = await index.cursor();
  if (seen === undefined) throw new Error('nothing is indexed');
  const hash = `0x${head.toString(16).padStart(WORD_DIGITS, '0')}` as const;
  await index.rollBack(seen, { number: head, hash, parentHash: hash, timestamp: 0 });
  await chain.insert(`UPDATE {schema}.cursors SET block_number = ${head} WHERE name = 'node'`);
}

async function shortenTwice(): Promise<void> {
  await shorten(HEAD - 200);
  await shorten(ANCESTOR);
}

/** Other blocks come above the newest. */
async function grow(head: number): Promise<void> {
  await chain.insert(`INSERT INTO {schema}.blocks SELECT (jsonb_populate_record(block, jsonb_build_object('number', n,
      'hash', '\\x' || lpad(to_hex(n), ${WORD_DIGITS}, 'f')))).* FROM {schema}.blocks AS block,
      generate_series((SELECT max(number) + 1 FROM {schema}.blocks), ${head}) AS n WHERE number = 0`);
  await chain.insert(`UPDATE {schema}.cursors SET block_number = ${head}`);
  await chain.insert(`UPDATE {schema}.coverage SET covered = int8multirange(int8range(0, ${head + 1}))
    WHERE dataset <> 'balances'`);
}

/** The snapshot of the next branch, and all that is served of it. */
async function takeNext(): Promise<void> {
  await grow(REGROWN);
  await receive(NEW, ANCESTOR + 9);
  expect((await take()).kind).toBe('completed');
}

async function served() {
  const held = await Promise.all(SERVED.map((path) => chain.get(path)));
  return held.map(({ statusCode, headers, json }) => ({
    statusCode,
    block: headers?.['X-Snapshot-Block'],
    code: json.error?.code,
    coverage: json.meta?.coverage,
    of: json.data?.map(({ holder, token }) => String(holder ?? token).slice(-2)),
  }));
}

const NOTHING = {
  statusCode: 422,
  block: undefined,
  code: 'dataset_not_installed',
  coverage: undefined,
  of: undefined,
};
const ofNext = (of: readonly string[]) => ({
  statusCode: 200,
  block: String(REGROWN - 256),
  code: undefined,
  coverage: 'full',
  of,
});
const NEXT = [ofNext([]), ofNext(['a1', 'a3'])];

test('a chain that ends below the snapshot takes it back at once, and the next one is folded anew', async () => {
  expect((await take()).kind).toBe('completed');
  const before = { ...ofNext([]), block: String(FINALIZED) };
  expect(await served()).toEqual([
    { ...before, of: ['70'] },
    { ...before, of: ['a1', 'a2'] },
  ]);
  await shorten(HEAD - 200);
  expect(await served()).toMatchObject([{ block: String(FINALIZED) }, { block: String(FINALIZED) }]);
  await shorten(ANCESTOR);
  expect(await served()).toEqual([NOTHING, NOTHING]);
  expect((await chain.get(`/tokens/${TOKEN}`)).json.data).toMatchObject({ holder_count: null });
  expect((await ageOfBalances(connectionTo(chain.database.writer, CHAIN))).inForce).toBe(false);
  supply = 3;
  await takeNext();
  expect(await served()).toEqual(NEXT);
  expect((await chain.get(`/tokens/${TOKEN}`)).json.data).toMatchObject({
    holder_count: 2,
    total_supply: '3',
  });
  const { json } = await chain.get(`/addresses/${STAYED}/balances/history?token=${TOKEN}`);
  expect(json.data).toMatchObject([{ block_number: REGROWN - 256, balance: '1' }]);
});

test('one that ends above it, and has fewer final blocks for hours, keeps it', async () => {
  await take();
  await shorten(HEAD - 200);
  await chain.insert(`UPDATE {schema}.balance_snapshots SET started_at = now() - interval '7 hours'`);
  expect((await take()).kind).toBe('idle');
  expect(await served()).toMatchObject([{ block: String(FINALIZED) }, { block: String(FINALIZED) }]);
});

test('of one under way only that is lost, and the next goes on from the one in force', async () => {
  await shorten(ANCESTOR);
  await take();
  await grow(HEAD);
  await receive(GONE, ANCESTOR + 5);
  const { over } = whenAt(HELD_AT, shortenTwice, 'transaction');
  await expect(take(over)).rejects.toBeInstanceOf(SnapshotLostError);
  expect(await served()).toMatchObject([
    { block: String(ANCESTOR - 256) },
    { block: String(ANCESTOR - 256) },
  ]);
  await takeNext();
  expect(await served()).toEqual(NEXT);
  const { rows } = await chain.database.reader.query(
    `SELECT snapshot_id AS id FROM "${CHAIN}".balance_snapshots WHERE completed_at IS NOT NULL ORDER BY 1`,
  );
  expect(rows).toEqual([{ id: 1 }, { id: 3 }]);
});

describe('a run beside the reorganisation', () => {
  /** The next snapshot is due, and what it will find is another than what the last one found. */
  async function beginNext(): Promise<void> {
    await begin();
    await take();
    await grow(HEAD + 8);
    await chain.insert(`UPDATE {schema}.balance_snapshots SET started_at = now() - interval '7 hours'`);
  }

  test.each([
    ['the first snapshot', begin],
    ['the next', beginNext],
  ])('that stands still anywhere on %s completes nothing', async (_, prepare) => {
    for (let step = 2; step < MAX_STEPS; step += 1) {
      await prepare();
      const { moment, over } = whenAt(step, shortenTwice, 'transaction');
      const ended = await take(over).catch((error: unknown) => error);
      if (moment() === undefined) return expect(step).toBeGreaterThan(5);
      if (ended instanceof Error) expect(ended).toBeInstanceOf(SnapshotLostError);
      expect(await served()).toEqual([NOTHING, NOTHING]);
      await takeNext();
      expect(await served()).toEqual(NEXT);
    }
    throw new Error('no run ended');
  });

  test('that is at any statement is waited for, or loses the snapshot', async () => {
    for (let step = 2; step < MAX_STEPS; step += 1) {
      await beginNext();
      const { moment, over } = whenAt(step, shortenTwice, 'statement');
      const ended = await take(over).catch((error: unknown) => error);
      if (moment() === undefined) return expect(step).toBeGreaterThan(20);
      await moment();
      if (ended instanceof Error) expect(ended).toBeInstanceOf(SnapshotLostError);
      expect(await served()).toEqual([NOTHING, NOTHING]);
      await takeNext();
      expect(await served()).toEqual(NEXT);
    }
    throw new Error('no run ended');
  });
});

/**
 * A database at whose n-th transaction, or statement outside of one, something else is done first; or at whose n-th
 * statement it begins.
 */
function whenAt(step: number, other: () => Promise<void>, unit: 'transaction' | 'statement') {
  let done: Promise<void> | undefined;
  const begin = async (nth: number) => {
    if (nth !== step) return;
    done = other();
    if (unit === 'transaction') await done;
  };
  return { over: disturbed(chain.database.writer, begin, unit), moment: () => done };
}
