import fc from 'fast-check';
import { guardCall } from '../../lambdas/rpc/policy/screen-calls.ts';
import type { Call } from '../../lambdas/shared/jsonrpc/calls.ts';
import { isKept } from '../../lambdas/shared/jsonrpc/match-responses.ts';
import { MAX_STAND_MS } from '../../lambdas/shared/upstream/head/head-reports.ts';
import { ForkedChain } from '../nodes/forked-chain.ts';
import { type Character, call, SimulatedGateway, told } from '../nodes/simulated-gateway.ts';
import { repetitions } from '../support/at-length.ts';

/** Blocks that a node may be behind and still be in step. */
const MAX_LAG = 8;
/** Time in which every node of the largest world is polled once, in milliseconds. */
const POLL_ALL_MS = 4_000;
const RUNS = 60;
const BLOCK_MS = 1_000;
const REQUEST_MS = 20_000;
const LIMITS = { maxLogsBlockRange: 10_000, stateWindowBlocks: 128 };

const NUMBER = call('eth_blockNumber');
const NEWEST = call('eth_getBlockByNumber', ['latest', false]);

/** Behind one URL: a chain that all its nodes are of, and how far behind each of them is. */
interface NodeState {
  chain: ForkedChain;
  lags: readonly number[];
  asked: number;
}

/** Nodes of one chain that grows and is reorganised, and the gateway before them. */
class World {
  readonly chain: ForkedChain;
  readonly gateway: SimulatedGateway;
  readonly nodes: readonly NodeState[];
  /** The highest head that any node had, with the time until which. */
  readonly #past: { readonly head: number; readonly until: number }[] = [];

  constructor(nodes: readonly (readonly number[])[], head: number) {
    const characters: Character[] = nodes.map((_, index) => ({
      fate: () => {
        (this.nodes[index] as NodeState).asked += 1;
        return { kind: 'answer' };
      },
      respond: (asked) => this.#answer(this.nodes[index] as NodeState, asked),
      latencyMs: () => 5,
    }));
    this.gateway = new SimulatedGateway(characters);
    this.chain = new ForkedChain(head, this.gateway.clock.now());
    this.nodes = nodes.map((lags) => ({ chain: this.chain, lags, asked: 0 }));
  }

  /** Whether behind a URL there are several nodes. */
  get isPooled(): boolean {
    return this.nodes.some(({ lags }) => lags.length > 1);
  }

  /** The highest head of all nodes. */
  get head(): number {
    return Math.max(...this.nodes.map(({ chain, lags }) => chain.head - Math.min(...lags)));
  }

  /** The highest head that any node has had since so long ago, in milliseconds. */
  headSince(ms: number): number {
    const since = this.gateway.clock.now() - ms;
    return Math.max(this.head, ...this.#past.filter(({ until }) => until >= since).map(({ head }) => head));
  }

  /** Whether a node has a block now. */
  has(block: { readonly number: string; readonly hash: string }): boolean {
    return this.nodes.some(({ chain }) => chain.block(Number(block.number))?.hash === block.hash);
  }

  change(change: () => void): void {
    this.#past.push({ head: this.head, until: this.gateway.clock.now() });
    change();
  }

  async ask(asked: Call): Promise<{ readonly text: string; readonly kept: boolean }> {
    const { clock, node } = this.gateway;
    const guarded = { chain: LIMITS, view: node.head, deadline: clock.now() + REQUEST_MS };
    const refused = await clock.until(Promise.resolve(guardCall(asked, guarded)));
    if (refused !== undefined) return { text: refused.reason, kept: false };
    const [response] = await clock.until(this.gateway.start([asked]));
    if (response === undefined) throw new Error('no answer');
    return { text: told(response), kept: isKept(response) };
  }

  #answer({ chain, lags, asked }: NodeState, received: Parameters<ForkedChain['answer']>[0]) {
    return chain.answer(received, lags[asked % lags.length]);
  }
}

type Step =
  | { readonly kind: 'ask'; readonly newest: boolean }
  | { readonly kind: 'grow'; readonly blocks: number }
  /** `moreOrLess`: than was lost, when nodes tell of it. `stuck`: the node that does not follow, if there is one. */
  | {
      readonly kind: 'roll back';
      readonly blocks: number;
      readonly moreOrLess: number;
      readonly stuck: number;
    }
  | { readonly kind: 'follow' }
  | { readonly kind: 'lag'; readonly node: number; readonly blocks: number };

const lag = fc.nat(MAX_LAG);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('ask' as const), newest: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('grow' as const), blocks: fc.nat(4) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('roll back' as const),
      blocks: fc.integer({ min: 1, max: 300 }),
      moreOrLess: fc.oneof(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -300, max: 0 })),
      stuck: fc.nat(3),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('follow' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lag' as const), node: fc.nat(2), blocks: lag }) },
);

/** Each node is one, or three behind one URL; of those one lags. */
const nodes = fc.array(
  fc.oneof(
    fc.constant([0]),
    lag.map((blocks) => [0, blocks, 0]),
  ),
  { minLength: 1, maxLength: 3 },
);

/** Checks the heads that clients were given: none goes back while the chain does not. */
class Client {
  readonly #world: World;
  #seen = 0;
  #changedAt = Number.NEGATIVE_INFINITY;

  constructor(world: World) {
    this.#world = world;
  }

  /** The chain went back. Several nodes behind a URL can keep their head for as long as it stands. */
  forget(): void {
    this.#seen = 0;
    this.#changedAt = this.#world.gateway.clock.now();
  }

  see(number: number): void {
    expect(number).toBeGreaterThanOrEqual(this.#seen);
    const { isPooled, gateway } = this.#world;
    if (!isPooled || gateway.clock.now() - this.#changedAt > MAX_STAND_MS + POLL_ALL_MS) {
      // Until the next poll it can be a head that is gone.
      this.#seen = Math.min(number, this.#world.head);
    }
  }

  async askNewest(): Promise<void> {
    const block = JSON.parse((await this.#world.ask(NEWEST)).text);
    expect(this.#world.has(block)).toBe(true);
    this.see(Number(block.number));
  }

  async askNumber(): Promise<void> {
    const world = this.#world;
    const number = Number(JSON.parse((await world.ask(NUMBER)).text));
    expect(number).toBeLessThanOrEqual(world.headSince(world.isPooled ? MAX_STAND_MS : POLL_ALL_MS));
    if (world.nodes.length === 1 && !world.isPooled) expect(number).toBe(world.head);
    this.see(number);
  }
}

/** Changes the world; what can make its head lower, clients are told of. */
async function change(world: World, client: Client, one: Exclude<Step, { kind: 'ask' }>): Promise<void> {
  const { gateway, nodes: states } = world;
  const before = world.head;
  if (one.kind === 'grow') await gateway.clock.pass(one.blocks * BLOCK_MS);
  world.change(() => {
    if (one.kind === 'grow') world.chain.grow(one.blocks, gateway.clock.now());
    if (one.kind === 'follow') for (const node of states) node.chain = world.chain;
    if (one.kind === 'lag') {
      const agreed = states.every(({ chain }) => chain === world.chain);
      const node = agreed && one.node > 0 ? states[one.node] : undefined;
      if (node?.lags.length === 1) node.lags = [one.blocks];
    }
    if (one.kind === 'roll back') {
      const stuck = states.length > 1 ? states[one.stuck] : undefined;
      if (stuck !== undefined) stuck.chain = stuck.chain.copy();
      const lost = world.chain.rollBack(one.blocks);
      world.chain.grow(Math.max(0, lost + one.moreOrLess), gateway.clock.now());
    }
  });
  if (one.kind === 'roll back' || world.head < before) client.forget();
}

/** Lets time pass until a head has lapsed that one of several nodes behind a URL has told. */
async function settle(world: World): Promise<void> {
  const standMs = world.isPooled ? MAX_STAND_MS : 0;
  for (let waited = 0; waited < standMs + POLL_ALL_MS; waited += 1_000) {
    await world.gateway.clock.pass(1_000);
    await world.ask(NEWEST);
  }
}

test.each([0, 255, 256, 700])(
  'what is served is what healthy nodes say now, from block %i on',
  async (head) => {
    let asked = 0;
    await fc.assert(
      fc.asyncProperty(nodes, fc.array(step, { minLength: 3, maxLength: 30 }), async (made, steps) => {
        const world = new World(made, head);
        const client = new Client(world);
        for (const one of steps) {
          if (one.kind !== 'ask') await change(world, client, one);
          else await (one.newest ? client.askNewest() : client.askNumber());
          asked += one.kind === 'ask' ? 1 : 0;
        }
        await change(world, client, { kind: 'follow' });
        await settle(world);
        expect(JSON.parse((await world.ask(NUMBER)).text)).toBe(`0x${world.head.toString(16)}`);
        const { view, upstreams } = world.gateway.node;
        expect(upstreams.filter(({ index }) => view.isBehind(index))).toEqual([]);
      }),
      { numRuns: RUNS },
    );
    expect(asked).toBeGreaterThan(repetitions(RUNS));
  },
);
