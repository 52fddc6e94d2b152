import fc from 'fast-check';
import { guardCall } from '../../lambdas/rpc/guard-call.ts';
import { ForkedChain } from '../nodes/forked-chain.ts';
import { type Character, call, SimulatedGateway } from '../nodes/simulated-gateway.ts';

const HEAD = 1_000;
const RUNS = 40;
const REQUEST_MS = 20_000;
const BLOCK_MS = 1_000;
const LIMITS = { maxLogsBlockRange: 10_000, stateWindowBlocks: 128 };
/** Blocks by which a lie can pass for a block that has just come, and what the chain can have grown since the last poll. */
const BELIEVABLE_BLOCKS = 8 + 4 * 6;
const NUMBER = call('eth_blockNumber');
const NEWEST = call('eth_getBlockByNumber', ['latest', false]);

/** What a liar says: of another chain, so far ahead or behind, with its blocks or without, or nothing but errors. */
interface Lie {
  readonly ahead: number;
  readonly shows: boolean;
  readonly fails: boolean;
}

const lie: fc.Arbitrary<Lie> = fc.record({
  ahead: fc.oneof(
    fc.constant(2 ** 52),
    fc.constant(1_000_000),
    fc.integer({ min: 100, max: 5_000 }),
    fc.integer({ min: -900, max: -20 }),
  ),
  shows: fc.boolean(),
  fails: fc.boolean(),
});

/** Nodes of which the first ones lie while they are told to. */
class World {
  readonly chain: ForkedChain;
  readonly gateway: SimulatedGateway;
  lies: readonly Lie[] = [];

  constructor(nodes: number, seed: number) {
    const characters: Character[] = Array.from({ length: nodes }, (_, index) => ({
      answer: (asked) => {
        const told = this.lies[index];
        return told === undefined ? this.chain.answer(asked) : this.#lieOf(told, asked);
      },
      latencyMs: () => 5,
    }));
    this.gateway = new SimulatedGateway(characters, seed);
    this.chain = new ForkedChain(HEAD, this.gateway.clock.now());
  }

  async grow(): Promise<void> {
    await this.gateway.clock.pass(BLOCK_MS);
    this.chain.grow(1, this.gateway.clock.now());
  }

  async ask(asked = NUMBER): Promise<string> {
    const { clock, node } = this.gateway;
    const guarded = { chain: LIMITS, view: node.head, deadline: clock.now() + REQUEST_MS };
    const refused = await clock.until(guardCall(asked, guarded));
    return refused?.reason ?? (await this.gateway.send([asked]))[0] ?? '';
  }

  #lieOf({ ahead, shows, fails }: Lie, asked: Parameters<ForkedChain['answer']>[0]) {
    const number = `0x${Math.max(0, this.chain.head + ahead).toString(16)}`;
    if (fails) return { error: '{"code":-32603,"message":"internal error"}' };
    if (asked.method === 'eth_blockNumber') return { result: JSON.stringify(number) };
    if (asked.method !== 'eth_getBlockByNumber' || asked.params?.[0] !== 'latest')
      return this.chain.answer(asked);
    const timestamp = `0x${Math.floor(this.gateway.clock.now() / 1_000).toString(16)}`;
    const hash = `0x${'ee'.repeat(32)}`;
    return { result: shows ? JSON.stringify({ number, hash, parentHash: hash, timestamp }) : 'null' };
  }
}

function numberIn(text: string): number {
  const told = JSON.parse(text);
  return Number(typeof told === 'string' ? told : told.number);
}

test('while a minority lies, clients see no head that no honest node has, and honest nodes keep their traffic', async () => {
  const lies = fc.array(lie, { minLength: 1, maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 3, max: 5 }),
      lies,
      fc.nat(),
      fc.boolean(),
      async (nodes, told, seed, first) => {
        const world = new World(nodes, seed);
        const { view } = world.gateway.node;
        if (!first) await world.ask();
        world.lies = told.slice(0, Math.floor((nodes - 1) / 2));
        for (let second = 0; second < 12; second++) {
          await world.grow();
          for (const asked of [NUMBER, NEWEST]) {
            const number = numberIn(await world.ask(asked));
            expect(number).toBeLessThanOrEqual(world.chain.head + BELIEVABLE_BLOCKS);
            expect(number).toBeGreaterThanOrEqual(world.chain.head - BELIEVABLE_BLOCKS);
          }
          const majority = view.finalityHead(world.gateway.clock.now());
          expect(Number(majority)).toBeLessThanOrEqual(world.chain.head);
        }
        const honest = world.gateway.node.upstreams.slice(world.lies.length);
        expect(honest.filter(({ index, health }) => view.isBehind(index) || !health.usable)).toEqual([]);
        const received = honest.map(({ index }) => world.gateway.received(index).length);
        expect(received.reduce((sum, calls) => sum + calls, 0)).toBeGreaterThanOrEqual(12);
        world.lies = [];
        // Two polls of each node.
        for (let second = 0; second < 2 * nodes; second++) {
          await world.grow();
          await world.ask();
        }
        expect(world.gateway.node.upstreams.filter(({ index }) => view.isBehind(index))).toEqual([]);
        expect(numberIn(await world.ask(NEWEST))).toBe(world.chain.head);
      },
    ),
    {
      numRuns: RUNS,
      examples: [
        [
          3,
          [
            { ahead: -20, shows: false, fails: false },
            { ahead: 100, shows: false, fails: false },
          ],
          14,
          false,
        ],
      ],
    },
  );
});

test('one of two that was in step does not take the chain with it, nor does the only one that is absurd', async () => {
  const high = lie.filter(({ ahead, fails }) => ahead >= 1_000_000 && !fails);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 2 }), high, fc.nat(), async (nodes, told, seed) => {
      const world = new World(nodes, seed);
      await world.ask();
      world.lies = [told];
      for (let second = 0; second < 6; second++) {
        await world.grow();
        const texts = [await world.ask(NUMBER), await world.ask(NEWEST)];
        const numbers = texts.filter((text) => /^["{]/.test(text)).map(numberIn);
        for (const number of numbers) expect(number).toBeLessThanOrEqual(world.chain.head);
        if (nodes === 2) expect(numbers).toHaveLength(2);
      }
      world.lies = [];
      for (let second = 0; second < 2 * nodes; second++) {
        await world.grow();
        await world.ask();
      }
      expect(numberIn(await world.ask(NEWEST))).toBe(world.chain.head);
    }),
    { numRuns: RUNS },
  );
});
