import fc from 'fast-check';
import { decodeBlock } from '../../../lambdas/chain-data/decode/decode-block.ts';
import { OvertakenError } from '../../../lambdas/chain-data/store/cursor.ts';
import { RING_BLOCKS } from '../../../lambdas/chain-data/store/ring.ts';
import { openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import { followStep, type StepOutcome } from '../../../lambdas/indexer/follow/follow-step.ts';
import type { ChainDatabase } from '../../../lambdas/shared/chain-database/chain-database.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { PLAIN } from '../../chain-data/decode/raw-blocks.ts';
import { emptySchema, newSchema } from '../../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { dumpIndex } from './dump-index.ts';
import { type ForkingChain, makeForkingChain } from './forking-chain.ts';

const MAX_STEPS = 60;
const FINALITY = 256;
const options = () => ({ deadline: Date.now() + 120_000 });

/** Emptied for each run of a property, and for each index that has seen the final chain alone. */
const [FORKED, FINAL] = ['forked', 'final'];

let database: MigratedDatabase;

beforeAll(async () => {
  database = await startMigratedDatabase([FORKED, FINAL]);
});
afterAll(() => database?.close());

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
  return followStep({ reader: chain.reader, index, decode: (block) => decodeBlock(block, PLAIN) }, options());
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
    { numRuns: 8 },
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

test('a chain that became shorter is followed back: nothing of the blocks that are gone is left', async () => {
  const chain = makeForkingChain(40);
  const opened = await newIndex();
  await catchUp(chain, opened);
  for (const head of [39, 20, 19, 3]) {
    chain.fork(head, head);
    expect(await catchUp(chain, opened)).toEqual(['rolled_back', 'idle']);
    expect(await opened.index.cursor()).toMatchObject({ number: head, hash: chain.blocks[head]?.hash });
    expect(await dump(opened)).toEqual(await expected(chain));
  }
  chain.grow(12);
  expect(await catchUp(chain, opened)).toEqual(['appended', 'idle']);
  expect(await dump(opened)).toEqual(await expected(chain));
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
  const spend = () => {
    left -= 1;
    if (left < 0) throw stopped;
  };
  const dying: ChainDatabase = {
    query: async (sql, parameters) => {
      spend();
      return database.writer.query(sql, parameters);
    },
    transaction: (work) =>
      database.writer.transaction((queries) =>
        work({
          query: async (sql, parameters) => {
            spend();
            return queries.query(sql, parameters);
          },
        }),
      ),
  };
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
