/** The head of a key does not go back for it, at the price of one reading a request. */
import { type SharedNode, SimulatedProcesses } from '../nodes/simulated-processes.ts';
import { repetitions } from '../support/at-length.ts';

const BLOCK_MS = 1_000;
const PROCESSES = 9;
const ASKED = repetitions(1_000);

/** Two nodes of which one has each block later than the other. */
function apart(lateMs = 600): SharedNode[] {
  return [{ latencyMs: 40 }, { latencyMs: 40, lateMs }];
}

/** Number of the newest block as a key is told by a process, in one of two ways. */
async function newest(world: SimulatedProcesses, process: number, way: 'number' | 'block', keyId = 'key') {
  const { body, ...seen } =
    way === 'number'
      ? await world.asked(process, 'eth_blockNumber', [], keyId)
      : await world.asked(process, 'eth_getBlockByNumber', ['latest', false], keyId);
  const told = way === 'number' ? body.result : (body.result as { number: string } | undefined)?.number;
  return { ...seen, number: told === undefined ? undefined : Number(told) };
}

/** How often the head went back for one key that asks one process after the other. */
async function timesBack(world: SimulatedProcesses, way: 'number' | 'block' | 'both'): Promise<number> {
  let last = 0;
  let back = 0;
  for (let asked = 0; asked < ASKED; asked++) {
    const chosen = way === 'both' ? (asked % 2 === 0 ? 'number' : 'block') : way;
    const { number } = await newest(world, (asked * 7) % PROCESSES, chosen);
    if (number === undefined) continue;
    if (number < last) back += 1;
    last = number;
    await world.clock.pass(60);
  }
  return back;
}

test('a store that is away costs the promise, and no answer', async () => {
  const world = new SimulatedProcesses(apart(), { processes: PROCESSES, blockMs: BLOCK_MS });
  world.given.failing = 1;
  expect(await timesBack(world, 'number')).toBeGreaterThan(0);
  expect(world.notKept).toBe(ASKED);
});

test('a key whose item is throttled for a minute loses its own promise, and another key nothing', async () => {
  const throttled = Object.assign(new Error('too many requests'), { $metadata: { httpStatusCode: 400 } });
  let refused = 0;
  const refuse = () => {
    refused += 1;
    return Promise.reject(throttled);
  };
  const world = new SimulatedProcesses(apart(), {
    processes: PROCESSES,
    blockMs: BLOCK_MS,
    around: {
      given: (store) => ({
        read: (keyId, chain) => (keyId === 'hot' ? refuse() : store.read(keyId, chain)),
        raise: (keyId, ...rest) => (keyId === 'hot' ? refuse() : store.raise(keyId, ...rest)),
        readTakers: (...asked) => store.readTakers(...asked),
        keepTakers: (...kept) => store.keepTakers(...kept),
      }),
    },
  });
  const until = world.clock.now() + 60_000;
  const [lost, back] = [new Map<string, number>(), new Map<string, number>()];
  const last = new Map<string, number>();
  const add = (to: Map<string, number>, keyId: string, count: number) =>
    to.set(keyId, (to.get(keyId) ?? 0) + count);
  for (let asked = 0; world.clock.now() < until; asked++) {
    for (const keyId of ['hot', 'other']) {
      const before = world.notKept;
      const { number = 0 } = await newest(world, (asked * 7) % PROCESSES, 'number', keyId);
      add(lost, keyId, world.notKept - before);
      add(back, keyId, number < (last.get(keyId) ?? 0) ? 1 : 0);
      last.set(keyId, number);
    }
    await world.clock.pass(60);
  }
  expect([lost.get('other'), back.get('other')]).toEqual([0, 0]);
  expect(lost.get('hot')).toBeGreaterThan(0);
  // Each process asks for it once a second.
  expect(refused).toBeLessThanOrEqual(61 * PROCESSES);
});

test('a store that hangs makes a request wait for 150 ms, and leaves a process alone for a second then', async () => {
  const world = new SimulatedProcesses([{ latencyMs: 40 }], { blockMs: BLOCK_MS });
  await newest(world, 0, 'number');
  await world.clock.pass(1_200);
  world.given.latencyMs = 10_000;
  expect((await newest(world, 0, 'number')).ms).toBe(150);
  expect((await newest(world, 0, 'number')).ms).toBe(40);
});

test('the item of a key is read for a head and written for a higher one; other calls ask nothing of it', async () => {
  const world = new SimulatedProcesses([{ latencyMs: 40 }], { blockMs: BLOCK_MS });
  for (let asked = 0; asked < 100; asked++) {
    await newest(world, 0, 'number');
    await world.clock.pass(60);
  }
  expect(world.given.reads).toBe(100);
  expect(world.given.writes).toBeLessThanOrEqual(12);
  await world.asked(0, 'eth_getBalance', ['0x1', 'latest']);
  expect(world.given.reads).toBe(100);
});

describe.each([1, 5, 300])('a chain that becomes shorter by %i blocks', (blocks) => {
  test.each([
    [1, PROCESSES, 100],
    [2, PROCESSES, 100],
    [2, 3, 20],
  ])(
    'is followed, with %i nodes and %i processes, and no head comes back that is gone',
    async (count, processes, pauseMs) => {
      const nodes: SharedNode[] = Array.from({ length: count }, () => ({ latencyMs: 40 }));
      const world = new SimulatedProcesses(nodes, { processes, blockMs: 12_000 });
      for (let asked = 0; asked < 3 * processes; asked++) {
        await newest(world, asked % processes, 'number');
        await world.clock.pass(3 * pauseMs);
      }
      const before = world.chain.head;
      for (const node of nodes) node.lag = blocks;
      const seen: number[] = [];
      for (let asked = 0; asked < 36; asked++) {
        const { number = 0 } = await newest(world, asked % processes, asked % 5 > 0 ? 'number' : 'block');
        seen.push(number);
        await world.clock.pass(pauseMs);
      }
      const isBack = (number: number) => number < before;
      expect(seen.findIndex(isBack)).toBeLessThanOrEqual(2);
      const followed = seen.slice(seen.findIndex(isBack));
      expect(followed).toEqual(followed.toSorted((one, other) => one - other));
      expect(seen.at(-1)).toBe(world.chain.head - blocks);
    },
  );
});

test('keys have heads of their own', async () => {
  const world = new SimulatedProcesses([{ latencyMs: 40 }], { processes: 2, blockMs: BLOCK_MS });
  const { number } = await newest(world, 0, 'number', 'one');
  expect((await newest(world, 1, 'number', 'other')).number).toBe(number);
  expect(world.given.writes).toBe(2);
});

describe('X-Chain-Head', () => {
  test('is a block that the response is at least as new as, of a call about the newest block', async () => {
    const world = new SimulatedProcesses(apart(), { processes: 2, blockMs: BLOCK_MS });
    for (let asked = 0; asked < 100; asked++) {
      const { body, headers } = await world.asked(asked % 2, 'eth_getBalance', ['0x1', 'latest']);
      const block = Number.parseInt(String(body.result).slice(2, -8), 16);
      expect(Number(headers['X-Chain-Head'])).toBeLessThanOrEqual(block);
      expect(Number(headers['X-Chain-Head'])).toBeGreaterThan(block - 8);
      await world.clock.pass(700);
    }
  });

  test('of the head itself is that', async () => {
    const world = new SimulatedProcesses(apart(), { blockMs: BLOCK_MS });
    for (let asked = 0; asked < 20; asked++) {
      const { number, headers } = await newest(world, 0, asked % 2 === 0 ? 'number' : 'block');
      expect(headers['X-Chain-Head']).toBe(String(number));
      await world.clock.pass(500);
    }
  });

  test('of another call is the head that is known, and of a request without one there is none', async () => {
    const world = new SimulatedProcesses([{ latencyMs: 40 }], { blockMs: BLOCK_MS });
    const first = await world.asked(0, 'eth_getTransactionReceipt', [`0x${'1'.padStart(64, '0')}`]);
    expect(first.headers['X-Chain-Head']).toBe(String(world.chain.head));
  });
});
