/** What one node replaces is rolled back only where others replace it too, and blocks of 100 ms change nothing of that. */
import { hex } from '../../shared/verify/made-block.ts';
import { provenChain, provingWorld, strangers, type WorldNode } from './proving-world.ts';

const FINALITY = 256;
const LENGTH = 440;
const FORK = 290;
const HEAD = 300;
const TRUTH = provenChain(LENGTH);
const otherFrom = (fork: number) =>
  provenChain(LENGTH, {
    onto: TRUTH.slice(0, fork),
    change: (sent) => ({ ...sent, block: { ...sent.block, gasLimit: hex(29_000_000) } }),
  });
const OTHER = otherFrom(FORK);

/** An index of the true chain, of whose nodes some then have another branch. */
async function branched(nodes: WorldNode[], changed: readonly number[], other = OTHER) {
  for (const node of nodes) Object.assign(node, { chain: TRUTH, head: HEAD });
  const world = provingWorld(nodes);
  await world.follow(3);
  for (const [place, node] of nodes.entries())
    Object.assign(node, { head: HEAD + 5, ...(changed.includes(place) && { chain: other }) });
  return world;
}
const node = (more: Partial<WorldNode> = {}): WorldNode => ({ chain: TRUTH, ...more });

test('a branch that the node which is read tells alone of three rolls nothing back, and another node is read', async () => {
  const world = await branched([node(), node(), node()], [0]);
  await world.follow(10);
  expect([world.stored.length, strangers(world.stored, TRUTH)]).toEqual([HEAD + 6, []]);
  expect(world.noted().rollbacks).toBe(0);
  expect(world.connection.current().name).not.toBe('node-0');
});

test('a deep branch that one of three tells halts nothing', async () => {
  const world = await branched([node(), node(), node()], [0], otherFrom(5));
  await world.follow(10);
  expect([world.noted().halts, strangers(world.stored, TRUTH)]).toEqual([0, []]);
  expect(world.stored).toHaveLength(HEAD + 6);
});

test('a deep branch that one of two tells halts nothing, and the other is read after a minute', async () => {
  const world = await branched([node(), node()], [0], otherFrom(5));
  await world.follow(80);
  expect([world.noted().halts, strangers(world.stored, TRUTH)]).toEqual([0, []]);
  expect(world.stored).toHaveLength(HEAD + 6);
});

test.each<[string, WorldNode[], readonly number[]]>([
  ['most nodes have', [node(), node(), node()], [0, 2]],
  ['all nodes have', [node(), node()], [0, 1]],
  ['the only node has', [node()], [0]],
  ['the only operator has', [node(), node({ operator: 'node-0' })], [0]],
])('a branch that %s is followed at once', async (_, nodes, changed) => {
  const world = await branched(nodes, changed);
  await world.follow(2);
  expect([world.stored.length, strangers(world.stored, OTHER)]).toEqual([HEAD + 6, []]);
});

test.each<[string, Partial<WorldNode>]>([
  ['the other of two does not have', {}],
  ['the other of two says nothing of', { isSilent: true }],
])('a branch that %s is followed after a minute', async (_, more) => {
  const nodes = [node(), node()];
  const world = await branched(nodes, [0]);
  Object.assign(nodes[1] as WorldNode, more);
  await world.follow(58);
  expect([world.stored.length, world.noted().rollbacks]).toEqual([HEAD + 1, 0]);
  await world.follow(6);
  expect([world.stored.length, world.noted().rollbacks]).toEqual([HEAD + 6, 1]);
});

describe('blocks of 100 ms', () => {
  /** One block after the other. */
  async function pass(world: ReturnType<typeof provingWorld>, nodes: WorldNode[], to: number) {
    for (let head = (nodes[0]?.head ?? 0) + 1; head <= to; head += 1) {
      for (const one of nodes) one.head = head;
      await world.follow(1);
      await world.wait(-900);
    }
  }

  test('while one of two nodes is down all blocks become final, and two calls name them once it is back', async () => {
    const nodes = [node({ head: 20 }), node({ head: 20, isSilent: true })];
    const world = provingWorld(nodes);
    await pass(world, nodes, 400);
    expect(world.stored).toHaveLength(401);
    expect(world.noted().named).toBeUndefined();
    (nodes[1] as WorldNode).isSilent = false;
    const before = world.calls[1] ?? 0;
    for (let head = 401; world.noted().named === undefined && head < LENGTH - 1; head += 5)
      await pass(world, nodes, head);
    expect(world.noted().named).toBeGreaterThanOrEqual(401 - FINALITY / 2);
    // One more is for its head.
    expect((world.calls[1] ?? 0) - before).toBeLessThanOrEqual(3);
  });

  test('a fork by one of three is right ten seconds after it can be seen', async () => {
    const forged = otherFrom(150);
    const nodes = [node({ chain: forged, head: 20 }), node({ head: 20 }), node({ head: 20 })];
    const world = provingWorld(nodes);
    await pass(world, nodes, 150 + FINALITY / 2 + 100);
    expect(strangers(world.stored, TRUTH)).toEqual([]);
    expect(world.blamed()).toEqual(['node-0']);
  });
});
