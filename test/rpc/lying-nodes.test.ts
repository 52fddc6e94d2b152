/** A minority of nodes that lie changes no head, and nothing that it says is cached. */
import fc from 'fast-check';
import { ResponseCache } from '../../lambdas/rpc/cache/response-cache.ts';
import { SOLE_UPSTREAM_TTL_MS } from '../../lambdas/rpc/cache/shared-results.ts';
import { guardCall } from '../../lambdas/rpc/policy/screen-calls.ts';
import type { AnsweredCall } from '../../lambdas/rpc/response/rpc-response.ts';
import type { Call } from '../../lambdas/shared/jsonrpc/calls.ts';
import { dispatch } from '../../lambdas/shared/upstream/asking/dispatch.ts';
import { finalizedBlock } from '../../lambdas/shared/upstream/routing/head-tracker.ts';
import { ForkedChain } from '../nodes/forked-chain.ts';
import type { RawResponse } from '../nodes/replies.ts';
import { hex } from '../nodes/simulated-chain.ts';
import { type Character, call, SimulatedGateway, told } from '../nodes/simulated-gateway.ts';
import { CHAIN } from './cache/cache-world.ts';
import { MemoryCacheStore } from './cache/memory-cache-store.ts';

const HEAD = 1_000;
const RUNS = 40;
const REQUEST_MS = 20_000;
const BLOCK_MS = 1_000;
const LIMITS = { maxLogsBlockRange: 10_000, stateWindowBlocks: 128 };
/** Blocks by which a lie can pass for a block that has just come, and what the chain can have grown since the last poll. */
const BELIEVABLE_BLOCKS = 8 + 4 * 6;
const NUMBER = call('eth_blockNumber');
const NEWEST = call('eth_getBlockByNumber', ['latest', false]);

/** Lies of a node: of another chain, so far ahead or behind, with its blocks or without, or nothing but errors. */
interface Lie {
  readonly ahead: number;
  readonly shows: boolean;
  readonly fails: boolean;
  /** What it makes of responses about blocks that are named. @default what is true */
  readonly about?: 'content' | 'finality' | 'nothing' | 'errors';
  /** Whether it tells the truth every other second. @default false */
  readonly moody?: boolean;
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
/** Lies about what is long past. */
const forgery: fc.Arbitrary<Lie> = fc.record({
  ahead: fc.oneof(fc.constant(2 ** 52), fc.constant(0), fc.constant(5)),
  shows: fc.boolean(),
  fails: fc.constant(false),
  about: fc.constantFrom('content', 'finality', 'nothing', 'errors'),
  moody: fc.boolean(),
});
const FINAL = Number(finalizedBlock(BigInt(HEAD)));

/** Nodes of which the first ones lie while they are told to. */
class World {
  readonly chain: ForkedChain;
  readonly gateway: SimulatedGateway;
  readonly #settings: typeof CHAIN;
  lies: readonly Lie[] = [];

  constructor(nodes: number, seed: number) {
    const characters: Character[] = Array.from({ length: nodes }, (_, index) => ({
      respond: (asked) => {
        const lying = this.lies[index];
        return lying === undefined ? this.chain.answer(asked) : this.#lieOf(lying, asked);
      },
      latencyMs: () => 5,
    }));
    this.gateway = new SimulatedGateway(characters, seed);
    this.chain = new ForkedChain(HEAD, this.gateway.clock.now());
    this.#settings = { ...CHAIN, upstreams: characters.map(() => 'http://127.0.0.1:1') };
  }

  openCache(store: MemoryCacheStore): ResponseCache {
    return new ResponseCache({ clock: this.gateway.clock, store });
  }

  /** Asks over a cache. */
  async askOver(cache: ResponseCache, asked: Call): Promise<AnsweredCall> {
    const { clock, node } = this.gateway;
    const deadline = clock.now() + REQUEST_MS;
    // Only the nodes' time is virtual.
    const head = {
      known: node.head.known,
      readFinal: async () => finalizedBlock(node.view.finalityHead(clock.now()) ?? 0n),
    };
    const { responses, share } = await cache.answer({
      chain: { settings: this.#settings, head, node },
      calls: [asked],
      deadline,
      send: (calls) => clock.until(dispatch(calls, node, deadline)),
    });
    await share();
    return responses[0] as AnsweredCall;
  }

  /** Response of an honest node. */
  truth({ method, params }: Call): string | undefined {
    const response = this.chain.answer({
      id: 1,
      method,
      params: JSON.parse(Buffer.from(params ?? []).toString()),
    });
    return 'result' in response ? response.result : undefined;
  }

  async grow(): Promise<void> {
    await this.gateway.clock.pass(BLOCK_MS);
    this.chain.grow(1, this.gateway.clock.now());
  }

  /** Lets each node be polled twice. */
  async poll(): Promise<void> {
    for (let second = 0; second < 2 * this.gateway.upstreams.length; second++) {
      await this.grow();
      await this.ask();
    }
  }

  async ask(asked = NUMBER): Promise<string> {
    const { clock, node } = this.gateway;
    const guarded = { chain: LIMITS, view: node.head, deadline: clock.now() + REQUEST_MS };
    const refused = await clock.until(Promise.resolve(guardCall(asked, guarded)));
    return refused?.reason ?? (await this.gateway.send([asked]))[0] ?? '';
  }

  #lieOf({ ahead, shows, fails, about, moody }: Lie, asked: Parameters<ForkedChain['answer']>[0]) {
    if (moody === true && Math.floor(this.gateway.clock.now() / BLOCK_MS) % 2 === 0)
      return this.chain.answer(asked);
    const number = `0x${Math.max(0, this.chain.head + ahead).toString(16)}`;
    if (fails) return { error: '{"code":-32603,"message":"internal error"}' };
    if (asked.method === 'eth_blockNumber') return { result: JSON.stringify(number) };
    if (asked.method !== 'eth_getBlockByNumber' || asked.params?.[0] !== 'latest')
      return about === undefined ? this.chain.answer(asked) : forge(about, this.chain.answer(asked));
    const timestamp = `0x${Math.floor(this.gateway.clock.now() / 1_000).toString(16)}`;
    const hash = `0x${'ee'.repeat(32)}`;
    return { result: shows ? JSON.stringify({ number, hash, parentHash: hash, timestamp }) : 'null' };
  }
}

/** The response of a node that lies about what is named. */
function forge(about: NonNullable<Lie['about']>, honest: RawResponse): RawResponse {
  if (about === 'errors') return { error: '{"code":3,"message":"execution reverted"}' };
  if (about === 'nothing') return { result: 'null' };
  if ('error' in honest || honest.result === 'false' || honest.result === 'null') return honest;
  const value = JSON.parse(honest.result);
  if (typeof value === 'string') return { result: `"${value.slice(0, -1)}x"` };
  const forged = about === 'finality' ? { ...value, number: '0x5' } : { ...value, parentHash: value.hash };
  return { result: JSON.stringify(forged) };
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
        await world.poll();
        expect(world.gateway.node.upstreams.filter(({ index }) => view.isBehind(index))).toEqual([]);
        expect(numberIn(await world.ask(NEWEST))).toBe(world.chain.head);
      },
    ),
    {
      numRuns: RUNS,
      // A node that is behind and says that there is no newest block, when nothing is known of it yet.
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
      await world.poll();
      expect(numberIn(await world.ask(NEWEST))).toBe(world.chain.head);
    }),
    { numRuns: RUNS },
  );
});

test('nothing that a liar says is given twice, by any instance, and what honest nodes say soon is', async () => {
  const nodes = fc.integer({ min: 2, max: 5 });
  const turns = fc.array(fc.nat(), { minLength: 30, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(
      nodes,
      fc.array(forgery, { maxLength: 2 }),
      fc.nat(),
      turns,
      async (count, forgeries, seed, picked) => {
        const world = new World(count, seed);
        const store = new MemoryCacheStore();
        const caches = [world.openCache(store), world.openCache(store)];
        const hashOf = (number: number) => world.chain.block(number)?.hash;
        const recent = hashOf(HEAD - 3);
        const final = [
          call('eth_getBlockByNumber', [hex(FINAL), false]),
          call('eth_getBlockByHash', [hashOf(7), false]),
          call('eth_getBalance', ['0x00', hex(FINAL - 1)]),
        ];
        const asked = [...final, call('eth_getBlockByHash', [recent, false])];
        await world.ask();
        world.lies = forgeries.slice(0, Math.floor(count / 2));
        for (const pick of picked) {
          if (pick % 3 === 0) await world.grow();
          const one = asked[pick % asked.length] as Call;
          const { response, cached } = await world.askOver(caches[(pick >> 2) % 2] as ResponseCache, one);
          if (cached) expect(told(response)).toBe(world.truth(one));
        }
        world.lies = [];
        await world.poll();
        const last = world.openCache(store);
        for (const one of final) {
          let given = await world.askOver(last, one);
          for (let again = 0; again < 2 * count && !given.cached; again++)
            given = await world.askOver(last, one);
          expect([told(given.response), given.cached]).toEqual([world.truth(one), true]);
        }
      },
    ),
    { numRuns: RUNS },
  );
});

test('what the only node of a chain says is given again for minutes, and no longer', async () => {
  const world = new World(1, 1);
  const store = new MemoryCacheStore();
  const caches = [world.openCache(store), world.openCache(store)];
  const [first = world.openCache(store)] = caches;
  const one = call('eth_getBlockByNumber', [hex(7), false]);
  await world.ask();
  world.lies = [{ ahead: 0, shows: true, fails: false, about: 'content' }];
  const lied = told((await world.askOver(first, one)).response);
  expect(lied).not.toBe(world.truth(one));
  await world.askOver(first, one);
  world.lies = [];
  for (const cache of caches) {
    const { response, cached } = await world.askOver(cache, one);
    expect([told(response), cached]).toEqual([lied, true]);
  }
  await world.gateway.clock.pass(SOLE_UPSTREAM_TTL_MS);
  for (const cache of [...caches, world.openCache(store)]) {
    expect(told((await world.askOver(cache, one)).response)).toBe(world.truth(one));
  }
});
