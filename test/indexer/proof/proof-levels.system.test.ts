/** What is proven of the stored blocks is counted, and a customer reads it: never more than nodes and hashes have shown. */
import { decodeBlock } from '../../../lambdas/chain-data/decode/decode-block.ts';
import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import { fillRange } from '../../../lambdas/indexer/follow/fill-range.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import type { ProofForm } from '../../../lambdas/shared/runtime/settings.ts';
import { PLAIN } from '../../chain-data/decode/raw-blocks.ts';
import { newSchema } from '../../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { hex, type SentJson } from '../../shared/verify/made-block.ts';
import { servedBy } from '../served/served-chain.ts';
import { provenChain, provingWorld, type WorldNode } from './proving-world.ts';

const COUNTED = 1_024;
const DEPTH = 128;
const FORK = 1_000;
/** The ring, which has the levels of single blocks, is half as long. */
const TRUTH = provenChain(1_400);
const OTHER = provenChain(1_200, {
  onto: TRUTH.slice(0, FORK),
  change: (sent) => ({ ...sent, block: { ...sent.block, gasLimit: hex(29_000_000) } }),
});
const PARTS = ['header', 'transactions', 'senders', 'receipts', 'withdrawals'] as const;

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

/** Nodes, an index of their chain in the database, and what is served of its levels, the oldest blocks first. */
async function provingIndex(nodes: WorldNode[], form?: ProofForm | 'none') {
  const schema = await newSchema(database);
  const index = openChainIndex(connectionTo(database.writer, schema));
  const kept = { index, decode: (block: RawBlock) => decodeBlock(block, PLAIN) };
  const world = provingWorld(nodes, form, { kept });
  const served = servedBy(database, schema);
  return {
    ...world,
    index,
    file: served.file,
    /** Lets all nodes have these newest blocks, one after the other, and follows them. */
    async to(...heads: readonly number[]) {
      for (const head of heads) {
        for (const node of nodes) node.head = head;
        await world.follow(3);
      }
    },
    levels: () => served.get('/status/proof?order=asc') as Promise<unknown> as Promise<Level[]>,
  };
}

type Proving = Awaited<ReturnType<typeof provingIndex>>;
type Level = Readonly<Record<string, number>>;

/** Sum of a count over all rows. */
const sumOf = (levels: readonly Level[], name: string) =>
  levels.reduce((sum, level) => sum + (level[name] ?? 0), 0);
/** Blocks whose hash is agreed, single and contradicted. */
const hashes = (levels: readonly Level[]) =>
  ['agreed', 'single', 'contradicted'].map((level) => sumOf(levels, `hash_${level}`));
/** Blocks by level of a part. */
const blocksBy = (levels: readonly Level[], part: (typeof PARTS)[number]) =>
  ['computed', 'agreed', 'told'].map((level) => sumOf(levels, `${part}_${level}`));

test('two honest nodes: all is computed, and each hash is agreed up to 128 blocks below the head', async () => {
  const world = await provingIndex([{ chain: TRUTH }, { chain: TRUTH }]);
  await world.to(700, 900, 1_199, 1_200);
  const levels = await world.levels();
  expect(levels.map(({ from_block, to_block, blocks }) => [from_block, to_block, blocks])).toEqual([
    [0, 1_023, COUNTED],
    [1_024, 1_200, 177],
  ]);
  for (const part of PARTS) expect([part, blocksBy(levels, part)]).toEqual([part, [1_201, 0, 0]]);
  expect(hashes(levels)).toEqual([1_199 - DEPTH + 1, 1_201 - (1_199 - DEPTH + 1), 0]);
  expect(levels[0]).toMatchObject({ hash_agreed: COUNTED, hash_single: 0 });
});

test('a file says at its end how sure its blocks are: by the least sure one', async () => {
  const parts = Object.fromEntries(PARTS.map((part) => [part, 'computed']));
  const proofOf = async ({ file }: Pick<Proving, 'file'>, query: string) => {
    const text = await file(`/transactions?format=ndjson&${query}`);
    return JSON.parse(text.trimEnd().split('\n').at(-1) ?? '').end.meta.proof;
  };
  const pair = await provingIndex([{ chain: TRUTH }, { chain: TRUTH }]);
  await pair.to(1_199, 1_200);
  expect(await proofOf(pair, 'from_block=900&to_block=1050')).toEqual({
    ...{ hash: 'agreed', ...parts },
  });
  expect(await proofOf(pair, 'from_block=900&to_block=1100')).toMatchObject({ hash: 'single' });
  const alone = await provingIndex([{ chain: TRUTH }], 'none');
  await alone.to(400);
  expect(await proofOf(alone, 'to_block=100')).toMatchObject({ hash: 'single', header: 'told' });
});

test('one node, or two of one operator: each hash is single, without ticket or page', async () => {
  for (const nodes of [[{ chain: TRUTH }], [{ chain: TRUTH }, { chain: TRUTH, operator: 'node-0' }]]) {
    const world = await provingIndex(nodes);
    await world.to(700, 800);
    const levels = await world.levels();
    expect(hashes(levels)).toEqual([0, 801, 0]);
    expect(blocksBy(levels, 'receipts')).toEqual([801, 0, 0]);
    expect(world.telemetry.emitted).toEqual([]);
  }
});

test('a chain without a form is as its node says, also where another names some of its hashes', async () => {
  const world = await provingIndex([{ chain: TRUTH }, { chain: TRUTH }], 'none');
  await world.to(700, 800, 900, 901);
  const levels = await world.levels();
  for (const part of PARTS) expect([part, blocksBy(levels, part)]).toEqual([part, [0, 0, 902]]);
  // A header that does not come out of its hash says nothing of its parent: what was named is agreed, block by block.
  expect(sumOf(levels, 'hash_agreed')).toBeGreaterThan(0);
  expect(sumOf(levels, 'hash_agreed')).toBeLessThan(10);
});

test('the second node is silent for 700 blocks: single, and raised by one call once it answers', async () => {
  const nodes: WorldNode[] = [{ chain: TRUTH }, { chain: TRUTH }];
  const world = await provingIndex(nodes);
  await world.to(300, 301);
  const [before] = hashes(await world.levels());
  (nodes[1] as WorldNode).isSilent = true;
  await world.to(...Array.from({ length: 15 }, (_, place) => 350 + 50 * place));
  expect(hashes(await world.levels())).toEqual([before, 1_051 - (before as number), 0]);
  (nodes[1] as WorldNode).isSilent = false;
  const calls = world.calls[1] as number;
  await world.to(1_200, 1_201);
  expect(hashes(await world.levels())).toEqual([1_201 - DEPTH, DEPTH + 1, 0]);
  expect((world.calls[1] as number) - calls).toBeLessThanOrEqual(2);
});

test('a reorganisation takes back what it counted: the same as of an index that saw the last chain alone', async () => {
  const nodes: WorldNode[] = [{ chain: OTHER }, { chain: OTHER }];
  const world = await provingIndex(nodes);
  await world.to(900, 1_098, 1_099);
  for (const node of nodes) node.chain = TRUTH;
  await world.to(1_100, 1_101);
  const single = await provingIndex([{ chain: TRUTH }, { chain: TRUTH }]);
  await single.to(900, 1_098, 1_099, 1_100, 1_101);
  expect(hashes(await single.levels())[0]).toBeGreaterThan(900);
  expect(await world.levels()).toEqual(await single.levels());
});

test('a rollback below a hash that was named lowers what is agreed, and it is raised anew', async () => {
  const nodes: WorldNode[] = [{ chain: OTHER }, { chain: OTHER }];
  const world = await provingIndex(nodes);
  await world.to(900, 1_098, 1_099);
  const cursor = await world.index.cursor();
  if (cursor === undefined) throw new Error('no cursor');
  const { block } = TRUTH[900] as SentJson;
  const ancestor = { number: 900, timestamp: Number(block.timestamp), hash: block.hash as `0x${string}` };
  await world.index.rollBack(cursor, { ...ancestor, parentHash: block.parentHash as `0x${string}` });
  expect(hashes(await world.levels())).toEqual([901, 0, 0]);
  for (const node of nodes) node.chain = TRUTH;
  await world.to(1_100, 1_101);
  expect(hashes(await world.levels())).toEqual([1_101 - DEPTH, DEPTH + 1, 0]);
});

test('a branch that another node contradicts counts as such from its first block on, and no longer once they agree', async () => {
  const nodes: WorldNode[] = [{ chain: OTHER }, { chain: TRUTH }];
  const world = await provingIndex(nodes);
  await world.to(900, 1_098, 1_120, 1_127, 1_133, 1_139, 1_145);
  const head = (await world.index.cursor())?.number as number;
  const [agreed, single, contradicted] = hashes(await world.levels());
  expect(contradicted).toBe(head - FORK + 1);
  expect((agreed as number) + (single as number)).toBe(FORK);
  (nodes[0] as WorldNode).chain = TRUTH;
  await world.to(1_150, 1_156, 1_162);
  expect(hashes(await world.levels())[2]).toBe(0);
});

describe('a fill', () => {
  const BEGIN = 300;
  /** An index of the blocks from 300 on, and a fill of those below. */
  const begun = async (nodes: WorldNode[]) => {
    const world = await provingIndex(nodes);
    const { block } = TRUTH[BEGIN - 1] as SentJson;
    const [hash, parentHash] = [block.hash as `0x${string}`, block.parentHash as `0x${string}`];
    await world.index.begin({ number: BEGIN - 1, hash, parentHash, timestamp: Number(block.timestamp) });
    await world.to(500, 501);
    const parts = { ...world.parts, outOfTime: () => false };
    const fill = () => fillRange(parts, { from: 0, to: BEGIN - 1 }, { deadline: Number.MAX_SAFE_INTEGER });
    return { ...world, fill };
  };

  test('is agreed where another node names the last block of each page', async () => {
    const world = await begun([{ chain: TRUTH }, { chain: TRUTH }]);
    expect(hashes(await world.levels())[0]).toBe(500 - DEPTH - BEGIN + 1);
    const calls = world.calls[1] as number;
    expect(await world.fill()).toEqual({ blocks: BEGIN, complete: true });
    expect((world.calls[1] as number) - calls).toBe(1);
    const levels = await world.levels();
    expect(hashes(levels)).toEqual([500 - DEPTH + 1, DEPTH + 1, 0]);
    expect(blocksBy(levels, 'transactions')).toEqual([502, 0, 0]);
  });

  test('is single where the other is silent', async () => {
    const nodes: WorldNode[] = [{ chain: TRUTH }, { chain: TRUTH, isSilent: true }];
    const world = await begun(nodes);
    await world.fill();
    expect(hashes(await world.levels())).toEqual([0, 502, 0]);
  });

  test('stores nothing of which another has another hash, and the page names both', async () => {
    const early = provenChain(BEGIN, {
      onto: TRUTH.slice(0, 100),
      change: (sent) => ({ ...sent, block: { ...sent.block, gasLimit: hex(29_000_000) } }),
    });
    const nodes: WorldNode[] = [{ chain: TRUTH }, { chain: TRUTH }];
    const world = await begun(nodes);
    (nodes[1] as WorldNode).chain = early;
    await expect(world.fill()).rejects.toMatchObject({ kind: 'contradicted' });
    expect(await world.index.missing({ from: 0, to: 501 })).toEqual([{ from: 0, to: BEGIN - 1 }]);
    expect(world.sum('HashContradictions')).toBe(1);
  });
});

test('a new member of all headers: the level falls with its first block, and of one node none is stored', async () => {
  const first = 400;
  const forked = provenChain(500, {
    onto: TRUTH.slice(0, first),
    change: (sent) => ({ ...sent, block: { ...sent.block, slotNumber: hex(9) } }),
  });
  const world = await provingIndex([{ chain: forked }, { chain: forked }]);
  await world.to(first, first + 1, 498, 499);
  const levels = await world.levels();
  for (const part of PARTS) expect([part, blocksBy(levels, part)]).toEqual([part, [400, 100, 0]]);
  expect(sumOf(levels, 'hash_agreed')).toBe(498 - DEPTH + 1);
  const alone = await provingIndex([{ chain: forked }]);
  await alone.to(first, 499);
  expect(blocksBy(await alone.levels(), 'header')).toEqual([400, 0, 100]);
});
