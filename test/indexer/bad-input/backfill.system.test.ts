import { type BackfillParts, MAX_HANDED_ON, runBackfill } from '../../../lambdas/backfill/handler.ts';
import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { type ChainIndex, openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import type { ChainReader } from '../../../lambdas/indexer/follow/chain-reader.ts';
import { UnindexedRangeError } from '../../../lambdas/indexer/follow/fill-range.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { newSchema } from '../../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { MemoryObjects } from '../../support/memory/objects.ts';
import { RecordedTelemetry } from '../../support/recorded-telemetry.ts';
import { type ForkingChain, makeForkingChain } from '../follow/forking-chain.ts';
import { decode, followAll } from './indexed-chain.ts';
import { contradictionsOf } from './sound-index.ts';

const HEAD = 40;
const FIRST = 30;
const PAGE_BLOCKS = 8;
const RUN_MS = 300_000;
/** When a run of that length begins no more transactions. */
const LAST_MS = 270_000;

let database: MigratedDatabase;
let chain: ForkingChain;
let schema: string;
let index: ChainIndex;
let now: number;
let sent: object[];

beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());
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
  return runBackfill(parts, { Records: [{ body: typeof body === 'string' ? body : JSON.stringify(body) }] });
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
