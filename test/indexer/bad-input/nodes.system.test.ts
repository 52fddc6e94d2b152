/** What nodes say that is wrong, or do not say: no block is stored of it, and gaps are filled later. */
import { MAX_HANDED_ON, runBackfill } from '../../../lambdas/backfill/handler.ts';
import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { StrangeBlocksError } from '../../../lambdas/chain-data/store/neighbours.ts';
import { type ChainIndex, openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import type { ChainReader } from '../../../lambdas/indexer/follow/chain-reader.ts';
import { UnindexedRangeError } from '../../../lambdas/indexer/follow/fill-range.ts';
import { followSlot } from '../../../lambdas/indexer/follow/follow-slot.ts';
import { followStep } from '../../../lambdas/indexer/follow/follow-step.ts';
import { createHeadPace } from '../../../lambdas/indexer/follow/head-pace.ts';
import { createGapRetrier } from '../../../lambdas/indexer/follow/idle-work.ts';
import { createNodeReader } from '../../../lambdas/indexer/follow/node-reader.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { systemClock } from '../../../lambdas/shared/runtime/clock.ts';
import { word } from '../../chain-data/decode/raw-blocks.ts';
import { newSchema } from '../../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { MemoryObjects } from '../../support/memory/objects.ts';
import { RecordedTelemetry } from '../../support/recorded-telemetry.ts';
import { createFakeNode, type ReceivedCall, type Said } from '../fetch/fake-node.ts';
import { answersOf, makeBlock, makeChain, type NodeBlockJson } from '../fetch/node-chain.ts';
import { dumpIndex } from '../follow/dump-index.ts';
import { type ForkingChain, makeForkingChain } from '../follow/forking-chain.ts';
import { decode, followAll, followerOf, inTime } from './indexed-chain.ts';
import { onBranch } from './json-chain.ts';
import { contradictionsOf } from './sound-index.ts';

type BackfillParts = Parameters<typeof runBackfill>[0];

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

describe('nodes that say what is wrong', () => {
  const HEAD = 11;
  const BAD = 6;

  /** What follows a node of a chain, but for what the node says to some calls that concern one block. */
  function followed(chain: NodeBlockJson[], method = '', said?: (json: NodeBlockJson) => Said) {
    const usual = answersOf(chain);
    const node = createFakeNode((call) => {
      const isBad = call.method === method && Number(call.params[0]) === BAD;
      return isBad && said !== undefined ? said(makeBlock(BAD, 2)) : usual(call);
    });
    return followerOf(node, database);
  }

  test('members that no text can name are left out', async () => {
    const [genesis, block] = makeChain(2);
    if (genesis === undefined || block === undefined) throw new Error('no chain');
    const odd = { ...block.block, 'a\u0000b': '0x1', ['n'.repeat(70_000)]: '0x1', kept: '0x1' };
    const parts = await followed([genesis, { ...block, block: odd }]);
    await followAll(parts);
    const { rows } = await database.reader.query(`SELECT extra FROM ${parts.schema}.blocks WHERE number = 1`);
    expect(JSON.parse(String(rows[0]?.extra))).toEqual({ kept: '0x1', mixHash: word(5) });
  });

  test('a block that never follows the one before is no rest at the head', async () => {
    const parts = await followed(makeChain(HEAD + 1), 'eth_getBlockByNumber', ({ block }) => ({
      result: { ...block, parentHash: word(7) },
    }));
    await followAll(parts).catch(() => undefined);
    await expect(followStep(parts, inTime())).rejects.toThrow(
      'what the node has above it does not follow it',
    );
    let now = 0;
    const slot = {
      ...parts,
      chain: parts.schema,
      clock: { now: () => now },
      telemetry: new RecordedTelemetry(),
      pause: async (durationMs: number) => {
        now += durationMs;
      },
      pace: createHeadPace(),
    };
    // Nothing succeeded in the slot, so that it fails, which is seen.
    await expect(followSlot(slot, 2_000)).rejects.toThrow('what the node has above it does not follow it');
  });

  test('a block that cannot be traced is stored, whatever the words of the node are', async () => {
    const error = `no\u0000 "{\\\u{1f600}\ud800${'\u{1f600}'.repeat(200)}`;
    const parts = await followed(makeChain(HEAD + 1), 'debug_traceBlockByNumber', ({ traces }) => ({
      result: [traces[0], { txHash: traces[1]?.txHash, error }],
    }));
    await followAll(parts);
    const { rows } = await database.reader.query(`SELECT last_error FROM ${parts.schema}._trace_gaps`);
    expect(rows).toEqual([{ last_error: expect.stringMatching(/^no "\{\\\u{1f600}+$/u) }]);
    expect(await contradictionsOf(database.postgres.superuser, parts.schema)).toEqual([]);
  });
});

describe('gaps of traces', () => {
  const HEAD = 11;
  /** Blocks up to the head. */
  const LATE = [5, 6, 7, 8, 9, 10, 11];
  const DAY_MS = 24 * 3_600_000;
  const TRACES = 'debug_traceBlockByNumber';

  /** A chain that is indexed, where the node could not trace some blocks. */
  async function withGaps(bad: readonly number[], error = 'execution failed') {
    const chain = makeChain(HEAD + 1);
    let fails = (call: ReceivedCall): Said | undefined =>
      call.method === TRACES && bad.includes(Number(call.params[0]))
        ? { error: { code: -32000, message: error } }
        : undefined;
    const usual = answersOf(chain);
    let brokenAt: number | undefined;
    const node = createFakeNode(
      (call) => fails(call) ?? (call.params[0] === 'latest' ? { result: chain.at(-1)?.block } : usual(call)),
      (calls) =>
        calls.some(({ method, params }) => method === TRACES && Number(params[0]) === brokenAt)
          ? { status: 500, body: Buffer.from('') }
          : undefined,
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
      /** From now on it traces, but for a block at which it breaks off. */
      heal: (butFor?: number) => {
        fails = () => undefined;
        brokenAt = butFor;
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

  test('a block at which the node breaks off takes no attempt from its neighbours', async () => {
    const parts = await withGaps([3, 4]);
    parts.heal(3);
    await parts.pass(DAY_MS);
    expect(await parts.retry(soon())).toBe(2);
    expect(await parts.gaps()).toEqual(['3-3 rpc_error 2']);
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
    const reader = {
      ...createNodeReader(parts.node, systemClock, { traces: true }),
      canTrace: () => canTrace,
    };
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
    parts.node.mishaps.push(
      ...Array.from({ length: 3 }, () => () => ({ status: 500, body: Buffer.from('') })),
    );
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
      createGapRetrier({
        ...parts,
        index: openChainIndex(connectionTo(database.writer, parts.schema)),
        clock,
      }),
    );
    const tried = await Promise.all(retriers.map((retry) => retry(soon())));
    expect(tried.reduce((sum, blocks) => sum + blocks, 0)).toBe(9);
    expect(await parts.gaps()).toEqual([]);
    expect(await parts.contradictions()).toEqual([]);
  });
});

describe('a backfill from such nodes', () => {
  const HEAD = 40;
  const FIRST = 30;
  const PAGE_BLOCKS = 8;
  const RUN_MS = 300_000;
  /** When a run of that length begins no more transactions. */
  const LAST_MS = 270_000;

  let chain: ForkingChain;
  let schema: string;
  let index: ChainIndex;
  let now: number;
  let sent: object[];

  beforeEach(async () => {
    chain = makeForkingChain(HEAD, PAGE_BLOCKS);
    schema = await newSchema(database);
    index = openChainIndex(connectionTo(database.writer, schema));
    await index.begin(chain.blocks[FIRST - 1] as RawBlock);
    await followAll({ reader: chain.reader, index, decode });
    now = 0;
    sent = [];
  });
  afterEach(async () => {
    expect(await contradictionsOf(database.postgres.superuser, schema)).toEqual([]);
  });

  function run(
    reader: ChainReader = chain.reader,
    body: string | object = { chain: schema, from: 0, to: HEAD },
  ) {
    const startedAt = now;
    const parts: BackfillParts = {
      chainOf: (name) => {
        if (name !== schema) throw new Error(`unknown chain ${name}`);
        return { reader, index, decode, connection: connectionTo(database.writer, schema), transferRule: '' };
      },
      openFiles: async () => {
        throw new Error('there are no files');
      },
      bucket: { objects: new MemoryObjects(), name: 'imports', region: 'us-east-1' },
      queue: { send: async (work) => void sent.push(work) },
      clock: { now: () => now },
      log: new RecordedTelemetry().log,
      remainingMs: () => startedAt + RUN_MS - now,
    };
    return runBackfill(parts, {
      Records: [{ body: typeof body === 'string' ? body : JSON.stringify(body) }],
    });
  }

  /** The chain, told a page every so many milliseconds. */
  function slowReader(pageMs: number): ChainReader {
    return {
      ...chain.reader,
      async *pages(from, to, options) {
        for await (const page of chain.reader.pages(from, to, options)) {
          now += pageMs;
          if (now >= options.deadline) throw new Error('the node did not answer in time');
          yield page;
        }
      },
    };
  }

  const missing = () => index.missing({ from: 0, to: HEAD });

  test('a range that is stored is done', async () => {
    await run();
    expect([await missing(), sent]).toEqual([[], []]);
    await run();
    expect(sent).toEqual([]);
  });

  test('a range that has no end is not handed on for ever', async () => {
    const message = { chain: schema, from: 0, to: HEAD, handedOn: MAX_HANDED_ON - 1 };
    await run(slowReader(LAST_MS / 2), message);
    expect(sent).toEqual([{ ...message, handedOn: MAX_HANDED_ON }]);
    now = 0;
    await expect(run(slowReader(LAST_MS / 2), sent[0])).rejects.toThrow(`handed on ${MAX_HANDED_ON} times`);
  });

  test('what a slow node does not tell in time is handed on, until nothing is left', async () => {
    const left: unknown[] = [];
    do {
      sent = [];
      await run(slowReader(LAST_MS / 2 - 1));
      left.push(await missing());
    } while (sent.length > 0);
    expect(left).toEqual([[{ from: 16, to: 29 }], []]);
  });

  test('a run that comes to nothing fails, so that it is delivered again', async () => {
    await expect(run(slowReader(LAST_MS))).rejects.toThrow('in time');
    const late: ChainReader = {
      ...chain.reader,
      async *pages(from, to, options) {
        now += RUN_MS;
        yield* chain.reader.pages(from, to, options);
      },
    };
    await expect(run(late)).rejects.toThrow('got no time');
    expect(sent).toEqual([]);
  });

  test.each([
    'no JSON',
    '{}',
    { chain: 'x', from: 3, to: 2 },
    { chain: 'x', from: -1, to: 2 },
    { chain: 'x', from: 0, to: 1.5 },
    { chain: 'unknown', from: 0, to: 1 },
    { chain: 'x', from: 0, to: 1, manifest: 'no hash' },
    { chain: 'x', from: 0, to: 1, bulk: 'attach' },
  ])('the message %j fails', async (body) => {
    await expect(run(chain.reader, body)).rejects.toThrow();
    expect(await missing()).toEqual([{ from: 0, to: FIRST - 1 }]);
  });

  test('a range above the index fails, and one of a halted index too', async () => {
    await expect(run(chain.reader, { chain: schema, from: 0, to: HEAD + 1 })).rejects.toThrow(
      UnindexedRangeError,
    );
    const cursor = await index.cursor();
    if (cursor === undefined) throw new Error('no cursor');
    await index.halt(cursor, 'look');
    await expect(run()).rejects.toThrow(UnindexedRangeError);
  });
});
