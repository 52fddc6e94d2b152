import fc from 'fast-check';
import type { Hex } from '../../../lambdas/chain-data/decode/raw-block.ts';
import type { StickyUpstream } from '../../../lambdas/indexer/fetch/sticky-upstream.ts';
import { createStickyUpstream } from '../../../lambdas/indexer/fetch/sticky-upstream.ts';
import {
  createVanishedWatch,
  LAPSED_MS,
  POOLED_MS,
  VANISHED_MS,
} from '../../../lambdas/indexer/follow/vanished-blocks.ts';
import { repetitions } from '../../support/at-length.ts';
import { createFakeNode, type ReceivedCall, type Said } from '../fetch/fake-node.ts';
import { makeBlock, blockHash as textHash } from '../fetch/node-chain.ts';

const TOP = 100;
/** Time between two looks at the head, and the longest until a question of all upstreams, in milliseconds. */
const LOOK_MS = 250;
const ASK_MS = 1_000;
const OPTIONS = { deadline: Number.MAX_SAFE_INTEGER };
const UNSUPPORTED = { error: { code: -32601, message: 'method not found' } };

const blockHash = (number: number) => textHash(number) as Hex;

interface Node {
  /** Number of its newest block, which can be another with each question. */
  head: () => number;
  isUp: boolean;
  syncing: boolean | 'unsupported';
}

/** Several nodes of one chain, of which the index has stored block `TOP`. */
function world(count: number) {
  let now = 0;
  const asked: number[] = [];
  const nodes: Node[] = Array.from({ length: count }, () => ({
    head: () => TOP,
    isUp: true,
    syncing: false,
  }));
  const upstreams = nodes.map((node, place) => {
    const fake = createFakeNode(({ method, params }: ReceivedCall): Said => {
      if (method === 'eth_syncing')
        return node.syncing === 'unsupported'
          ? UNSUPPORTED
          : { result: node.syncing && { currentBlock: '0x1' } };
      const head = node.head();
      const number = params[0] === 'latest' ? head : Number(params[0]);
      return { result: number > head ? null : makeBlock(number, 0).block };
    });
    const post: typeof fake.post = async (request) => {
      asked.push(place);
      if (!node.isUp) throw new Error('unreachable');
      return fake.post(request);
    };
    return { name: `node-${place}`, connection: { ...fake, post } };
  });
  const node: StickyUpstream = createStickyUpstream(upstreams, () => undefined);
  const clock = { now: () => now };
  const current = () => nodes[Number(node.current().name.slice(-1))] as Node;
  const watch = createVanishedWatch(node, clock);
  /** One look of the index at the head, and whether the block `TOP` is gone by it. */
  const look = async (): Promise<boolean> => {
    now += LOOK_MS;
    if (!current().isUp) return false;
    const number = current().head();
    watch.note({ number });
    return number < TOP && watch.isGone({ number: TOP, hash: blockHash(TOP) }, OPTIONS);
  };
  return {
    nodes: nodes as [Node, ...Node[]],
    asked,
    look,
    readFrom: (place: number) => {
      const target = upstreams[place];
      if (target !== undefined) node.moveTo(target);
    },
    /** After how many milliseconds of looks the block is gone; undefined if it is not by then. */
    goneAfter: async (atMostMs: number) => {
      const startedAt = now;
      while (now - startedAt < atMostMs) if (await look()) return now - startedAt;
      return undefined;
    },
  };
}

const IN_TIME = VANISHED_MS + 2 * ASK_MS;

test.each([1, 2, 3])('a block that none of %d nodes has any more is gone within seconds', async (count) => {
  const { nodes, look, goneAfter } = world(count);
  await look();
  for (const node of nodes) node.head = () => TOP - 40;
  const after = await goneAfter(120_000);
  expect(after).toBeGreaterThanOrEqual(VANISHED_MS);
  expect(after).toBeLessThanOrEqual(IN_TIME);
});

test('a chain that became shorter and grows meanwhile is followed as well', async () => {
  const { nodes, look, goneAfter } = world(1);
  await look();
  let head = TOP - 40;
  nodes[0].head = () => {
    head += 0.1;
    return Math.floor(head);
  };
  expect(await goneAfter(120_000)).toBeLessThanOrEqual(IN_TIME);
});

test('the node that told it takes it back while another is silent: gone within seconds', async () => {
  const { nodes, look, goneAfter } = world(2);
  await look();
  nodes[0].head = () => TOP - 5;
  (nodes[1] as Node).isUp = false;
  expect(await goneAfter(120_000)).toBeLessThanOrEqual(IN_TIME);
});

test('a node that lags behind another that answers takes nothing back', async () => {
  const { nodes, goneAfter } = world(2);
  nodes[0].head = () => TOP - 5;
  expect(await goneAfter(300_000)).toBeUndefined();
});

test('nor does one that told the block and lost it, while another has it', async () => {
  const { nodes, look, goneAfter } = world(2);
  await look();
  nodes[0].head = () => TOP - 5;
  expect(await goneAfter(300_000)).toBeUndefined();
});

test('nor does one that lags while the one that told the block is silent, or syncs', async () => {
  for (const change of [{ isUp: false }, { syncing: true, head: () => TOP - 50 }]) {
    const { nodes, look, readFrom, goneAfter } = world(2);
    await look();
    Object.assign(nodes[0], change);
    (nodes[1] as Node).head = () => TOP - 5;
    readFrom(1);
    expect(await goneAfter(300_000)).toBeUndefined();
  }
});

test('nor one that syncs, whatever it has told before', async () => {
  const { nodes, look, goneAfter } = world(1);
  await look();
  Object.assign(nodes[0], { syncing: true, head: () => 3 });
  expect(await goneAfter(300_000)).toBeUndefined();
  nodes[0].syncing = 'unsupported';
  expect(await goneAfter(300_000)).toBeLessThanOrEqual(IN_TIME);
});

test('what most nodes lack is gone after a minute, though nobody takes it back', async () => {
  const { nodes, look, readFrom, goneAfter } = world(3);
  await look();
  nodes[0].isUp = false;
  for (const node of nodes.slice(1)) node.head = () => TOP - 5;
  readFrom(1);
  const after = await goneAfter(300_000);
  expect(after).toBeGreaterThanOrEqual(LAPSED_MS);
  expect(after).toBeLessThanOrEqual(LAPSED_MS + 2 * ASK_MS);
});

test('a URL with several nodes, one of which lags, takes nothing back; once all do, it is gone', async () => {
  const { nodes, look, goneAfter } = world(1);
  await look();
  nodes[0].head = () => TOP - 5;
  expect(await goneAfter(VANISHED_MS / 2)).toBeUndefined();
  // Later the one that lags answers for longer than it takes to be believed.
  for (let times = 0; times < 20; times += 1) {
    nodes[0].head = () => TOP;
    await look();
    nodes[0].head = () => TOP - 5;
    expect(await goneAfter(2 * VANISHED_MS)).toBeUndefined();
  }
  nodes[0].head = () => TOP - 5;
  expect(await goneAfter(600_000)).toBeLessThanOrEqual(POOLED_MS + IN_TIME);
});

test('the upstreams are asked once a second, and only while the node that is read is behind', async () => {
  const { nodes, asked, look } = world(2);
  for (let looks = 0; looks < 40; looks += 1) await look();
  expect(asked).toEqual([]);
  nodes[0].head = () => TOP - 5;
  for (let looks = 0; looks < 40; looks += 1) await look();
  expect(asked).toHaveLength(20);
});

test('whatever nodes do that only lag, nothing is gone while they are at most half', async () => {
  const change = fc.record({
    node: fc.nat(3),
    isUp: fc.boolean(),
    syncing: fc.boolean(),
    behind: fc.nat(30),
    read: fc.nat(3),
    looks: fc.nat(40),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 2, max: 4 }),
      fc.array(change, { maxLength: 12 }),
      async (count, changes) => {
        const { nodes, look, readFrom } = world(count);
        const lagging = Math.floor(count / 2);
        // Heads of nodes that lag only rise.
        const heads = nodes.map((_, place) => (place < lagging ? TOP - 30 : TOP));
        for (const [place, node] of nodes.entries()) node.head = () => heads[place] as number;
        for (const { node: chosen, isUp, syncing, behind, read, looks } of changes) {
          const place = chosen % count;
          Object.assign(nodes[place] as Node, { isUp, syncing });
          if (place < lagging) heads[place] = Math.max(heads[place] as number, TOP - behind);
          readFrom(read % count);
          for (let done = 0; done < looks; done += 1) expect(await look()).toBe(false);
        }
      },
    ),
    { numRuns: repetitions(100) },
  );
});
