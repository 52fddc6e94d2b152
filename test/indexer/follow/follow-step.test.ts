import fc from 'fast-check';
import { decodeBlock } from '../../../lambdas/chain-data/decode/decode-block.ts';
import { OvertakenError } from '../../../lambdas/chain-data/store/cursor.ts';
import { RING_BLOCKS } from '../../../lambdas/chain-data/store/ring.ts';
import { openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import { followStep, type StepOutcome } from '../../../lambdas/indexer/follow/follow-step.ts';
import type { ChainDatabase } from '../../../lambdas/shared/chain-database/chain-database.ts';
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
  return { chain, index: openChainIndex(through, chain) };
}

/** An index in the schema of this chain, of which nothing is left. */
async function anewIn(chain: string) {
  await emptySchema(database, chain);
  return { chain, index: openChainIndex(database.writer, chain) };
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
      fc.array(fc.record({ depth: fc.nat(20), growth: fc.nat(12) }), { minLength: 1, maxLength: 4 }),
      async (forks) => {
        const chain = makeForkingChain(25);
        const opened = await anewIn(FORKED);
        await catchUp(chain, opened);
        for (const { depth, growth } of forks) {
          const head = chain.blocks.length - 1;
          chain.fork(Math.max(0, head - depth), head + growth);
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

test('a chain that became shorter is waited for until it is as long again', async () => {
  const chain = makeForkingChain(20);
  const opened = await newIndex();
  await catchUp(chain, opened);
  const before = await dump(opened);
  chain.fork(10, 15);
  expect(await catchUp(chain, opened)).toEqual(['behind']);
  expect(await dump(opened)).toEqual(before);
  chain.grow(20);
  expect(await catchUp(chain, opened)).toEqual(['rolled_back', 'appended', 'idle']);
  expect(await dump(opened)).toEqual(await expected(chain));
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
