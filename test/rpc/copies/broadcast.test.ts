/**
 * A transaction is also sent to further upstreams of its mempool, after the response and at no cost; what goes to a private
 * mempool goes nowhere else, whatever becomes of its upstream.
 */
import { broadcast } from '../../../lambdas/shared/upstream/copies/broadcast.ts';
import type { UpstreamAbilities } from '../../../lambdas/shared/upstream/upstream.ts';
import type { ReceivedCall } from '../../nodes/replies.ts';
import { type SharedNode, SimulatedProcesses } from '../../nodes/simulated-processes.ts';
import { batched } from '../seen/absent-answers.ts';

const SEND = 'eth_sendRawTransaction';
const HASH = `"0x${'7'.repeat(64)}"`;
const WAY_MS = 20;

interface PoolNode extends SharedNode {
  /** Transactions that it was sent, in order. */
  readonly sent: string[];
}

function poolNode(abilities: UpstreamAbilities = {}): PoolNode {
  const sent: string[] = [];
  const respond = ({ method, params = [] }: ReceivedCall) => {
    if (method !== SEND) return undefined;
    sent.push(String(params[0]));
    return { result: HASH };
  };
  return { latencyMs: WAY_MS, sent, abilities, respond };
}

function stage(nodes: readonly PoolNode[], count: number, seed = 1): SimulatedProcesses {
  const copies = {
    copies: (node: Parameters<typeof broadcast>[0]) => ({
      send: (answered: Parameters<typeof broadcast>[2]) => broadcast(node, count, answered),
    }),
  };
  return new SimulatedProcesses(nodes, { blockMs: 60_000, seed, around: copies });
}

function rawOf(number: number): string {
  return `0x02${number.toString(16).padStart(8, '0')}`;
}

/** Sends so many transactions; the codes of the errors, and the longest time that a client waited. */
async function send(world: SimulatedProcesses, count: number) {
  const errors: unknown[] = [];
  let longestMs = 0;
  for (let number = 0; number < count; number++) {
    const { body, ms } = await world.asked(0, SEND, [rawOf(number)]);
    if (body.error !== undefined) errors.push(body.error.data?.reason ?? body.error.code);
    longestMs = Math.max(longestMs, ms);
    await world.clock.pass(600);
  }
  return { errors, longestMs };
}

const all = (count: number) => Array.from({ length: count }, (_, number) => rawOf(number));

test.each([
  [1, 1],
  [2, 2],
  [3, 3],
  [3, 9],
])('of three nodes %i get each transaction, where %i are wanted', async (getting, wanted) => {
  const nodes = [poolNode(), poolNode(), poolNode()];
  const world = stage(nodes, wanted);
  const alone = await send(stage([poolNode(), poolNode(), poolNode()], 1), 20);
  expect(alone.errors).toEqual([]);
  expect(await send(world, 20)).toEqual(alone);
  const copies = all(20).map((raw) => nodes.filter(({ sent }) => sent.includes(raw)).length);
  expect(copies).toEqual(copies.map(() => getting));
  // None of them gets one twice.
  for (const { sent } of nodes) expect(new Set(sent).size).toBe(sent.length);
});

test('a batch of transactions is copied as a whole, and other calls are not', async () => {
  const nodes = [poolNode(), poolNode()];
  const world = stage(nodes, 2);
  await world.clock.until(
    world.post(0, [
      batched(SEND, [rawOf(1)], 1),
      batched('eth_blockNumber', [], 2),
      batched(SEND, [rawOf(2)], 3),
    ]),
  );
  await world.clock.pass(600);
  expect(nodes.map(({ sent }) => sent)).toEqual([
    [rawOf(1), rawOf(2)],
    [rawOf(1), rawOf(2)],
  ]);
});

test('of nodes that name other mempools, or do not take transactions, none gets one', async () => {
  const nodes = [
    poolNode({ mempool: 'a' }),
    poolNode({ mempool: 'a' }),
    poolNode({ mempool: 'b', methods: { deny: [SEND] } }),
    poolNode({ mempool: 'a', methods: { deny: [SEND] } }),
  ];
  await send(stage(nodes, 4), 20);
  expect(nodes.map(({ sent }) => sent.length)).toEqual([20, 20, 0, 0]);
});

test.each(['stall', 'failure', 'refusal'] as const)(
  'a copy that comes to nothing costs the client nothing, and its node nothing: %s',
  async (kind) => {
    const nodes = [poolNode(), poolNode()];
    const [taker, other] = nodes as [PoolNode, PoolNode];
    const world = stage(nodes, 2);
    const { respond } = other;
    other.respond = (asked) =>
      asked.method === SEND ? { error: '{"code":-32000,"message":"txpool is full"}' } : respond?.(asked);
    await send(world, 1);
    // From now on the first gets the key's transactions, and the other copies of them.
    const copied = taker.sent.length;
    let copies = 0;
    other.fate = (calls) => {
      if (calls.every(({ method }) => method !== SEND)) return { kind: 'answer' };
      copies += 1;
      if (kind === 'refusal') return { kind: 'response', status: 500, body: 'no' };
      return kind === 'stall' ? { kind } : { kind, error: 'unreachable', sent: false };
    };
    const { errors, longestMs } = await send(world, 20);
    expect(errors).toEqual([]);
    expect(longestMs).toBeLessThan(150);
    expect([taker.sent.length - copied, copies]).toEqual([20, 20]);
    expect(world.nodeOf(0).upstreams[1]?.health.errorRate).toBe(0);
  },
);

test('what a node refuses is not sent on', async () => {
  const nodes = [poolNode(), poolNode()];
  for (const node of nodes)
    node.respond = ({ method, params = [] }) => {
      if (method !== SEND) return undefined;
      node.sent.push(String(params[0]));
      return { error: '{"code":-32000,"message":"insufficient funds for gas * price + value"}' };
    };
  await send(stage(nodes, 2), 10);
  expect(nodes.reduce((sum, { sent }) => sum + sent.length, 0)).toBe(10);
});

describe('beside a private upstream', () => {
  const PRIVATE = { mempool: 'private' };

  test.each([
    ['does not answer', { kind: 'failure', error: 'unreachable', sent: false }],
    ['hangs', { kind: 'stall' }],
    ['refuses for its plan', { kind: 'response', status: 429, body: '' }],
    ['fails', { kind: 'response', status: 503, body: 'unavailable' }],
  ] as const)('they are nowhere else while it %s', async (_, fate) => {
    const nodes = [poolNode(), poolNode(PRIVATE)];
    const world = stage(nodes, 2);
    await world.asked(0, 'eth_blockNumber');
    (nodes[1] as PoolNode).fate = (calls) =>
      calls.some(({ method }) => method === SEND) ? fate : { kind: 'answer' };
    const { errors } = await send(world, 15);
    expect(errors).toHaveLength(15);
    expect(nodes[0]?.sent).toEqual([]);
  });

  test('they are nowhere else while it has no room for them, or an operator holds it', async () => {
    const nodes = [poolNode(), poolNode(PRIVATE)];
    const [shown, hidden] = nodes as [PoolNode, PoolNode];
    const world = stage(nodes, 2);
    hidden.respond = ({ method }) =>
      method === SEND ? { error: '{"code":-32000,"message":"txpool is full"}' } : undefined;
    expect((await send(world, 5)).errors).toHaveLength(5);
    world.nodeOf(0).upstreams[1]?.health.hold(Number.MAX_SAFE_INTEGER);
    expect((await send(world, 5)).errors).toHaveLength(5);
    expect(shown.sent).toEqual([]);
  });

  test('reads go to all', async () => {
    const nodes = [poolNode(), poolNode(PRIVATE)];
    const asked = [0, 0];
    for (const [place, node] of nodes.entries())
      node.fate = () => {
        asked[place] = (asked[place] ?? 0) + 1;
        return { kind: 'answer' };
      };
    const world = stage(nodes, 2);
    for (let round = 0; round < 40; round++) await world.asked(0, 'eth_getBalance', ['0x1', 'latest']);
    expect(Math.min(...asked)).toBeGreaterThan(5);
  });
});
