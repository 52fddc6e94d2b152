/** What two processes found of a node all others know, and no one process can say it alone. */
import fc from 'fast-check';
import {
  counts,
  MAX_CLAIMS_TEXT,
  readClaims,
  withWord,
  writeClaims,
} from '../../../../lambdas/shared/upstream/sharing/node-claims.ts';
import { type FoundNode, LACKED, SimulatedNodes } from '../../../nodes/simulated-nodes.ts';
import { expectRoomInItem } from './room-in-item.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Time in which what nine processes learn is told. */
const TOLD_MS = 25 * SECOND;
/** Time for which the word of others keeps a process from an upstream that answers: the first back-off of a breaker. */
const MAX_OUT_MS = 1_250;
/** Time in which a process that is asked once a second uses an upstream that is well again. */
const BACK_MS = 45 * SECOND;

const first = (world: SimulatedNodes) => world.found[0] as FoundNode;

/** A world in which processes were asked for a time. */
async function learn(
  options: ConstructorParameters<typeof SimulatedNodes>[1],
  change: (world: SimulatedNodes) => void = () => {},
) {
  const world = new SimulatedNodes(2, { processes: 9, ...options });
  change(world);
  await world.run(SECOND, world.clock.now() + TOLD_MS);
  return world;
}

/** Says something as so many processes that are none of the world's, and that a process reads it. */
async function say(
  world: SimulatedNodes,
  claim: readonly [string, string, string],
  witnesses: readonly string[],
) {
  const name = 'nodes simulated';
  const read = await world.texts.read(name, { isNow: true });
  const words = witnesses.flatMap((by) => [by, Math.floor(world.clock.now() / SECOND)]);
  const rows = [...(JSON.parse(read?.text ?? '[]') as unknown[]), [...claim, ...words]];
  const told = { sequence: (read?.sequence ?? 0) + 1, toldAt: world.clock.now(), text: JSON.stringify(rows) };
  await world.texts.write(name, told, read);
  await world.clock.wait(SECOND);
}

describe('a new process', () => {
  test('uses no upstream that two others have found out of use, and calls no method that lacks', async () => {
    const world = await learn({}, ({ found }) => {
      (found[0] as FoundNode).answers = () => false;
      (found[1] as FoundNode).hasMethod = false;
    });
    const [dead, lacking] = world.found as [FoundNode, FoundNode];
    const [calls, lackedCalls] = [dead.calls, lacking.lackedCalls];
    const process = world.start();
    await world.clock.until(world.poll(process));
    expect(world.uses(process, 0)).toBe(false);
    expect(world.upstream(process, 1).health.lacks(LACKED)).toBe(true);
    expect([dead.calls, lacking.lackedCalls]).toEqual([calls, lackedCalls]);
  });

  test.each([
    ['that is away', 1, 5],
    ['that hangs', 0, 10_000],
  ])('learns it by itself with a store %s', async (_, failing, latencyMs) => {
    const world = await learn({}, ({ found, texts }) => {
      (found[0] as FoundNode).answers = () => false;
      Object.assign(texts, { failing, latencyMs });
    });
    const process = world.start();
    await world.clock.until(world.poll(process));
    expect(world.uses(process, 0)).toBe(true);
    for (let polled = 0; polled < 4; polled++) await world.clock.until(world.poll(process));
    expect(world.uses(process, 0)).toBe(false);
    expect(world.unavailable).toBeGreaterThan(0);
  });
});

describe('one process that is wrong', () => {
  test('has no say about a method either: it takes two', async () => {
    const world = await learn({ processes: 1 }, ({ found }) => {
      (found[0] as FoundNode).hasMethod = false;
    });
    first(world).hasMethod = true;
    const process = world.start();
    await world.clock.until(world.poll(process));
    expect(world.upstream(process, 0).health.lacks(LACKED)).toBe(false);
  });

  test('and speaks as two takes an upstream from a process for one back-off, and as often as it is quiet', async () => {
    const world = new SimulatedNodes(2, { processes: 1 });
    await world.clock.until(say(world, ['upstream-1', 'out', ''], ['liar', 'same']));
    await world.clock.until(world.poll(0));
    expect(world.uses(0, 0)).toBe(false);
    await world.clock.pass(MAX_OUT_MS);
    await world.clock.until(world.poll(0));
    expect(world.uses(0, 0)).toBe(true);
    await world.clock.until(say(world, ['upstream-1', 'out', ''], ['liar', 'third']));
    await world.clock.pass(8 * SECOND);
    await world.clock.until(world.poll(0));
    expect(world.uses(0, 0)).toBe(true);
  });

  test('and two that spoke before the upstream answered the process take it from none, however quiet that was since', async () => {
    const world = new SimulatedNodes(2, { processes: 1 });
    await world.clock.until(world.poll(0));
    await world.clock.until(say(world, ['upstream-1', 'out', ''], ['one', 'other']));
    await world.clock.pass(7 * SECOND);
    await world.clock.until(world.poll(0));
    await world.clock.pass(12 * SECOND);
    await world.clock.until(world.poll(0));
    expect(world.uses(0, 0)).toBe(true);
  });

  test('and whose clock is a year ahead is not heard', async () => {
    const world = new SimulatedNodes(2, { processes: 1 });
    const at = Math.floor(world.clock.now() / SECOND) + 365 * 86_400;
    const text = JSON.stringify([['upstream-1', 'out', '', 'one', at, 'other', at]]);
    await world.clock.until(
      world.texts.write('nodes simulated', { sequence: 1, toldAt: 1, text }, undefined),
    );
    await world.clock.pass(SECOND);
    await world.clock.until(world.poll(0));
    expect(world.uses(0, 0)).toBe(true);
  });
});

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('run' as const), ms: fc.integer({ min: 1, max: 30_000 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('freeze' as const), ms: fc.constant(HOUR) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('start' as const), ms: fc.constant(0) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('break' as const), ms: fc.constant(0) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('mend' as const), ms: fc.constant(0) }) },
);
const weather = fc.record({
  processes: fc.integer({ min: 1, max: 12 }),
  failing: fc.constantFrom(0, 0.3, 1),
  latencyMs: fc.constantFrom(5, 120, 10_000),
  skewMs: fc.constantFrom(0, 5_000),
  seed: fc.nat(1_000),
});

test('whatever store, clocks and freezes: well upstreams are used, dead ones are not, soon after they change', async () => {
  await fc.assert(
    fc.asyncProperty(weather, fc.array(step, { maxLength: 12 }), async (options, steps) => {
      const { processes, failing, latencyMs, ...rest } = options;
      const world = new SimulatedNodes(2, { processes, ...rest });
      Object.assign(world.texts, { failing, latencyMs });
      let count = processes;
      let isWell = true;
      first(world).answers = () => isWell;
      for (const { kind, ms } of steps) {
        if (kind === 'run') await world.run(SECOND, world.clock.now() + ms);
        else if (kind === 'freeze') await world.clock.pass(ms);
        else if (kind === 'start') count = world.start() + 1;
        else isWell = kind === 'mend';
      }
      await world.run(SECOND, world.clock.now() + BACK_MS);
      for (let process = 0; process < count; process++) {
        expect(world.uses(process, 0)).toBe(isWell);
        expect(world.uses(process, 1)).toBe(true);
      }
    }),
    { numRuns: 60 },
  );
});

test('500 processes that learn of a dead node and a new plan at once stay below half of what an item takes', () =>
  expectRoomInItem(500));

describe('claims as text', () => {
  test('are two write units at the most, and of what has no room lacking methods go first', () => {
    const upstreams = Array.from({ length: 16 }, (_, index) => `provider-${index}`);
    const at = 1_800_000_000_000;
    const methods = Array.from({ length: 40 }, (_, index) => `debug_method${index}`);
    const claims = [
      ...methods.map((of) => ({ upstream: 'provider-0', kind: 'method', of }) as const),
      ...upstreams.map((upstream) => ({ upstream, kind: 'out', of: '' }) as const),
    ].reduce<ReturnType<typeof readClaims>>(
      (all, subject) => withWord(withWord(all, subject, { by: 'abc123', at }), subject, { by: 'x9y8z7', at }),
      [],
    );
    const text = writeClaims(claims);
    expect(text.length).toBeLessThanOrEqual(MAX_CLAIMS_TEXT);
    const read = readClaims(text);
    expect(read.filter(({ kind }) => kind === 'out')).toHaveLength(16);
    expect(read.filter((claim) => !counts(claim) || claim.witnesses.some((one) => one.at !== at))).toEqual(
      [],
    );
  });

  test('that are none, or one process twice, count for nothing', () => {
    const odd = [
      '',
      '{}',
      '[1]',
      '[["a","out"]]',
      '[["a","out","","x",-1]]',
      '[["a","else","","x",1]]',
      '['.repeat(9_000),
    ];
    for (const text of odd) expect(readClaims(text)).toEqual([]);
    expect(readClaims('[["a","out","","x",1,"x",1]]').map(counts)).toEqual([false]);
    fc.assert(fc.property(fc.json(), (text) => Array.isArray(readClaims(text))));
  });
});
