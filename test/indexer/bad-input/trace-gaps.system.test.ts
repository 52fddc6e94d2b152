import { StrangeBlocksError } from '../../../lambdas/chain-data/store/neighbours.ts';
import { openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import { createNodeReader } from '../../../lambdas/indexer/follow/node-reader.ts';
import { createGapRetrier } from '../../../lambdas/indexer/follow/retry-gaps.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { systemClock } from '../../../lambdas/shared/runtime/clock.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { createFakeNode, type ReceivedCall, type Said } from '../fetch/fake-node.ts';
import { answersOf, makeBlock, makeChain } from '../fetch/node-chain.ts';
import { dumpIndex } from '../follow/dump-index.ts';
import { followAll, followerOf } from './indexed-chain.ts';
import { onBranch } from './json-chain.ts';
import { contradictionsOf } from './sound-index.ts';

const HEAD = 11;
/** Blocks up to the head. */
const LATE = [5, 6, 7, 8, 9, 10, 11];
const DAY_MS = 24 * 3_600_000;
const TRACES = 'debug_traceBlockByNumber';

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

/** A chain that is indexed, where the node could not trace some blocks. */
async function withGaps(bad: readonly number[], error = 'execution failed') {
  const chain = makeChain(HEAD + 1);
  let fails = (call: ReceivedCall): Said | undefined =>
    call.method === TRACES && bad.includes(Number(call.params[0]))
      ? { error: { code: -32000, message: error } }
      : undefined;
  const usual = answersOf(chain);
  const node = createFakeNode(
    (call) => fails(call) ?? (call.params[0] === 'latest' ? { result: chain.at(-1)?.block } : usual(call)),
  );
  const parts = await followerOf(node, database);
  await followAll(parts);
  let now = Date.now();
  const clock = { now: () => now };
  return {
    ...parts,
    chain,
    node,
    retry: createGapRetrier({ ...parts, clock }),
    heal: () => {
      fails = () => undefined;
    },
    /** Lets a retrier look again, and, if so much time has passed, gaps be due. */
    pass: async (durationMs: number) => {
      now += durationMs;
      await database.writer.query(
        `UPDATE ${parts.schema}._trace_gaps SET recorded_at = recorded_at - make_interval(secs => :seconds)`,
        { seconds: durationMs / 1_000 },
      );
    },
    gaps: async () =>
      (
        await database.reader.query(
          `SELECT from_block || '-' || to_block || ' ' || reason || ' ' || attempts AS gap
           FROM ${parts.schema}._trace_gaps ORDER BY from_block`,
        )
      ).rows.map(({ gap }) => gap),
    asked: () => node.requests.flat().filter(({ method }) => method === TRACES).length,
    contradictions: () => contradictionsOf(database.postgres.superuser, parts.schema),
  };
}

const soon = () => ({ deadline: Date.now() + 10 * DAY_MS });

test('a gap that passes is closed, and the index is as if it had never been', async () => {
  const parts = await withGaps([3, 4, 9]);
  expect(await parts.gaps()).toEqual(['3-4 rpc_error 1', '9-9 rpc_error 1']);
  parts.heal();
  expect(await parts.retry(soon())).toBe(0);
  await parts.pass(DAY_MS);
  expect(await parts.retry(soon())).toBe(2);
  expect(await parts.gaps()).toEqual(['9-9 rpc_error 1']);
  expect(await parts.contradictions()).toEqual([]);
  await parts.pass(DAY_MS);
  expect(await parts.retry(soon())).toBe(1);
  const whole = await withGaps([]);
  expect(await dumpIndex(database.postgres.superuser, parts.schema)).toEqual(
    await dumpIndex(database.postgres.superuser, whole.schema),
  );
});

test('one that does not is asked for a few times, after longer and longer waits, and stays', async () => {
  const parts = await withGaps([5]);
  const asked = parts.asked();
  const waits = [60, 480, 3_840, 30_720];
  for (const [index, seconds] of waits.entries()) {
    await parts.pass(seconds * 1_000 - 30_000);
    expect(await parts.retry(soon())).toBe(0);
    await parts.pass(60_000);
    expect(await parts.retry(soon())).toBe(1);
    expect(await parts.gaps()).toEqual([`5-5 rpc_error ${index + 2}`]);
  }
  await parts.pass(100 * DAY_MS);
  expect(await parts.retry(soon())).toBe(0);
  expect(parts.asked() - asked).toBe(waits.length);
  expect(await parts.contradictions()).toEqual([]);
});

test('a long gap is traced a few blocks at a time', async () => {
  const parts = await withGaps([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  parts.heal();
  const tried: number[] = [];
  for (let run = 0; run < 4; run += 1) {
    await parts.pass(DAY_MS);
    tried.push(await parts.retry(soon()));
    expect(await parts.contradictions()).toEqual([]);
  }
  expect(tried).toEqual([4, 4, 1, 0]);
  expect(await parts.gaps()).toEqual([]);
});

test.each([
  ['missing trie node', 'node_pruned'],
  ['the method debug_traceBlockByNumber does not exist', 'unsupported'],
])('%s is not asked for again by the same node', async (message, reason) => {
  const parts = await withGaps(LATE, message);
  expect(String((await parts.gaps())[0])).toMatch(new RegExp(`^5-\\d+ ${reason} 1$`));
  await parts.pass(100 * DAY_MS);
  expect(await parts.retry(soon())).toBe(0);
});

test('blocks of a node without traces are traced by one that is known to have them, after all others', async () => {
  const message = 'the method debug_traceBlockByNumber does not exist';
  const parts = await withGaps(LATE, message);
  await database.writer.query(
    `UPDATE ${parts.schema}._trace_gaps SET from_block = 6 WHERE reason = 'unsupported'`,
  );
  await database.writer.query(
    `INSERT INTO ${parts.schema}._trace_gaps (from_block, to_block, reason) VALUES (5, 5, 'timeout')`,
  );
  parts.heal();
  let canTrace: boolean | undefined = false;
  // Another upstream, whose reader has none of what was learnt of the first.
  const reader = { ...createNodeReader(parts.node, systemClock, { traces: true }), canTrace: () => canTrace };
  const retry = () => createGapRetrier({ ...parts, reader, clock: systemClock })(soon());
  await parts.pass(DAY_MS);
  expect(await retry()).toBe(0);
  canTrace = undefined;
  expect(await retry()).toBe(1);
  const left = await parts.gaps();
  expect(left).toHaveLength(1);
  expect(String(left[0])).toMatch(/^6-\d+ unsupported 1$/);
  canTrace = true;
  expect(await retry()).toBe(4);
  expect(await retry()).toBe(2);
  expect(await parts.gaps()).toEqual([]);
  expect(await parts.contradictions()).toEqual([]);
});

test('a node that is known to trace, and does not, is asked a few times', async () => {
  const parts = await withGaps([HEAD], 'the method debug_traceBlockByNumber does not exist');
  const reader = () => ({
    ...createNodeReader(parts.node, systemClock, { traces: true }),
    canTrace: () => true,
  });
  for (let run = 0; run < 6; run += 1) {
    await parts.pass(100 * DAY_MS);
    await createGapRetrier({ ...parts, reader: reader(), clock: systemClock })(soon());
  }
  expect(await parts.gaps()).toEqual([`${HEAD}-${HEAD} unsupported 5`]);
});

test('an attempt counts before the node is asked: none that ends badly is repeated for ever', async () => {
  const parts = await withGaps([5]);
  parts.heal();
  parts.node.mishaps.push(...Array.from({ length: 3 }, () => () => ({ status: 500, body: Buffer.from('') })));
  await parts.pass(DAY_MS);
  await expect(parts.retry(soon())).rejects.toThrow('unavailable');
  expect(await parts.gaps()).toEqual(['5-5 rpc_error 2']);
  expect(await parts.contradictions()).toEqual([]);
});

test('between attempts the head is followed for four times as long', async () => {
  const parts = await withGaps([2, 5]);
  parts.heal();
  await parts.pass(DAY_MS);
  let now = 0;
  const slow = {
    ...parts.reader,
    async *pages(from: number, to: number, options: { deadline: number }) {
      expect(options.deadline).toBe(15_000);
      now += 7_000;
      yield* parts.reader.pages(from, to, soon());
    },
  };
  const retry = createGapRetrier({ ...parts, reader: slow, clock: { now: () => now } });
  expect(await retry({ deadline: DAY_MS })).toBe(1);
  now += 27_999;
  expect(await retry({ deadline: DAY_MS })).toBe(0);
  now += 1;
  expect(await parts.gaps()).toEqual(['5-5 rpc_error 1']);
});

test('traces of a block that was replaced meanwhile are not stored', async () => {
  const parts = await withGaps([HEAD]);
  parts.heal();
  parts.chain[HEAD] = onBranch(makeBlock(HEAD, 2), 1, HEAD - 1);
  await parts.pass(DAY_MS);
  await expect(parts.retry(soon())).rejects.toThrow(StrangeBlocksError);
  expect(await parts.contradictions()).toEqual([]);
  expect(await followAll(parts)).toEqual(['rolled_back', 'appended', 'idle']);
  expect(await parts.contradictions()).toEqual([]);
  expect(await parts.gaps()).toEqual([]);
});

test('two that retry at once store everything once', async () => {
  const parts = await withGaps([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  parts.heal();
  await parts.pass(DAY_MS);
  const clock = { now: () => Date.now() };
  const retriers = Array.from({ length: 5 }, () =>
    createGapRetrier({ ...parts, index: openChainIndex(connectionTo(database.writer, parts.schema)), clock }),
  );
  const tried = await Promise.all(retriers.map((retry) => retry(soon())));
  expect(tried.reduce((sum, blocks) => sum + blocks, 0)).toBe(9);
  expect(await parts.gaps()).toEqual([]);
  expect(await parts.contradictions()).toEqual([]);
});
