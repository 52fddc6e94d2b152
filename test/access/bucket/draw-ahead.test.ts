/** What instances draw ahead never lets a key have more than its plan and a second's refill. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { type Cost, drawOf, FULL_BUCKET } from '../../../lambdas/access/bucket/bucket.ts';
import { DrawAhead } from '../../../lambdas/access/bucket/key-draws.ts';
import { createMeter } from '../../../lambdas/access/meter.ts';
import type { PlanSettings } from '../../../lambdas/shared/runtime/settings.ts';
import { MemoryStore } from '../../simulation/stores/memory-store.ts';
import { RecordedTelemetry } from '../../support/recorded-telemetry.ts';
import { FaultyStore, KeptQueue, MeteringWorld } from '../metering-world.ts';

const AHEAD_VALID_MS = 1_000;

const NOW_MS = Date.UTC(2026, 10, 20, 23, 30);
const PLAN: PlanSettings = { bucketCapacity: 1_000, refillPerSecond: 100, drawAhead: true, shards: 1 };
const NOTHING: Cost = { cu: 0, requests: 0 };

describe('what is drawn ahead', () => {
  let ahead: DrawAhead;

  beforeEach(() => {
    ahead = new DrawAhead();
  });

  function wanted(nowMs: number, plan = PLAN, bucket = FULL_BUCKET): Cost {
    return ahead.wanted('key', { plan, bucket }, { cu: 10, requests: 1 }, nowMs);
  }

  it('is nothing on a plan that does not ask for it', () => {
    ahead.put('key', PLAN, { own: { cu: 10, requests: 1 }, ahead: NOTHING }, NOW_MS);
    expect(wanted(NOW_MS + 1, { ...PLAN, drawAhead: false })).toEqual(NOTHING);
  });

  it('is as much as the key used in the last second', () => {
    ahead.put('key', PLAN, { own: { cu: 10, requests: 1 }, ahead: NOTHING }, NOW_MS);
    ahead.put('key', PLAN, { own: { cu: 15, requests: 1 }, ahead: NOTHING }, NOW_MS + 100);
    expect(wanted(NOW_MS + 200)).toEqual({ cu: 25, requests: 2 });
    expect(wanted(NOW_MS + AHEAD_VALID_MS)).toEqual({ cu: 25, requests: 2 });
    ahead.put('key', PLAN, { own: { cu: 5, requests: 1 }, ahead: NOTHING }, NOW_MS + AHEAD_VALID_MS);
    expect(wanted(NOW_MS + AHEAD_VALID_MS + 1)).toEqual({ cu: 25, requests: 2 });
  });

  it.each<[string, Partial<PlanSettings>, number, number]>([
    ['units', {}, 50, 2],
    ['requests', { requestsPerSecond: 4 }, 1, 3],
  ])('leaves the bucket half full of %s', (_limit, limits, cu, requests) => {
    const plan = { ...PLAN, ...limits };
    const bucketAfter = (drawn: Cost) => {
      const { now, takes } = drawOf(plan, drawn, NOW_MS);
      const [tat = 0n, rt = 0n] = takes.map(({ increment }) => increment);
      return { ...FULL_BUCKET, tat: now + tat, rt: now + rt };
    };
    ahead.put('key', PLAN, { own: { cu, requests: 1 }, ahead: NOTHING }, NOW_MS);
    const half = { cu: PLAN.bucketCapacity / 2 - 10 - cu, requests: (limits.requestsPerSecond ?? 0) / 2 - 2 };
    expect(wanted(NOW_MS, plan, bucketAfter(half))).toEqual({ cu, requests: 1 });
    const more = {
      cu: half.cu + (requests === 2 ? 1 : 0),
      requests: half.requests + (requests === 3 ? 1 : 0),
    };
    expect(wanted(NOW_MS, plan, bucketAfter(more))).toEqual(NOTHING);
  });

  it('is used as far as it goes, in units and in requests', () => {
    ahead.put('key', PLAN, { own: { cu: 10, requests: 1 }, ahead: { cu: 20, requests: 3 } }, NOW_MS);
    expect(ahead.take('key', PLAN, 21, NOW_MS)).toBe(false);
    expect(ahead.take('key', PLAN, 19, NOW_MS)).toBe(true);
    expect(ahead.take('key', PLAN, 2, NOW_MS)).toBe(false);
    ahead.put('key', PLAN, { own: { cu: 10, requests: 1 }, ahead: { cu: 20, requests: 1 } }, NOW_MS);
    expect(ahead.take('key', PLAN, 1, NOW_MS)).toBe(true);
    expect(ahead.take('key', PLAN, 1, NOW_MS)).toBe(false);
  });

  it('is of no use on another plan, by which as many units take longer to flow back', () => {
    ahead.put('key', PLAN, { own: { cu: 10, requests: 1 }, ahead: { cu: 20, requests: 3 } }, NOW_MS);
    expect(ahead.take('key', { ...PLAN, refillPerSecond: 10 }, 1, NOW_MS)).toBe(false);
  });

  it('belongs to its key, and goes with it', () => {
    ahead.put('key', PLAN, { own: { cu: 10, requests: 1 }, ahead: { cu: 20, requests: 3 } }, NOW_MS);
    expect(ahead.take('other', PLAN, 1, NOW_MS)).toBe(false);
    ahead.drop('key');
    expect(ahead.take('key', PLAN, 1, NOW_MS)).toBe(false);
  });
});

/** A request to one of the instances. */
interface Step {
  readonly instance: number;
  /** Time since the request before, in milliseconds. */
  readonly waitMs: number;
  /** How far the clock of the instance is ahead, in milliseconds. */
  readonly aheadMs: number;
  readonly cu: number;
}

const SPREAD_MS = 500;
const SHARED_LAG_MS = 100;
const INSTANCES = 3;
/** Mostly the first, sometimes the second. */
function mostly<T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: rare });
}

/** Busy keys, most of which want more than their plan has. */
const runs = fc.record({
  plan: fc.record({
    bucketCapacity: fc.integer({ min: 10, max: 400 }),
    refillPerSecond: fc.constantFrom(1, 10, 100),
    requestsPerSecond: fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }),
  }),
  steps: fc.array(
    fc.record<Step>({
      instance: mostly(fc.constant(0), fc.nat({ max: INSTANCES - 1 })),
      waitMs: mostly(fc.nat({ max: 30 }), fc.nat({ max: 1_500 })),
      aheadMs: mostly(fc.constant(0), fc.nat({ max: SPREAD_MS })),
      cu: mostly(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 400 })),
    }),
    { minLength: 100, maxLength: 200 },
  ),
});

/** What a key was admitted. */
interface Admitted {
  readonly atMs: number;
  readonly cu: number;
}

/** Sends requests of one key to instances that share a store; resolves to what was admitted, and by how many writes. */
async function sendAll(limits: Partial<PlanSettings>, steps: readonly Step[]) {
  const plan: PlanSettings = { ...PLAN, ...limits };
  const world = await new MeteringWorld(new MemoryStore()).create({ plan: 'ahead', granted: 10n ** 15n });
  const store = new FaultyStore(world.stored);
  let clockMs = NOW_MS;
  const newInstance = () =>
    createMeter({
      store,
      queue: new KeptQueue(),
      settings: {
        plans: { ahead: plan },
        defaultPlan: 'ahead',
        metering: { storeBeforeAnswer: false, groupCommitCu: 0 },
      },
      clock: { now: () => clockMs },
      randomBytes: (count) => randomBytes(count),
      pause: async () => {},
      telemetry: new RecordedTelemetry(),
    });
  const instances = Array.from({ length: INSTANCES }, newInstance);
  const admitted: Admitted[] = [];
  let nowMs = NOW_MS;
  for (const { instance, waitMs, aheadMs, cu } of steps) {
    nowMs += waitMs;
    clockMs = nowMs + aheadMs;
    const admission = await instances[instance]?.admit(world.holder, { cu });
    if (admission?.admitted) admitted.push({ atMs: nowMs, cu });
  }
  return { admitted, writes: store.writes };
}

/** Most by which what was admitted between any two instants is above a bound of `capacity` and the refill of a time. */
function excess(
  admitted: readonly Admitted[],
  capacity: number,
  perSecond: number,
  amountOf: (one: Admitted) => number,
): number {
  let worst = Number.NEGATIVE_INFINITY;
  for (const [from, first] of admitted.entries()) {
    let amount = 0;
    for (const one of admitted.slice(from)) {
      amount += amountOf(one);
      const windowMs = one.atMs - first.atMs + SPREAD_MS + AHEAD_VALID_MS + SHARED_LAG_MS;
      worst = Math.max(worst, amount - capacity - (perSecond * windowMs) / 1_000);
    }
  }
  return worst;
}

describe('with draws ahead', () => {
  it('a key is admitted its capacity and the refill of the window, the clock spread and 1.1 seconds', async () => {
    await fc.assert(
      fc.asyncProperty(runs, async ({ plan, steps }) => {
        const { requestsPerSecond, ...units } = plan;
        const limits = { ...units, ...(requestsPerSecond !== undefined && { requestsPerSecond }) };
        const { admitted } = await sendAll(limits, steps);
        expect(
          excess(admitted, plan.bucketCapacity, plan.refillPerSecond, ({ cu }) => cu),
        ).toBeLessThanOrEqual(0);
        if (requestsPerSecond === undefined) return;
        expect(excess(admitted, requestsPerSecond, requestsPerSecond, () => 1)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 300 },
    );
  });

  it('a request that is drawn for alone counts as one', async () => {
    const step = { waitMs: 0, aheadMs: 0, cu: 1 };
    const { admitted } = await sendAll({ requestsPerSecond: 10 }, [
      { ...step, instance: 0 },
      ...Array.from({ length: 8 }, () => ({ ...step, instance: 1 })),
      // Two do not fit, and one does.
      { ...step, instance: 0 },
      { ...step, instance: 2 },
    ]);
    expect(admitted).toHaveLength(10);
  });

  it('a request is drawn for alone where another instance has left too little to draw ahead', async () => {
    const step = { waitMs: 0, aheadMs: 0 };
    const { admitted } = await sendAll({}, [
      { ...step, instance: 0, cu: 100 },
      { ...step, instance: 1, cu: 700 },
      { ...step, instance: 0, cu: 150 },
    ]);
    expect(admitted).toHaveLength(3);
  });
});
