import type { Hex, RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { createStickyUpstream } from '../../../lambdas/indexer/fetch/sticky-upstream.ts';
import { createStickyReader } from '../../../lambdas/indexer/follow/sticky-reader.ts';
import { UpstreamError } from '../../../lambdas/shared/http/upstream-error.ts';
import type { NodeConnection } from '../../../lambdas/shared/upstream/connection/node-connection.ts';
import { verifyChain } from '../../../lambdas/shared/upstream/connection/verify-chain.ts';
import { createFakeNode, type ReceivedCall, type Said } from '../fetch/fake-node.ts';
import { answersOf, makeBlock, makeChain } from '../fetch/node-chain.ts';

const CHAIN_ID = 31_337;
const DEADLINE = Number.MAX_SAFE_INTEGER;
const TRACES = 'debug_traceBlockByNumber';
const UNSUPPORTED = { error: { code: -32601, message: 'method not found' } };

interface Upstream {
  /** Number of its newest block. */
  head: number;
  chainId: number;
  traces: boolean;
  isUp: boolean;
  /** Its next requests that fail. */
  failing?: number;
  /** Whether it refuses to say which its newest block is. */
  refusesHead?: boolean;
}

/** A reader of several nodes of one chain, which can be changed at any time. */
function world(changes: readonly Partial<Upstream>[]) {
  let now = 0;
  const clock = { now: () => now };
  const wait = async (ms: number) => {
    now += ms;
  };
  const moves: string[] = [];
  const asked: number[] = [];
  const chain = makeChain(400);
  const usual = answersOf(chain);
  const nodes: Upstream[] = changes.map((change) => ({
    head: 100,
    chainId: CHAIN_ID,
    traces: true,
    isUp: true,
    ...change,
  }));
  const upstreams = nodes.map((node, place) => {
    const fake = createFakeNode((call: ReceivedCall): Said => {
      if (call.method === 'eth_chainId') return { result: `0x${node.chainId.toString(16)}` };
      if (call.method === TRACES && !node.traces) return UNSUPPORTED;
      if (call.params[0] === 'latest' && node.refusesHead) return UNSUPPORTED;
      if (call.method === 'eth_getBlockByNumber' && Number(call.params[0]) > node.head)
        return { result: null };
      return call.params[0] === 'latest' ? { result: makeBlock(node.head, 2).block } : usual(call);
    });
    const post: typeof fake.post = async (request) => {
      asked.push(place);
      const { failing = 0 } = node;
      node.failing = Math.max(0, failing - 1);
      if (failing > 0) throw new UpstreamError('unreachable', { sent: false, reusedSocket: false });
      if (!node.isUp) throw new Error('unreachable');
      return fake.post(request);
    };
    const bare = { ...fake, post } as unknown as NodeConnection;
    const verified = { chainId: CHAIN_ID, clock, isStrict: true, onWrongChain: () => {} };
    return { name: `node-${place}`, connection: verifyChain(bare, verified) };
  });
  const connection = createStickyUpstream(upstreams, (upstream) => moves.push(upstream));
  const reader = createStickyReader({
    connection,
    form: { traces: true },
    clock,
    wait,
  });
  return {
    nodes,
    moves,
    asked,
    reader,
    wait,
    now: () => now,
    head: async () => (await reader.head({ deadline: DEADLINE })).number,
    tryHead: () => reader.head({ deadline: DEADLINE }).catch(() => undefined),
    read: async (from: number, to: number) => {
      const blocks: RawBlock[] = [];
      for await (const page of reader.pages(from, to, { deadline: DEADLINE })) blocks.push(...page);
      return blocks.map(({ traces }) => (traces.kind === 'gap' ? traces.reason : traces.kind));
    },
  };
}

type World = ReturnType<typeof world>;

/** Asks for the head every second, while every node that is `moving` makes ten blocks. */
async function follow({ nodes, head, wait }: World, seconds: number, moving: readonly number[]) {
  let last = 0;
  for (let second = 0; second < seconds; second += 1) {
    for (const place of moving) (nodes[place] as Upstream).head += 10;
    last = await head();
    await wait(1_000);
  }
  return last;
}

test('a head that a node told as it was left is not the word of the next one, which lags: nothing is gone by it', async () => {
  const parts = world([{ head: 300, failing: 12 }, {}]);
  const { nodes, reader, wait } = parts;
  // Three requests of a read fail, and two by themselves; the head is there at the second attempt, and the next node's turn.
  await expect(parts.read(1, 1)).rejects.toThrow('block 1: unavailable');
  for (const deadline of [1, 1].map((ms) => parts.now() + ms))
    await expect(reader.header?.(1, { deadline })).rejects.toThrow();
  expect([await parts.tryHead(), parts.moves]).toMatchObject([{ number: 300 }, ['node-1']]);
  (nodes[0] as Upstream).isUp = false;
  const block = { number: 200, hash: '0x00' } as const;
  for (let second = 0; second < 20; second += 1) {
    expect(await reader.isGone?.(block, { deadline: DEADLINE })).toBe(false);
    await wait(1_000);
  }
});

describe('a node whose head stands still', () => {
  test('is left for one that goes on, within three quarters of a minute, and the lag is told till then', async () => {
    const parts = world([{}, {}]);
    expect(await parts.head()).toBe(100);
    expect(await follow(parts, 35, [1])).toBe(100);
    expect(parts.reader.blocksBehind?.()).toBeGreaterThan(100);
    expect(await follow(parts, 12, [1])).toBe(570);
    expect(parts.moves).toEqual(['node-1']);
    expect(parts.reader.blocksBehind?.()).toBe(0);
    expect(await parts.read(1, 3)).toEqual(['traced', 'traced', 'traced']);
  });

  test('is kept if the others have no more', async () => {
    const parts = world([{}, { head: 99 }, { isUp: false }]);
    expect(await follow(parts, 200, [])).toBe(100);
    expect(parts.moves).toEqual([]);
  });

  test('is kept if only a node of another chain has more', async () => {
    const parts = world([{}, { chainId: 1 }]);
    expect(await follow(parts, 200, [1])).toBe(100);
    expect(parts.moves).toEqual([]);
    expect(parts.reader.blocksBehind?.()).toBe(0);
  });
});

test('a node that is always a few seconds behind is kept, and the others are seldom asked', async () => {
  const parts = world([{}, { head: 150 }]);
  await follow(parts, 300, [0, 1]);
  // Ten times for its head, and once for its chain.
  expect(parts.moves).toEqual([]);
  expect(parts.asked.filter((place) => place === 1)).toHaveLength(10 + 1);
});

test('what was learnt of a node is of that node alone, and known when it is read again', async () => {
  const parts = world([{}, { traces: false }]);
  const [first, second] = parts.nodes as [Upstream, Upstream];
  const leave = async (node: Upstream) => {
    node.isUp = false;
    for (let tries = 0; tries < 6; tries += 1) await parts.tryHead();
    node.isUp = true;
  };
  expect(await parts.read(1, 2)).toEqual(['traced', 'traced']);
  expect(parts.reader.canTrace?.()).toBe(true);
  await leave(first);
  expect(await parts.read(3, 4)).toEqual(['unsupported', 'unsupported']);
  expect(parts.reader.canTrace?.()).toBe(false);
  await leave(second);
  expect(parts.reader.canTrace?.()).toBe(true);
  expect(await parts.read(5, 6)).toEqual(['traced', 'traced']);
  expect(parts.moves).toEqual(['node-1', 'node-0']);
});

test('a node that traces again is found by itself', async () => {
  const parts = world([{ traces: false }]);
  expect(await parts.read(1, 1)).toEqual(['unsupported']);
  (parts.nodes[0] as Upstream).traces = true;
  expect(await parts.read(2, 2)).toEqual(['unsupported']);
  await parts.wait(10 * 60_000);
  expect(await parts.read(3, 3)).toEqual(['traced']);
});

test('a node of another chain is refused after a move, and left again', async () => {
  const parts = world([{}, { chainId: 1 }]);
  expect(await parts.head()).toBe(100);
  const [first] = parts.nodes as [Upstream];
  first.isUp = false;
  for (let tries = 0; tries < 20 && parts.moves.length === 0; tries += 1) await parts.tryHead();
  expect(parts.moves).toEqual(['node-1']);
  // Asked again, it goes to the first, which is still down.
  await expect(parts.read(1, 1)).rejects.toThrow('unreachable');
  expect(parts.moves).toEqual(['node-1', 'node-0']);
  first.isUp = true;
  expect(await parts.head()).toBe(100);
});

test('a read that ends as its time is up is no reason to leave a node', async () => {
  const parts = world([{ head: 0 }, {}]);
  const read = () => parts.reader.pages(1, 1, { deadline: 0 }).next();
  for (let reads = 0; reads < 4; reads += 1) await expect(read()).rejects.toThrow('missing');
  expect(parts.moves).toEqual([]);
});

test('a node that refuses to tell its head three times is left, though it answers all else', async () => {
  const parts = world([{ refusesHead: true }, {}]);
  for (let times = 0; times < 3; times += 1) {
    expect(parts.moves).toEqual([]);
    expect(await parts.tryHead()).toBeUndefined();
  }
  expect(parts.moves).toEqual(['node-1']);
  expect(await parts.head()).toBe(100);
});

test('a block that the only node which answers told and takes back is gone within seconds', async () => {
  const parts = world([{}, { isUp: false }]);
  const block = { number: 100, hash: makeBlock(100, 2).block.hash as Hex };
  await parts.head();
  (parts.nodes[0] as Upstream).head = 60;
  const isGone = () => parts.reader.isGone?.(block, { deadline: DEADLINE });
  expect(await isGone()).toBe(false);
  await parts.wait(10_000);
  await parts.head();
  expect(await isGone()).toBe(true);
});
