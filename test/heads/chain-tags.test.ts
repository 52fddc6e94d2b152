// `safe` and `finalized` are the chain's: no answer of any process goes back, none is above what most nodes have, and
// blocks, calls and logs name the same block.
import fc from 'fast-check';
import { blockOfValue, taggedBlock } from '../nodes/simulated-chain.ts';
import { type SharedNode, SimulatedProcesses } from '../nodes/simulated-processes.ts';
import { Random } from '../simulation/random.ts';
import { isAtLength, repetitions } from '../support/at-length.ts';

const ANSWERS = isAtLength ? 4_000 : 700;
const PROCESSES = 12;
const SKEW_MS = 2_500;
const ADDRESS = `0x${'1'.repeat(40)}`;
const TAGS = ['safe', 'finalized'] as const;
const WAYS = ['block', 'call', 'logs'] as const;
type Tag = (typeof TAGS)[number];

const NODE: SharedNode = { latencyMs: 20 };
const NEVER = Number.NEGATIVE_INFINITY;

/** What is asked at a tag, and what of the answers is not as it is promised. */
class Watch {
  readonly world: SimulatedProcesses;
  readonly #nodes: readonly SharedNode[];
  readonly #highest = new Map<Tag, number>();
  back = 0;
  above = 0;
  disordered = 0;
  answers = 0;

  constructor(nodes: readonly SharedNode[], seed: number, skewMs = 0) {
    this.#nodes = nodes;
    this.world = new SimulatedProcesses(nodes, { processes: PROCESSES, blockMs: 250, seed, skewMs });
  }

  /** The number that more than half of the nodes have. */
  majority(tag: Tag): number {
    const { chain, clock } = this.world;
    const head = (node: SharedNode) => chain.headAt(clock.now() - (node.lateMs ?? 0)) - (node.lag ?? 0);
    const numbers = this.#nodes.map((node) => taggedBlock(tag, head(node)) - (node.tagLag ?? 0));
    return numbers.sort((one, other) => other - one)[Math.floor(numbers.length / 2)] as number;
  }

  async ask(process: number, tag: Tag, way: (typeof WAYS)[number]): Promise<number> {
    const before = this.#highest.get(tag) ?? NEVER;
    const number = await askAt(this.world, process, tag, way);
    this.answers += 1;
    if (number < before) this.back += 1;
    if (number > this.majority(tag)) this.above += 1;
    const final = this.#highest.get('finalized') ?? NEVER;
    if (tag === 'safe' && number < final) this.disordered += 1;
    this.#highest.set(tag, Math.max(number, this.#highest.get(tag) ?? NEVER));
    return number;
  }
}

async function askAt(
  world: SimulatedProcesses,
  process: number,
  tag: Tag,
  way: (typeof WAYS)[number],
): Promise<number> {
  const [method, params] = {
    block: ['eth_getBlockByNumber', [tag, false]] as const,
    call: ['eth_call', [{ to: ADDRESS }, tag]] as const,
    logs: ['eth_getLogs', [{ address: ADDRESS, fromBlock: tag, toBlock: tag }]] as const,
  }[way];
  const { body } = await world.asked(process, method, params);
  expect(body.error).toBeUndefined();
  if (way === 'block') return Number((body.result as { readonly number: string }).number);
  if (way === 'call') return blockOfValue(body.result as string);
  const logs = body.result as readonly string[];
  expect(logs).toHaveLength(1);
  return Number(logs[0]);
}

/** Asks processes by a seed; `above` counts what is above the majority of the moment. */
async function watch(nodes: readonly SharedNode[], seed: number, answers: number, skewMs = 0) {
  const random = new Random(seed);
  const one = new Watch(nodes, seed, skewMs);
  while (one.answers < answers) {
    await one.ask(random.integer(0, PROCESSES - 1), random.pick(TAGS as never), random.pick(WAYS as never));
    if (random.chance(0.5)) await one.world.clock.pass(random.magnitude(1, 2_000));
  }
  const { back, above, disordered } = one;
  return { back, above, disordered };
}

const RIGHT = { back: 0, above: 0, disordered: 0 };

test('nodes 45 apart, and a liar at + 1,000, with clocks five seconds apart: no answer goes back, and none is above what most nodes have', async () => {
  const apart: SharedNode[] = [{ ...NODE }, { ...NODE, tagLag: 45 }];
  expect(await watch(apart, 1, ANSWERS, SKEW_MS)).toEqual(RIGHT);
  expect(await watch([...apart, { ...NODE, tagLag: -1_000 }], 2, ANSWERS, SKEW_MS)).toEqual(RIGHT);
  const ofHeads: SharedNode[] = [{ ...NODE }, { ...NODE, lag: 45 }, { ...NODE, lag: -1_000 }];
  expect(await watch(ofHeads, 3, ANSWERS, SKEW_MS)).toEqual(RIGHT);
});

test('whatever nodes differ by, and however processes are asked', async () => {
  const node = fc.record({
    tagLag: fc.constantFrom(0, 0, 8, 45),
    lateMs: fc.nat(900),
    latencyMs: fc.integer({ min: 5, max: 150 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(node, { minLength: 1, maxLength: 5 }), fc.nat(100_000), async (nodes, seed) => {
      expect(await watch(nodes, seed, 60)).toEqual(RIGHT);
    }),
    { numRuns: repetitions(60) },
  );
});

test('a batch has one number for each tag, and safe is not below finalized, nor above latest', async () => {
  const { world } = new Watch([{ ...NODE }, { ...NODE, tagLag: 45 }], 1);
  for (let asked = 0; asked < 20; asked++) {
    const process = asked % PROCESSES;
    const [final, safe] = [
      await askAt(world, process, 'finalized', 'logs'),
      await askAt(world, process, 'safe', 'call'),
    ];
    const { body } = await world.asked(process, 'eth_blockNumber');
    expect(final).toBeLessThanOrEqual(safe);
    expect(safe).toBeLessThanOrEqual(Number(body.result));
    await world.clock.pass(900);
  }
});

test('a client that asks once a minute is told of blocks that are seconds old', async () => {
  const one = new Watch([{ ...NODE }, { ...NODE }], 1);
  for (let asked = 0; asked < 5; asked++) {
    await one.world.clock.pass(60_000);
    expect(await one.ask(asked, 'finalized', 'block')).toBeGreaterThanOrEqual(one.majority('finalized') - 8);
  }
  expect(one.back).toBe(0);
});

test('a chain that begins anew has its own numbers within seconds', async () => {
  const nodes = [
    { ...NODE, lag: 0 },
    { ...NODE, lag: 0 },
  ];
  const { world } = new Watch(nodes, 1);
  await askAt(world, 0, 'finalized', 'block');
  for (const node of nodes) node.lag = 2_000;
  for (let passed = 0; passed < 30; passed++) {
    await world.asked(0, 'eth_blockNumber');
    await world.asked(0, 'eth_getBlockByNumber', ['finalized', false]);
    await world.clock.pass(1_000);
  }
  expect(await askAt(world, 0, 'finalized', 'block')).toBeLessThanOrEqual(world.chain.head - 2_000 - 64);
});

test('while the store is away each process answers, and goes back by itself at no time', async () => {
  const nodes = [{ ...NODE }, { ...NODE, tagLag: 45 }];
  const { world } = new Watch(nodes, 1);
  Object.assign(world.views, { failing: 1 });
  let last = NEVER;
  for (let asked = 0; asked < 60; asked++) {
    const number = await askAt(world, 0, 'finalized', WAYS[asked % 3] ?? 'block');
    expect(number).toBeGreaterThanOrEqual(last);
    last = number;
    await world.clock.pass(700);
  }
});

test('where no node knows the tags a call goes out as it is', async () => {
  const refused = { error: '{"code":-39001,"message":"unknown block"}' };
  const received: unknown[] = [];
  const world = new SimulatedProcesses([
    {
      ...NODE,
      respond: (call) => {
        if (!TAGS.some((tag) => call.params?.[0] === tag)) return undefined;
        received.push(call.params?.[0]);
        return refused;
      },
    },
  ]);
  const { body } = await world.asked(0, 'eth_getBlockByNumber', ['finalized', false]);
  expect(body.error?.code).toBe(-39001);
  expect(received).toContain('finalized');
});

test('a thousand calls at tags cost few calls of nodes and of the store', async () => {
  const { world } = new Watch([{ ...NODE }, { ...NODE }, { ...NODE }], 1);
  for (let asked = 0; asked < 1_000; asked++) {
    await askAt(world, asked % PROCESSES, TAGS[asked % 2] ?? 'safe', 'call');
    await world.clock.pass(50);
  }
  expect(world.nodeCalls).toBeLessThanOrEqual(1_300);
});

test('an instance that begins after hours without a call asks for what nobody has put to use', async () => {
  const { world } = new Watch([{ ...NODE }, { ...NODE }, { ...NODE }], 1);
  for (let asked = 0; asked < 8; asked++) {
    await askAt(world, 0, 'finalized', 'block');
    await world.clock.pass(7_000);
  }
  for (let process = 1; process < 4; process++) {
    await world.clock.pass(3_600_000);
    const number = await askAt(world, process, 'finalized', 'block');
    expect(number).toBeGreaterThanOrEqual(world.chain.head - 100);
  }
});
