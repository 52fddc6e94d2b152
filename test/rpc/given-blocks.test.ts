/** A block that a key got is there for it at any instance, and its newest state is no older. */
import { blockOfValue, transactionOf, valueAt } from '../nodes/simulated-chain.ts';
import { type SharedNode, SimulatedProcesses } from '../nodes/simulated-processes.ts';

const BLOCK_MS = 1_000;
const WAY_MS = 40;
const PROCESSES = 9;
const ROUNDS = 100;
const ADDRESS = `0x${'1'.repeat(40)}`;

type Asked = readonly [method: string, params: (block: string) => readonly unknown[]];

const OF_A_BLOCK: readonly Asked[] = [
  ['eth_getBlockByNumber', (block) => [block, false]],
  ['eth_getBalance', (block) => [ADDRESS, block]],
  ['eth_getLogs', (block) => [{ fromBlock: block, toBlock: block }]],
];

function apart(lateMs = 600, count = 2): SharedNode[] {
  return Array.from({ length: count }, (_, index) => ({ latencyMs: WAY_MS, lateMs: index * lateMs }));
}

/** A client that learns of each block from one process and asks another for it at once. */
async function follow(world: SimulatedProcesses, [method, params]: Asked) {
  const seen: { readonly result: unknown; readonly ms: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { body } = await world.asked((round * 7) % PROCESSES, 'eth_blockNumber');
    const { body: response, ms } = await world.asked(
      (round * 7 + 3) % PROCESSES,
      method,
      params(String(body.result)),
    );
    seen.push({ result: response.result, ms });
    await world.clock.pass(490);
  }
  return seen;
}

describe.each([2, 3])('of %i nodes that have each block at another time', (count) => {
  test.each(OF_A_BLOCK)(
    'a block that a key was given is there, whatever instance is asked: %s',
    async (...asked) => {
      const world = new SimulatedProcesses(apart(600, count), { processes: PROCESSES, blockMs: BLOCK_MS });
      const seen = await follow(world, asked);
      expect(seen.filter(({ result }) => result === null || result === undefined)).toEqual([]);
      if (asked[0] === 'eth_getLogs')
        expect(seen.filter(({ result }) => (result as unknown[]).length !== 1)).toEqual([]);
      const ways = seen.reduce((sum, { ms }) => sum + ms, 0) / seen.length / WAY_MS;
      expect(ways).toBeLessThanOrEqual(1.3);
    },
  );
});

/** Block of the receipt of the newest transaction, as a process shows it; undefined if that shows none. */
async function receiptBlock(world: SimulatedProcesses, process: number): Promise<string | undefined> {
  const { body } = await world.asked(process, 'eth_getTransactionReceipt', [transactionOf(world.chain.head)]);
  return (body.result as { readonly blockNumber: string } | null)?.blockNumber;
}

test.each(OF_A_BLOCK)(
  'a block whose receipt a key got is there by its number, whatever instance is asked: %s',
  async (method, params) => {
    const world = new SimulatedProcesses(apart(), { processes: PROCESSES, blockMs: BLOCK_MS });
    let found = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const block = await receiptBlock(world, (round * 7) % PROCESSES);
      if (block !== undefined) {
        found += 1;
        const { body } = await world.asked((round * 7 + 3) % PROCESSES, method, params(block));
        expect(body.result ?? null).not.toBeNull();
        if (method === 'eth_getLogs') expect(body.result).toHaveLength(1);
      }
      await world.clock.pass(490);
    }
    expect(found).toBeGreaterThan(ROUNDS / 2);
  },
);

test.each([
  ['of the same process', { places: 0 }],
  ['of another process', { places: 3 }],
  ['of another process, and a third was asked for the number before', { places: 3, counts: true }],
  ['of another process that gets the block as X-Min-Block', { places: 3, isTold: true }],
  ['of another process that is asked for the number in the same request', { places: 3, isBatch: true }],
])('the newest state is not older than the receipt that a key got: %s', async (_, asking) => {
  const {
    places,
    counts = false,
    isTold = false,
    isBatch = false,
  }: { places: number; counts?: boolean; isTold?: boolean; isBatch?: boolean } = asking;
  const world = new SimulatedProcesses(apart(), { processes: PROCESSES, blockMs: BLOCK_MS });
  const older: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const process = (round * 7) % PROCESSES;
    if (counts) await world.asked((process + 5) % PROCESSES, 'eth_blockNumber');
    const block = await receiptBlock(world, process);
    if (block !== undefined) {
      const state = { jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [ADDRESS, 'latest'] };
      const request = isBatch ? [{ jsonrpc: '2.0', id: 2, method: 'eth_blockNumber' }, state] : state;
      const minBlock = isTold ? String(Number(block)) : undefined;
      const asked = world.post((process + places) % PROCESSES, request, 'key', minBlock);
      const { body } = await world.clock.until(asked);
      const answer = [body].flat().at(-1);
      if (blockOfValue(answer?.result as string) < Number(block)) older.push(block);
    }
    await world.clock.pass(490);
  }
  expect(older).toEqual([]);
});

test('one URL with several nodes behind it is asked once more after a block time', async () => {
  const node: SharedNode = { latencyMs: WAY_MS };
  const world = new SimulatedProcesses([node], { processes: 2, blockMs: 400 });
  await world.clock.pass(100);
  const block = String((await world.asked(0, 'eth_blockNumber')).body.result);
  node.lag = 1;
  const { body, ms } = await world.asked(1, 'eth_getBalance', [ADDRESS, block]);
  expect(body.result).toBe(valueAt(ADDRESS, Number(block)));
  expect(ms).toBeLessThanOrEqual(500 + 5 * WAY_MS);
});

test.each([1, 2, 3])(
  'a block that is gone is given as it is, after half a second and few questions to %i nodes',
  async (count) => {
    const nodes = apart(0, count);
    const world = new SimulatedProcesses(nodes, { processes: 2, blockMs: 12_000 });
    await world.asked(1, 'eth_getBalance', [ADDRESS, 'latest']);
    const block = String((await world.asked(0, 'eth_blockNumber')).body.result);
    for (const node of nodes) node.lag = 5;
    const before = world.nodeCalls;
    const { body, ms } = await world.asked(1, 'eth_getBlockByNumber', [block, false]);
    expect(body).toMatchObject({ result: null });
    expect(ms).toBeLessThanOrEqual(500 + 5 * WAY_MS);
    expect(world.nodeCalls - before).toBeLessThanOrEqual(4 + 5 * count);
  },
);

test.each([
  ['once in ten seconds where it was shown no young block', false, false, 2],
  ['five times a second where it was', true, false, 100],
  ['once in ten seconds again once what it was shown has expired', true, true, 3],
])('the item of a key is read for its newest state at most %s', async (_, isShown, isExpired, most) => {
  const world = new SimulatedProcesses(apart(), { blockMs: BLOCK_MS });
  while (isShown && world.given.writes === 0) {
    await receiptBlock(world, 0);
    await world.clock.pass(490);
  }
  if (isExpired) world.given.expire();
  const { reads } = world.given;
  for (let asked = 0; asked < 200; asked++) {
    await world.asked(0, 'eth_getBalance', [ADDRESS, 'latest']);
    await world.clock.pass(60);
  }
  expect(world.given.reads - reads).toBeLessThanOrEqual(most);
  expect(world.given.reads).toBeGreaterThan(reads);
});

test('a store that is away costs no answer, and no more than its time', async () => {
  const world = new SimulatedProcesses(apart(), { processes: PROCESSES, blockMs: BLOCK_MS });
  world.given.failing = 1;
  for (const { ms } of await follow(world, OF_A_BLOCK[1] as Asked)) expect(ms).toBeLessThanOrEqual(800);
});

test('the newest state is asked of the upstream that has what the key was given, once that is no lead of one alone', async () => {
  const world = new SimulatedProcesses(apart(3_000), { blockMs: BLOCK_MS });
  let older = 0;
  for (let asked = 0; asked < ROUNDS; asked++) {
    const { body } = await world.asked(0, 'eth_blockNumber');
    await world.clock.pass(1_000);
    const { body: state } = await world.asked(0, 'eth_getBalance', [ADDRESS, 'latest']);
    const block = Number.parseInt(String(state.result).slice(2, -8), 16);
    if (block < Number(body.result)) older += 1;
    await world.clock.pass(200);
  }
  expect(older).toBe(0);
});
