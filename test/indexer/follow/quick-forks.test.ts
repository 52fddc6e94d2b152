/**
 * At the head of a quick chain that forks again and again, all that came in a second is one transaction, and no block of a
 * branch that was left stays for longer than a second once its node has another (docs/indexing.md, "Following the head").
 */
import type { BlockId, RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import type { NodePost } from '../../../lambdas/indexer/fetch/send-batch.ts';
import { followSlot } from '../../../lambdas/indexer/follow/follow-slot.ts';
import { createHeadPace } from '../../../lambdas/indexer/follow/head-pace.ts';
import { createNodeReader } from '../../../lambdas/indexer/follow/node-reader.ts';
import { word } from '../../chain-data/decode/raw-blocks.ts';
import { RecordedTelemetry } from '../../support/recorded-telemetry.ts';
import { createFakeNode } from '../fetch/fake-node.ts';
import { answersOf, blockHash, makeBlock, type NodeBlockJson } from '../fetch/node-chain.ts';

const SLOT_MS = 60_000;
const SLOTS = 10;
const BLOCK_MS = 100;
const FORK_EVERY_MS = 20_000;
const FORKED_BLOCKS = 3;
/** Time that a node takes for an answer, and the database for a transaction, in milliseconds. */
const NODE_MS = 20;
const STORE_MS = 100;
const RING_BLOCKS = 512;

/** A chain whose newest blocks are replaced as time passes. Its blocks are those of their number and branch. */
function forkingNode() {
  const chain: NodeBlockJson[] = [makeBlock(0, 1)];
  /** Of each branch that was left, the blocks, and since when the node was seen to have another. */
  const left: { readonly hashes: ReadonlySet<string>; knownMs?: number }[] = [];
  let lastForkMs = 0;
  const hashAt = (number: number) => String(chain[number]?.block.hash);
  const grow = (to: number, branch: number) => {
    for (let number = chain.length; number <= to; number += 1) {
      const own = branch === 0 ? blockHash(number) : word(branch * 1_000_000 + number);
      const made = JSON.parse(JSON.stringify(makeBlock(number, 1)).replaceAll(blockHash(number), own));
      const timestamp = `0x${(1_700_000_000 + Math.floor((number * BLOCK_MS) / 1_000)).toString(16)}`;
      Object.assign(made.block, { parentHash: hashAt(number - 1), timestamp });
      chain.push(made);
    }
  };
  return {
    chain,
    left,
    advance(now: number) {
      const newest = Math.floor(now / BLOCK_MS);
      if (now - lastForkMs >= FORK_EVERY_MS) {
        lastForkMs = now;
        const replaced = chain.splice(chain.length - FORKED_BLOCKS);
        left.push({ hashes: new Set(replaced.map(({ block }) => String(block.hash))) });
      }
      grow(newest, left.length);
    },
  };
}

test('ten minutes of ten blocks a second, of which three are replaced every 20 s', async () => {
  let now = 0;
  let transactions = 0;
  const { chain, left, advance } = forkingNode();
  const stored: BlockId[] = [];
  const late: unknown[] = [];
  const pass = async (ms: number) => {
    now += ms;
    advance(now);
    const hashes = new Set(stored.slice(-RING_BLOCKS).map(({ hash }) => hash as string));
    for (const { hashes: orphans, knownMs = now } of left.slice(-2))
      if (now > knownMs + 1_000 && [...orphans].some((hash) => hashes.has(hash))) late.push({ now, knownMs });
  };
  const fake = createFakeNode((call) => {
    const fork = left.at(-1);
    if (call.params[0] === 'latest' && fork !== undefined) fork.knownMs ??= now;
    return answersOf(chain)(call);
  });
  const node: NodePost = {
    ...fake,
    post: async (request) => {
      await pass(NODE_MS);
      return fake.post(request);
    },
  };
  const cursor = () => stored.at(-1) ?? { number: 0, hash: blockHash(0), timestamp: 0 };
  const index = {
    cursor: async () => ({ ...cursor(), epoch: 0, halted: null }),
    noteHead: async () => undefined,
    ring: async () => new Map(stored.slice(-RING_BLOCKS).map(({ number, hash }) => [number, hash])),
    append: async (_: unknown, { ids }: { readonly ids: readonly BlockId[] }) => {
      transactions += 1;
      await pass(STORE_MS);
      stored.push(
        ...ids.map(({ number, hash, parentHash, timestamp }) => ({ number, hash, parentHash, timestamp })),
      );
    },
    rollBack: async (_: unknown, { number }: BlockId) => {
      transactions += 1;
      await pass(STORE_MS);
      stored.length = number;
    },
  };
  const clock = { now: () => now };
  const telemetry = new RecordedTelemetry();
  const parts = {
    chain: 'one',
    reader: createNodeReader(node, clock, { traces: false }, pass),
    index: index as never,
    decode: (block: RawBlock) => block as never,
    ...{ clock, pause: pass, telemetry, pace: createHeadPace() },
  };
  // The pace of the chain is learnt in the first.
  for (let slot = 0; slot <= SLOTS; slot += 1) {
    if (slot === 1) transactions = 0;
    await followSlot(parts, (slot + 1) * SLOT_MS);
    await pass(Math.max(0, (slot + 1) * SLOT_MS - now));
  }
  expect(late).toEqual([]);
  expect(left.length).toBeGreaterThanOrEqual((SLOTS * SLOT_MS) / FORK_EVERY_MS);
  expect(telemetry.logged.filter(({ event }) => event === 'index_rolled_back')).toHaveLength(left.length);
  expect(stored.length).toBeGreaterThan(((SLOTS + 1) * SLOT_MS) / BLOCK_MS - 20);
  expect(transactions / ((SLOTS * SLOT_MS) / 1_000)).toBeLessThanOrEqual(1.1);
});
