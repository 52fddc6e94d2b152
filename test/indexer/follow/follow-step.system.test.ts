/** An index follows its chain, fills what is missing below it, and knows the head of the node. */

import fc from 'fast-check';
import { decodeBlock } from '../../../lambdas/chain-data/decode/decode-block.ts';
import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { OvertakenError } from '../../../lambdas/chain-data/store/cursor.ts';
import { StrangeBlocksError } from '../../../lambdas/chain-data/store/neighbours.ts';
import { RING_BLOCKS } from '../../../lambdas/chain-data/store/ring.ts';
import { type ChainIndex, openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import type { ChainReader } from '../../../lambdas/indexer/follow/chain-reader.ts';
import { fillRange, UnindexedRangeError } from '../../../lambdas/indexer/follow/fill-range.ts';
import { followStep, type StepOutcome } from '../../../lambdas/indexer/follow/follow-step.ts';
import type { ChainDatabase } from '../../../lambdas/shared/chain-database/chain-database.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { DatabaseError } from '../../../lambdas/shared/chain-database/database-error.ts';
import { PLAIN } from '../../chain-data/decode/raw-blocks.ts';
import { disturbed } from '../../database/disturbed.ts';
import { emptySchema, newSchema } from '../../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { repetitions } from '../../support/at-length.ts';
import { contradictionsOf } from '../bad-input/sound-index.ts';
import { dumpIndex } from './dump-index.ts';
import { type ForkingChain, makeForkingChain } from './forking-chain.ts';

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

describe('steps of following', () => {
  const MAX_STEPS = 60;
  const FINALITY = 256;
  const options = () => ({ deadline: Date.now() + 120_000 });

  /** Emptied for each run of a property, and for each index that has seen the final chain alone. */
  const [FORKED, FINAL] = ['forked', 'final'];

  beforeAll(async () => {
    await database.addChains([FORKED, FINAL]);
  });

  /** A chain's index with a schema of its own. */
  async function newIndex(through: ChainDatabase = database.writer) {
    const chain = await newSchema(database);
    return { chain, index: openChainIndex(connectionTo(through, chain)) };
  }

  /** An index in the schema of this chain, of which nothing is left. */
  async function anewIn(chain: string) {
    await emptySchema(database, chain);
    return { chain, index: openChainIndex(connectionTo(database.writer, chain)) };
  }

  type Opened = Awaited<ReturnType<typeof newIndex>>;

  function step(chain: ForkingChain, { index }: Pick<Opened, 'index'>): Promise<StepOutcome> {
    return followStep(
      { reader: chain.reader, index, decode: (block) => decodeBlock(block, PLAIN) },
      options(),
    );
  }

  /** Steps until there is nothing to do; returns what the steps did. */
  async function catchUp(chain: ForkingChain, opened: Pick<Opened, 'index'>): Promise<StepOutcome['kind'][]> {
    const kinds: StepOutcome['kind'][] = [];
    while (kinds.length < MAX_STEPS) {
      const { kind } = await step(chain, opened);
      kinds.push(kind);
      if (kind === 'idle' || kind === 'behind' || kind === 'halted') return kinds;
    }
    throw new Error('the index does not come to rest');
  }

  const dump = ({ chain }: Opened) => dumpIndex(database.postgres.superuser, chain);

  /** What an index holds that has seen nothing but the final chain. */
  async function expected(chain: ForkingChain) {
    const fresh = await anewIn(FINAL);
    await catchUp(chain, fresh);
    return dump(fresh);
  }

  test('a chain is indexed from its first block to its head', async () => {
    const chain = makeForkingChain(40);
    const opened = await newIndex();
    expect(await catchUp(chain, opened)).toEqual(['began', 'appended', 'idle']);
    const tables = await dump(opened);
    expect(tables.blocks).toHaveLength(41);
    const logs = chain.blocks.flatMap(({ transactions }) =>
      transactions.flatMap(({ receipt }) => receipt.logs),
    );
    expect(tables.logs).toHaveLength(logs.length);
    expect(tables._trace_gaps).toHaveLength(6);
    const blocks = tables.coverage?.find((row) => row.includes('"blocks"'));
    expect(blocks).toContain('{[0,41)}');
    expect(tables.coverage?.find((row) => row.includes('"traces"'))).toContain('{[1,7),[8,14),');
    expect((await opened.index.cursor())?.hash).toBe(chain.blocks[40]?.hash);
    for (const table of [
      'dex_swaps',
      'dex_pools',
      'nft_owners',
      'tokens',
      'stock_multipliers',
      'erc20_transfers',
    ])
      expect(tables[table]?.length).toBeGreaterThan(0);
  });

  test('a reorganisation leaves what an index of the new chain has, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ depth: fc.nat(20), growth: fc.integer({ min: -20, max: 12 }) }), {
          minLength: 1,
          maxLength: 4,
        }),
        async (forks) => {
          const chain = makeForkingChain(25);
          const opened = await anewIn(FORKED);
          await catchUp(chain, opened);
          for (const { depth, growth } of forks) {
            const head = chain.blocks.length - 1;
            const ancestor = Math.max(0, head - depth);
            chain.fork(ancestor, Math.max(ancestor, head + growth));
            await catchUp(chain, opened);
          }
          expect(await dump(opened)).toEqual(await expected(chain));
          const ring = await opened.index.ring();
          for (const [number, hash] of ring) expect(hash).toBe(chain.blocks[number]?.hash);
        },
      ),
      { numRuns: repetitions(8) },
    );
  });

  test('every reorganisation counts', async () => {
    const chain = makeForkingChain(10);
    const opened = await newIndex();
    await catchUp(chain, opened);
    for (const epoch of [1, 2]) {
      chain.fork(8, 12 + epoch);
      await catchUp(chain, opened);
      expect((await opened.index.cursor())?.epoch).toBe(epoch);
    }
  });

  test('a node that lags takes nothing back', async () => {
    const chain = makeForkingChain(20);
    const opened = await newIndex();
    await catchUp(chain, opened);
    const before = await dump(opened);
    chain.fork(10, 15);
    const lagging = { ...chain, reader: { ...chain.reader, isGone: async () => false } };
    expect(await catchUp(lagging, opened)).toEqual(['behind']);
    expect(await dump(opened)).toEqual(before);
  });

  describe('at the finalized block', () => {
    const HEAD = RING_BLOCKS + 40;
    let chain: ForkingChain;
    let opened: Opened;
    beforeEach(async () => {
      chain = makeForkingChain(HEAD, 200);
      opened = await newIndex();
      await catchUp(chain, opened);
    });

    test('the ring holds the newest blocks', async () => {
      const ring = await opened.index.ring();
      expect([...ring.keys()]).toEqual(
        Array.from({ length: RING_BLOCKS }, (_, place) => HEAD - RING_BLOCKS + 1 + place),
      );
    });

    test('a reorganisation of all above it is followed', async () => {
      chain.fork(HEAD - FINALITY, HEAD + 1);
      expect(await catchUp(chain, opened)).toEqual(['rolled_back', 'appended', 'idle']);
      expect(await dump(opened)).toEqual(await expected(chain));
    });

    test('a chain that is shorter by all above it is followed back', async () => {
      chain.fork(HEAD - FINALITY, HEAD - FINALITY);
      expect(await catchUp(chain, opened)).toEqual(['rolled_back', 'idle']);
      expect((await opened.index.cursor())?.number).toBe(HEAD - FINALITY);
    });

    test('one that is shorter still halts the index, and the head is told as halted, again with each step', async () => {
      chain.fork(HEAD - FINALITY - 1, HEAD - FINALITY - 1);
      const told: unknown[] = [];
      const parts = {
        reader: chain.reader,
        index: opened.index,
        decode: (block: (typeof chain.blocks)[number]) => decodeBlock(block, PLAIN),
        onStored: async ({ number }: { number: number }, halted?: boolean) => {
          told.push({ number, halted });
        },
      };
      for (let steps = 0; steps < 2; steps += 1)
        expect(await followStep(parts, options())).toMatchObject({ kind: 'halted' });
      expect(told).toEqual([
        { number: HEAD, halted: true },
        { number: HEAD, halted: true },
      ]);
      const end = HEAD - FINALITY - 1;
      expect((await opened.index.cursor())?.halted).toContain(
        `ends at block ${end} and lacks block ${end + 1}`,
      );
    });

    test('a deeper one halts the index, which stores nothing more', async () => {
      const before = await dump(opened);
      chain.fork(HEAD - FINALITY - 1, HEAD + 1);
      expect(await step(chain, opened)).toMatchObject({ kind: 'halted' });
      expect(await catchUp(chain, opened)).toEqual(['halted']);
      expect((await opened.index.cursor())?.halted).toContain(`another block ${HEAD - FINALITY}`);
      const cursor = await opened.index.cursor();
      const block = chain.blocks[HEAD + 1];
      if (cursor === undefined || block === undefined) throw new Error('no cursor');
      const blocks = { ids: [block], rows: [decodeBlock(block, PLAIN)], head: block };
      await expect(opened.index.append(cursor, blocks)).rejects.toThrow(OvertakenError);
      expect(await dump(opened)).toEqual(before);
    });
  });

  test('two indexers at once store everything once', async () => {
    const chain = makeForkingChain(60, 5);
    const opened = await newIndex();
    const run = async () => {
      for (;;) {
        const outcome = await step(chain, opened).catch((error: unknown) => {
          if (error instanceof OvertakenError) return { kind: 'overtaken' } as const;
          throw error;
        });
        if (outcome.kind === 'idle') return;
      }
    };
    await Promise.all([run(), run(), run()]);
    chain.fork(40, 70);
    await Promise.all([run(), run(), run()]);
    expect(await dump(opened)).toEqual(await expected(chain));
  });

  test('an indexer that is stopped at any statement goes on as if it had not been', async () => {
    const chain = makeForkingChain(30, 8);
    let left = Number.POSITIVE_INFINITY;
    const stopped = new Error('stopped');
    const dying = disturbed(database.writer, () => {
      left -= 1;
      if (left < 0) throw stopped;
    });
    const opened = await newIndex(dying);
    let stops = 0;
    const settle = async () => {
      for (let allowed = 1; ; allowed += 1) {
        left = allowed;
        try {
          await catchUp(chain, opened);
          left = Number.POSITIVE_INFINITY;
          return;
        } catch (error) {
          if (error !== stopped) throw error;
          stops += 1;
          if (stops % 25 === 0)
            expect(await contradictionsOf(database.postgres.superuser, opened.chain)).toEqual([]);
        }
      }
    };
    await settle();
    chain.fork(20, 33);
    await settle();
    expect(stops).toBeGreaterThan(50);
    expect(await dump(opened)).toEqual(await expected(chain));
  });

  test('nothing goes on past a block that cannot be read', async () => {
    const chain = makeForkingChain(30, 8);
    const opened = await newIndex();
    const failing: ForkingChain = {
      ...chain,
      reader: {
        ...chain.reader,
        async *pages(from, to, reading) {
          for await (const page of chain.reader.pages(from, to, reading)) {
            const readable = page.filter(({ number }) => number < 20);
            if (readable.length > 0) yield readable;
            if (readable.length < page.length) throw new Error('block 20 is missing');
          }
        },
      },
    };
    await expect(catchUp(failing, opened)).rejects.toThrow('block 20 is missing');
    await expect(catchUp(failing, opened)).rejects.toThrow('block 20 is missing');
    expect((await opened.index.cursor())?.number).toBe(19);
    await catchUp(chain, opened);
    expect(await dump(opened)).toEqual(await expected(chain));
  });
});

describe('a range that is filled', () => {
  const HEAD = 80;
  /** The index begins here; all below is to be filled. */
  const FIRST = 50;
  const ALL = { from: 0, to: HEAD };
  const decode = (block: RawBlock) => decodeBlock(block, PLAIN);
  const options = () => ({ deadline: Date.now() + 120_000 });

  let chain: ForkingChain;
  let index: ChainIndex;

  async function newIndex(): Promise<{ schema: string; index: ChainIndex }> {
    const schema = await newSchema(database);
    return { schema, index: openChainIndex(connectionTo(database.writer, schema)) };
  }

  /** An index that began in the middle of the chain and is at its head. */
  async function begunIndex() {
    const opened = await newIndex();
    await opened.index.begin(chain.blocks[FIRST - 1] as RawBlock);
    await followStep({ reader: chain.reader, index: opened.index, decode }, options());
    return opened;
  }

  function fill(range = ALL, outOfTime = () => false) {
    return fillRange({ reader: chain.reader, index, decode, outOfTime }, range, options());
  }

  const dump = (schema: string) => dumpIndex(database.postgres.superuser, schema);

  /** Rows that do not depend on the order in which blocks are stored. */
  async function rowsOfBlocks(schema: string) {
    const {
      coverage: _,
      dex_swaps: __,
      dex_liquidity_events: ___,
      dex_pools: ____,
      ...tables
    } = await dump(schema);
    return tables;
  }

  beforeEach(() => {
    chain = makeForkingChain(HEAD, 9);
  });

  test('what is missing below an index is filled up, once', async () => {
    const opened = await begunIndex();
    index = opened.index;
    expect((await dump(opened.schema))._trace_gaps?.[0]).toContain('"not_started"');
    expect(await fill()).toEqual({ blocks: FIRST, complete: true });
    expect(await fill()).toEqual({ blocks: 0, complete: true });
    const whole = await newIndex();
    await followStep({ reader: chain.reader, index: whole.index, decode }, options());
    await followStep({ reader: chain.reader, index: whole.index, decode }, options());
    expect(await rowsOfBlocks(opened.schema)).toEqual(await rowsOfBlocks(whole.schema));
  });

  test('several at once fill a range as one does', async () => {
    const opened = await begunIndex();
    index = opened.index;
    const reports = await Promise.all([
      fill(),
      fill({ from: 20, to: 60 }),
      fill({ from: 0, to: 30 }),
      fill(),
    ]);
    expect(reports.filter(({ complete }) => !complete)).toEqual([]);
    expect(reports.reduce((sum, { blocks }) => sum + blocks, 0)).toBe(FIRST);
    const alone = await begunIndex();
    index = alone.index;
    await fill();
    const [one, other] = [await rowsOfBlocks(opened.schema), await rowsOfBlocks(alone.schema)];
    expect(one).toEqual(other);
  });

  test('what the time does not allow is left for later', async () => {
    index = (await begunIndex()).index;
    let pages = 0;
    const report = await fill(ALL, () => {
      pages += 1;
      return pages > 2;
    });
    expect(report).toEqual({ blocks: 18, complete: false });
    expect(await index.missing(ALL)).toEqual([{ from: 18, to: FIRST - 1 }]);
  });

  test('blocks of another chain are refused', async () => {
    index = (await begunIndex()).index;
    chain.fork(FIRST - 5, HEAD);
    await expect(fill({ from: FIRST - 8, to: FIRST - 1 })).rejects.toThrow(StrangeBlocksError);
    expect(await index.missing(ALL)).toEqual([{ from: 0, to: FIRST - 1 }]);
  });

  test('nothing above the cursor is filled', async () => {
    index = (await begunIndex()).index;
    await expect(fill({ from: 0, to: HEAD + 1 })).rejects.toThrow(UnindexedRangeError);
  });

  test('datasets that need the whole history are covered only where that is stored', async () => {
    const opened = await begunIndex();
    index = opened.index;
    const covered = async (dataset: string) => {
      const row = (await dump(opened.schema)).coverage?.find((one) => one.includes(`"${dataset}"`));
      return row === undefined ? undefined : (JSON.parse(row) as { covered: string }).covered;
    };
    expect([await covered('logs'), await covered('nft_owners')]).toEqual(['{[50,81)}', undefined]);
    await fill({ from: 0, to: 17 });
    await fill({ from: 30, to: 40 });
    expect([await covered('logs'), await covered('nft_owners')]).toEqual([
      '{[0,18),[30,41),[50,81)}',
      '{[0,18)}',
    ]);
  });
});

describe('the head of the node', () => {
  const HEAD = 300;
  const FINALITY = 256;
  const AT_REST = ['idle', 'halted'];

  /** Blocks that cannot be had. */
  const failingWith = (failure: Error): ChainReader['pages'] => {
    return () => {
      throw failure;
    };
  };

  /** A chain that is indexed up to its head, and how far freshness says that it is behind its node. */
  async function indexedChain() {
    const schema = await newSchema(database);
    const index = openChainIndex(connectionTo(database.writer, schema));
    const chain = makeForkingChain(HEAD, 200);
    const step = (reader: Partial<ChainReader> = {}) =>
      followStep(
        {
          reader: { ...chain.reader, ...reader },
          index,
          decode: (block) => decodeBlock(block, PLAIN),
        },
        { deadline: Date.now() + 120_000 },
      );
    const settle = async () => {
      let { kind } = await step();
      while (!AT_REST.includes(kind)) ({ kind } = await step());
      return kind;
    };
    const one = async (sql: string) => (await database.reader.query(sql)).rows[0];
    const behind = async () => {
      const row = await one(
        `SELECT blocks_behind, follow_lag_blocks FROM ${schema}.freshness WHERE table_name = 'blocks'`,
      );
      return [Number(row?.blocks_behind), Number(row?.follow_lag_blocks)];
    };
    const noted = () =>
      one(`SELECT block_number, updated_at::text AS at FROM ${schema}.cursors WHERE name = 'node'`);
    await settle();
    return { chain, step, settle, behind, noted };
  }

  test('a chain that became shorter leaves its index behind by nothing', async () => {
    const { chain, step, behind } = await indexedChain();
    chain.fork(HEAD - 200, HEAD - 200);
    expect(await step()).toMatchObject({ kind: 'rolled_back' });
    expect(await behind()).toEqual([0, 0]);
  });

  test('an index that is halted falls behind its node, from the step on that halts it', async () => {
    const { chain, settle, behind } = await indexedChain();
    chain.fork(HEAD - FINALITY - 1, HEAD + 10);
    expect(await settle()).toBe('halted');
    expect(await behind()).toEqual([10, 10]);
    chain.grow(HEAD + 110);
    expect(await settle()).toBe('halted');
    expect(await behind()).toEqual([110, 110]);
  });

  test('one that is halted stays so where its node is silent', async () => {
    const { chain, step, settle, behind } = await indexedChain();
    chain.fork(HEAD - FINALITY - 1, HEAD + 10);
    await settle();
    expect(await step({ head: () => Promise.reject(new Error('silent')) })).toMatchObject({ kind: 'halted' });
    expect(await behind()).toEqual([10, 10]);
  });

  test.each([
    ['cannot be read', new Error('no such block')],
    ['cannot be stored', new DatabaseError('value out of range', undefined)],
  ])('an index whose next block %s falls behind its node, and says why as before', async (_, failure) => {
    const { chain, step, behind } = await indexedChain();
    for (const head of [HEAD + 5, HEAD + 9]) {
      chain.grow(head);
      await expect(step({ pages: failingWith(failure) })).rejects.toBe(failure);
      expect(await behind()).toEqual([head - HEAD, head - HEAD]);
    }
  });

  test('a head that was noted wrongly is noted anew by a step with nothing to store', async () => {
    const { chain, step, behind } = await indexedChain();
    chain.grow(HEAD + 40);
    await expect(step({ pages: failingWith(new Error('silent')) })).rejects.toThrow();
    chain.fork(HEAD, HEAD);
    expect(await step()).toMatchObject({ kind: 'idle' });
    expect(await behind()).toEqual([0, 0]);
  });

  test('a head that stays is not written again, whether the index is idle, stuck or halted', async () => {
    const { chain, step, settle, noted } = await indexedChain();
    const idle = await noted();
    await step();
    expect(await noted()).toEqual(idle);
    chain.grow(HEAD + 1);
    await expect(step({ pages: failingWith(new Error('silent')) })).rejects.toThrow();
    const stuck = await noted();
    await expect(step({ pages: failingWith(new Error('silent')) })).rejects.toThrow();
    expect(await noted()).toEqual(stuck);
    chain.fork(HEAD - FINALITY - 1, HEAD + 1);
    await settle();
    const halted = await noted();
    await settle();
    expect(await noted()).toEqual(halted);
  });
});
