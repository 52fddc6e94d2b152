/** Nothing cached outlives a reorganisation below what was final, in any process. */
import { ANCHOR_MAX_AGE_MS } from '../../../lambdas/rpc/cache/response-cache.ts';
import { FINALITY_BLOCKS } from '../../../lambdas/shared/runtime/finality.ts';
import { hex } from '../../nodes/simulated-chain.ts';
import { type SharedNode, SimulatedProcesses } from '../../nodes/simulated-processes.ts';

const BLOCK_MS = 1_000;
/** Time in which every instance looks back, and hears of a version that another has begun. */
const KNOWN_MS = ANCHOR_MAX_AGE_MS + 12_000;
const HOUR_MS = 3_600_000;
const PROCESSES = 3;

function nodes(count: number): SharedNode[] {
  return Array.from({ length: count }, () => ({ latencyMs: 20 }));
}

class World extends SimulatedProcesses {
  /** Hash of a block as a process answers it, and whether that came from the cache. */
  async hashAt(process: number, number: number) {
    const { body, headers } = await this.asked(process, 'eth_getBlockByNumber', [hex(number), false]);
    return { hash: (body.result as { hash: string }).hash, isCached: headers['X-Cache'] === 'hit' };
  }

  /** Asks all processes for a block until they have it from the cache. */
  async warm(number: number): Promise<void> {
    for (let asked = 0; asked < 4 * PROCESSES; asked++) {
      await this.hashAt(asked % PROCESSES, number);
      await this.clock.pass(500);
    }
    for (let process = 0; process < PROCESSES; process++)
      expect(await this.hashAt(process, number)).toMatchObject({ isCached: true });
  }

  /** Lets a time pass in which all processes are asked for a block. */
  async busy(number: number, ms: number): Promise<void> {
    const until = this.clock.now() + ms;
    for (let process = 0; this.clock.now() < until; process = (process + 1) % PROCESSES) {
      await this.hashAt(process, number);
      await this.clock.pass(1_000);
    }
  }
}

describe.each([1, 2, 3])('with %i nodes', (count) => {
  test.each([1, 1_000])(
    'nothing is kept above a common ancestor %i blocks below what was kept, though the chain is no shorter',
    async (below) => {
      const world = new World(nodes(count), { processes: PROCESSES, blockMs: BLOCK_MS });
      const block = world.chain.head - FINALITY_BLOCKS - 1;
      await world.warm(block);
      // Until the block that is looked back to is above the ancestor.
      await world.busy(block, 2 * ANCHOR_MAX_AGE_MS);
      await world.warm(block);
      world.chain.replaceAbove(block - below);
      await world.busy(block, KNOWN_MS);
      const { hash } = world.chain.block(block);
      for (let process = 0; process < PROCESSES; process++)
        expect(await world.hashAt(process, block)).toMatchObject({ hash });
      await world.warm(block);
    },
  );

  test('nor by a process that stood still meanwhile, or starts then', async () => {
    const world = new World(nodes(count), { processes: PROCESSES, blockMs: BLOCK_MS });
    const block = world.chain.head - FINALITY_BLOCKS - 1;
    await world.warm(block);
    await world.busy(block, 2 * ANCHOR_MAX_AGE_MS);
    world.chain.replaceAbove(block - 1);
    await world.clock.pass(HOUR_MS);
    const started = world.start();
    const { hash } = world.chain.block(block);
    for (let asked = 0; asked < 6; asked++) {
      await world.hashAt(started, block);
      await world.clock.pass(ANCHOR_MAX_AGE_MS);
    }
    for (const process of [started, 0, 1, 2]) {
      await world.hashAt(process, block);
      await world.clock.pass(100);
      expect(await world.hashAt(process, block)).toMatchObject({ hash });
    }
  });
});

test.each([false, true])(
  'one of three nodes on another chain empties nothing: from the start %p',
  async (isEarly) => {
    const shared = nodes(3);
    const world = new World(shared, { processes: PROCESSES, blockMs: BLOCK_MS });
    const block = world.chain.head - FINALITY_BLOCKS - 1;
    (shared[1] as SharedNode).forked = isEarly;
    await world.busy(block, 2 * ANCHOR_MAX_AGE_MS);
    (shared[1] as SharedNode).forked = true;
    await world.busy(block, 10 * ANCHOR_MAX_AGE_MS);
    expect(world.store.writes.flat().filter((key) => key.startsWith('version#'))).toEqual([]);
  },
);

test('the block that is looked back to costs few calls of nodes', async () => {
  const world = new World(nodes(3), { blockMs: BLOCK_MS });
  const block = world.chain.head - FINALITY_BLOCKS - 1;
  for (let asked = 0; asked < 4; asked++) await world.hashAt(0, block);
  const before = world.nodeCalls;
  for (let asked = 0; asked < 600; asked++) {
    await world.hashAt(0, block);
    await world.clock.pass(1_000);
  }
  expect(world.nodeCalls - before).toBeLessThanOrEqual(600 * 1.1);
});
