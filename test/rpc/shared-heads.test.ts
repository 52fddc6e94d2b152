import fc from 'fast-check';
import { type SharedNode, SimulatedProcesses } from '../nodes/simulated-processes.ts';

const HOUR_MS = 3_600_000;
const MAX_PROCESSES = 9;
const RUNS = 200;
/** Requests for the head of one key within which a chain that became shorter is followed. */
const MAX_REQUESTS = 6;
/** Time in which every node is asked where it is; until then a head can be given that is gone. */
const POLL_ALL_MS = 4_000;
const KEYS = ['one', 'other'];

const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      process: fc.nat(MAX_PROCESSES - 1),
      key: fc.nat(KEYS.length - 1),
      way: fc.constantFrom('number' as const, 'block' as const, 'state' as const, 'named' as const),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(3_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constant(HOUR_MS) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('start' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('shorten' as const), blocks: fc.integer({ min: 1, max: 300 }) }),
  },
);

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

const world = fc.record({
  lateMs: fc.array(fc.nat(900), { minLength: 1, maxLength: 3 }),
  latencyMs: fc.integer({ min: 1, max: 150 }),
  processes: fc.integer({ min: 1, max: MAX_PROCESSES }),
  blockMs: fc.constantFrom(250, 1_000, 12_000),
  seed: fc.nat(1_000),
});

/** Checks the heads that one key got. */
class Key {
  #last = 0;
  #shortenedAt = Number.NEGATIVE_INFINITY;
  /** Whether it has been told a head of the chain as it is now since that is known, and how often not. */
  #isFollowing = true;
  #behind = 0;

  shorten(now: number): void {
    this.#shortenedAt = now;
    this.#isFollowing = false;
    this.#behind = 0;
  }

  see(number: number, head: number, now: number): void {
    if (!this.#isFollowing) {
      if (now - this.#shortenedAt < POLL_ALL_MS) return;
      if (number > head) {
        this.#behind += 1;
        expect(this.#behind).toBeLessThanOrEqual(MAX_REQUESTS);
        return;
      }
      this.#isFollowing = true;
      this.#last = 0;
    }
    expect(number).toBeLessThanOrEqual(head);
    expect(number).toBeGreaterThanOrEqual(this.#last);
    this.#last = number;
  }
}

class World {
  readonly #nodes: SharedNode[];
  readonly #world: SimulatedProcesses;
  readonly #keys = KEYS.map(() => new Key());
  #processes: number;
  #lag = 0;

  constructor({ lateMs, latencyMs, ...options }: typeof world extends fc.Arbitrary<infer One> ? One : never) {
    this.#nodes = lateMs.map((ms) => ({ lateMs: ms, latencyMs, lag: 0 }));
    this.#world = new SimulatedProcesses(this.#nodes, options);
    this.#processes = options.processes;
  }

  async take(one: Step): Promise<void> {
    switch (one.kind) {
      case 'pass':
        return this.#world.clock.pass(one.ms);
      case 'start':
        this.#processes = this.#world.start() + 1;
        return;
      case 'shorten':
        this.#lag += one.blocks;
        for (const node of this.#nodes) node.lag = this.#lag;
        for (const key of this.#keys) key.shorten(this.#world.clock.now());
        return;
      case 'ask':
        return this.#ask(one);
    }
  }

  async #ask({ process, key, way }: Extract<Step, { kind: 'ask' }>): Promise<void> {
    const place = process % this.#processes;
    const keyId = KEYS[key] as string;
    const head = () => this.#world.chain.head - this.#lag;
    const method = way === 'number' ? 'eth_blockNumber' : 'eth_getBlockByNumber';
    if (way === 'state' || way === 'named') {
      const block = way === 'state' ? 'latest' : `0x${head().toString(16)}`;
      const { body } = await this.#world.asked(place, 'eth_getBalance', ['0x1', block], keyId);
      if (way === 'state') expect(body.error).toBeUndefined();
      return;
    }
    const { body } = await this.#world.asked(place, method, way === 'number' ? [] : ['latest', false], keyId);
    expect(body.error).toBeUndefined();
    const told = way === 'number' ? body.result : (body.result as { number: string }).number;
    this.#keys[key]?.see(Number(told), head(), this.#world.clock.now());
  }
}

test('no head of a key goes back, or is gone once the chain was followed, whatever instances answer', async () => {
  await fc.assert(
    fc.asyncProperty(world, fc.array(step, { minLength: 10, maxLength: 60 }), async (options, steps) => {
      const simulated = new World(options);
      for (const one of steps) await simulated.take(one);
    }),
    { numRuns: RUNS },
  );
});
