/** A process that was idle answers after one way to a node, by no knowledge that is too old. */
import { hex, transactionOf } from '../nodes/simulated-chain.ts';
import { type SharedNode, SimulatedProcesses } from '../nodes/simulated-processes.ts';

/** Time of a way to a node and back, in milliseconds. */
const WAY_MS = 100;
const BLOCK_MS = 1_000;
/** Ways to a node that a request may wait for, on average. */
const MAX_WAYS = 1.15;
const ADDRESS = `0x${'1'.repeat(40)}`;

type Asked = readonly [method: string, params: (head: number) => readonly unknown[]];

const METHODS: readonly Asked[] = [
  ['eth_blockNumber', () => []],
  ['eth_getBlockByNumber', () => ['latest', false]],
  ['eth_getBalance', () => [ADDRESS, 'latest']],
  ['eth_call', () => [{ to: ADDRESS }, 'latest']],
  ['eth_getBalance', (head) => [ADDRESS, hex(head - 3)]],
  ['eth_getBlockByNumber', (head) => [hex(head - 2), false]],
  ['eth_getBlockByNumber', (head) => [hex(head - 2_000), false]],
  ['eth_getTransactionReceipt', (head) => [transactionOf(head - 5)]],
  ['eth_getLogs', (head) => [{ fromBlock: hex(head - 60), toBlock: hex(head - 40) }]],
  ['eth_getLogs', (head) => [{ fromBlock: hex(head - 20), toBlock: 'latest' }]],
];

async function waysOf(world: SimulatedProcesses, [method, params]: Asked, pauseMs: number): Promise<number> {
  const waits: number[] = [];
  for (let asked = 0; asked < 20; asked++) {
    await world.clock.pass(pauseMs);
    const { ms, body } = await world.asked(0, method, params(world.chain.head));
    expect(body.error).toBeUndefined();
    waits.push(ms);
  }
  return waits.reduce((sum, ms) => sum + ms, 0) / waits.length / WAY_MS;
}

describe.each([1, 2, 3])('of a chain with %i nodes', (count) => {
  const nodes = (): SharedNode[] => Array.from({ length: count }, () => ({ latencyMs: WAY_MS }));

  test.each(METHODS)('a request after a pause waits for one way to a node: %s', async (method, params) => {
    const world = new SimulatedProcesses(nodes(), { blockMs: BLOCK_MS });
    await world.asked(0, 'eth_getBalance', [ADDRESS, 'latest']);
    await world.clock.pass(20_000);
    await world.asked(0, 'eth_getBalance', [ADDRESS, 'latest']);
    const isRange = method === 'eth_getLogs';
    expect(await waysOf(world, [method, params], 3_000)).toBeLessThanOrEqual(MAX_WAYS);
    // What a node has of a new range is not known after so long: it is asked before.
    if (!isRange || count === 1)
      expect(await waysOf(world, [method, params], 60_000)).toBeLessThanOrEqual(MAX_WAYS);
  });

  test('and costs two calls of nodes', async () => {
    const world = new SimulatedProcesses(nodes(), { blockMs: BLOCK_MS });
    for (let asked = 0; asked < 3; asked++) {
      await world.asked(0, 'eth_getBalance', [ADDRESS, 'latest']);
      await world.clock.pass(20_000);
    }
    world.nodeCalls = 0;
    for (let asked = 0; asked < 100; asked++) {
      await world.asked(0, 'eth_getBalance', [ADDRESS, 'latest']);
      await world.clock.pass(3_000);
    }
    expect(world.nodeCalls / 100).toBeLessThanOrEqual(2);
  });
});

describe('after an hour in which a process stood still', () => {
  const HOUR_MS = 3_600_000;
  const balance = ['eth_getBalance', [ADDRESS, 'latest']] as const;

  async function awake(nodes: readonly SharedNode[]): Promise<SimulatedProcesses> {
    const world = new SimulatedProcesses(nodes, { blockMs: BLOCK_MS });
    for (let asked = 0; asked < 3; asked++) {
      await world.asked(0, ...balance);
      await world.clock.pass(2_500);
    }
    await world.clock.pass(HOUR_MS);
    return world;
  }

  test.each([10, 100, 3_500])(
    'a node that fell %i blocks behind meanwhile answers nothing about the newest block',
    async (lag) => {
      const nodes: SharedNode[] = [{ latencyMs: WAY_MS }, { latencyMs: WAY_MS }];
      const world = await awake(nodes);
      (nodes[0] as SharedNode).lag = lag;
      for (let asked = 0; asked < 20; asked++) {
        const { body } = await world.asked(0, ...balance);
        const block = Number.parseInt(String(body.result).slice(2, -8), 16);
        expect(world.chain.head - block).toBeLessThanOrEqual(8);
        await world.clock.pass(3_000);
      }
    },
  );

  test('state that has left the window meanwhile is refused by the first response, and what is in it passes', async () => {
    const world = await awake([{ latencyMs: WAY_MS }]);
    const { head } = world.chain;
    const gone = await world.asked(0, 'eth_getBalance', [ADDRESS, hex(head - 200)]);
    expect(gone.body.error).toMatchObject({ code: -32011 });
    expect(gone.headers['X-CU-Billed']).toBe('0');
    await world.clock.pass(HOUR_MS);
    const there = await world.asked(0, 'eth_getBalance', [ADDRESS, hex(world.chain.head - 100)]);
    expect(there.body.result).toBeDefined();
  });

  test('a range of logs is refused or sent by what is known, and only in doubt is a node asked before', async () => {
    const world = await awake([{ latencyMs: WAY_MS }]);
    const before = world.chain.head - 3_600;
    world.nodeCalls = 0;
    const tooLarge = await world.asked(0, 'eth_getLogs', [
      { fromBlock: hex(before - 20_000 < 0 ? 0 : before - 20_000), toBlock: 'latest' },
    ]);
    expect(tooLarge.body.error).toMatchObject({ code: -32602 });
    expect([world.nodeCalls, tooLarge.ms]).toEqual([0, 0]);
    const small = await world.asked(0, 'eth_getLogs', [
      { fromBlock: hex(world.chain.head - 5), toBlock: 'latest' },
    ]);
    expect(small.body.result).toBeDefined();
  });

  test('a chain that is shorter now is what it is, not what it was', async () => {
    const nodes: SharedNode[] = [{ latencyMs: WAY_MS }, { latencyMs: WAY_MS }];
    const world = await awake(nodes);
    for (const node of nodes) node.lag = 5_000;
    const { body } = await world.asked(0, 'eth_blockNumber');
    expect(Number(body.result)).toBe(world.chain.head - 5_000);
  });
});
