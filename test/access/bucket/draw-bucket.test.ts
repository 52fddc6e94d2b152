/** Draws of any instances, in any order and with faults, stay within a bucket and cost few writes. */
import fc from 'fast-check';
import { bucketOf, type Cost, decide, drawOf, FULL_BUCKET } from '../../../lambdas/access/bucket/bucket.ts';
import { BucketMemory, drawFromBucket } from '../../../lambdas/access/bucket/draw-bucket.ts';
import type { Store } from '../../../lambdas/access/store/store.ts';
import type { PlanLimits } from '../../../lambdas/shared/runtime/settings.ts';
import { MemoryStore } from '../../simulation/stores/memory-store.ts';
import { FaultyStore } from '../metering-world.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 23, 30);
const PLAN: PlanLimits = { bucketCapacity: 100, refillPerSecond: 10, requestsPerSecond: 20 };

/** Draws that pause for no time. */
const IMPATIENT = { pause: async () => {}, randomBytes: (count: number) => new Uint8Array(count) };

let keys = 0;

async function newKey(store: Store, bucket: Record<string, bigint> = {}): Promise<string> {
  const keyId = `key-${keys++}`;
  await store.put({ table: 'keys', item: { key_id: keyId, status: 'active', ...bucket }, when: [] });
  return keyId;
}

async function storedBucket(store: Store, keyId: string) {
  return bucketOf((await store.get('keys', { key_id: keyId })) ?? {});
}

describe('drawFromBucket', () => {
  let store: FaultyStore;

  beforeEach(() => {
    store = new FaultyStore(new MemoryStore());
  });

  function draw(keyId: string, price: Cost, memory = new BucketMemory(), nowMs = NOW_MS) {
    return drawFromBucket({ ...IMPATIENT, store, buckets: memory }, keyId, drawOf(PLAN, price, nowMs));
  }

  const full = BigInt(NOW_MS) * 1_000_000_000n;
  const draining = full + 1_000_000_000n;
  test.each<[string, string, { tat?: bigint; rt?: bigint }]>([
    ['absent', 'absent', {}],
    ['full', 'full', { tat: full, rt: full }],
    ['draining', 'full', { tat: draining, rt: full }],
    ['full', 'draining', { tat: full, rt: draining }],
    ['draining', 'draining', { tat: draining, rt: draining }],
  ])('draws from units %s, calls %s, with no memory of them', async (_units, _calls, bucket) => {
    const keyId = await newKey(store, bucket);
    expect(await draw(keyId, { cu: 10, requests: 1 })).toMatchObject({ state: 'drawn' });
    expect(store.writes).toBeLessThanOrEqual(3);
    expect(await storedBucket(store, keyId)).toEqual({
      ...FULL_BUCKET,
      tat: (bucket.tat ?? full) + 1_000_000_000_000n,
      rt: (bucket.rt ?? full) + 50_000_000_000n,
    });
  });

  test('of a key that others draw from, a draw is one write all the same', async () => {
    const keyId = await newKey(store);
    const [own, others] = [new BucketMemory(), new BucketMemory()];
    /** Writes of a draw by one instance, some milliseconds after one of the others that is for so much. */
    const writesAfter = async (atMs: number, cu: number, laterMs: number, memory = own) => {
      await draw(keyId, { cu, requests: 1 }, others, NOW_MS + atMs);
      store.forgetCounts();
      const drawn = await draw(keyId, { cu: 1, requests: 1 }, memory, NOW_MS + atMs + laterMs);
      expect(drawn).toMatchObject({ state: 'drawn' });
      return store.writes;
    };
    await draw(keyId, { cu: 1, requests: 1 }, own);
    // It should be full again, and drains still; from then on the instance knows that there are others.
    expect(await writesAfter(2_000, 10, 500)).toBe(2);
    expect(await writesAfter(4_000, 10, 500)).toBe(1);
    // Full for 40 ms: drawn from where it stood.
    expect(await writesAfter(6_000, 10, 1_040)).toBe(1);
    const stood = BigInt(NOW_MS + 7_000) * 1_000_000_000n;
    expect((await storedBucket(store, keyId)).tat).toBe(stood + 100_000_000_000n);
    // Full for longer than the lag: the others are gone.
    expect(await writesAfter(9_000, 1, 201)).toBe(2);
    expect((await storedBucket(store, keyId)).tat).toBe(BigInt(NOW_MS + 9_201 + 100) * 1_000_000_000n);
    expect(await writesAfter(11_000, 1, 1_000)).toBe(1);
    // An instance that is new to the key has just read it.
    const cold = new BucketMemory();
    await draw(keyId, { cu: 10, requests: 1 }, others, NOW_MS + 20_000);
    const readAt = BigInt(NOW_MS + 20_300) * 1_000_000_000n;
    cold.learn(keyId, cold.recall(keyId), await storedBucket(store, keyId), readAt);
    expect(await writesAfter(21_000, 10, 500, cold)).toBe(1);
  });

  test.each([0, 99, 100, 1_400])(
    'of a key that others draw from and that was full for %i ms, at most a tenth of a second more is admitted',
    async (fullMs) => {
      const keyId = await newKey(store, { tat: BigInt(NOW_MS - fullMs) * 1_000_000_000n });
      const own = new BucketMemory();
      own.learn(
        keyId,
        own.recall(keyId),
        { ...FULL_BUCKET, tat: BigInt(NOW_MS) * 1_000_000_000n },
        BigInt(NOW_MS) * 1_000_000_000n,
      );
      let admittedCu = 0;
      while ((await draw(keyId, { cu: 1, requests: 0 }, own)).state === 'drawn') admittedCu += 1;
      const lagCu = fullMs > 0 && fullMs < 100 ? 1 : 0;
      expect(admittedCu).toBeLessThanOrEqual(PLAN.bucketCapacity + lagCu);
      expect(admittedCu).toBeGreaterThanOrEqual(PLAN.bucketCapacity);
    },
  );

  test('a draw that was lost is no longer expected after one more write', async () => {
    const keyId = await newKey(store);
    const memory = new BucketMemory();
    store.writeFaults.push('request_lost');
    await expect(draw(keyId, { cu: 90, requests: 1 }, memory)).rejects.toMatchObject({ maybeApplied: true });
    store.forgetCounts();
    expect(await draw(keyId, { cu: 90, requests: 1 }, memory)).toMatchObject({ state: 'drawn' });
    expect(store.writes).toBe(2);
    expect(await draw(keyId, { cu: 10, requests: 1 }, memory)).toMatchObject({ state: 'drawn' });
    expect(store.writes).toBe(3);
  });

  test('a throttled draw is tried once more, after a pause that differs from one instance to another', async () => {
    const keyId = await newKey(store);
    const pauses: number[] = [];
    const drawWith = (random: number, nowMs = NOW_MS) =>
      drawFromBucket(
        {
          store,
          buckets: new BucketMemory(),
          pause: async (durationMs) => {
            pauses.push(durationMs);
          },
          randomBytes: (count) => new Uint8Array(count).fill(random),
        },
        keyId,
        drawOf(PLAN, { cu: 50, requests: 1 }, nowMs),
      );
    store.writeFaults.push('throttled');
    expect(await drawWith(0)).toMatchObject({ state: 'drawn' });
    store.writeFaults.push('throttled', undefined);
    expect(await drawWith(255)).toMatchObject({ state: 'drawn' });
    expect(pauses).toEqual([25, 100]);
    store.writeFaults.push('throttled', 'throttled');
    await expect(drawWith(128, NOW_MS + 60_000)).rejects.toThrow('throttled');
    expect(pauses).toHaveLength(3);
  });

  test('a draw whose connection broke is tried once more, whatever became of the first', async () => {
    const keyId = await newKey(store);
    store.forgetCounts();
    store.writeFaults.push('broke');
    expect(await draw(keyId, { cu: 10, requests: 1 })).toMatchObject({ state: 'drawn' });
    expect(store.writes).toBe(3);
  });
});

test('draws of one instance at one time cost one write each, though none knows yet what became of the others', async () => {
  const store = new FaultyStore(new MemoryStore());
  const keyId = await newKey(store);
  const parts = { ...IMPATIENT, store, buckets: new BucketMemory() };
  store.forgetCounts();
  for (const nowMs of [NOW_MS, NOW_MS + 60_000]) {
    const draw = drawOf(PLAN, { cu: 1, requests: 1 }, nowMs);
    const draws = Array.from({ length: 8 }, () => drawFromBucket(parts, keyId, draw));
    expect(await Promise.all(draws)).toMatchObject(draws.map(() => ({ state: 'drawn' })));
  }
  expect(store.writes).toBe(16);
});

test('answers that overtake one another move no remembered bucket back', () => {
  const memory = new BucketMemory();
  memory.see('k', { tat: 5n, rt: 2n, day: 3n, day_cu: 1n });
  memory.see('k', { tat: 3n, rt: 4n, day: 2n, day_cu: 9n });
  expect(memory.recall('k')).toEqual({ tat: 5n, rt: 4n, day: 3n, day_cu: 1n });
});

/** Every request to the store arrives, and is answered, when the scheduler says so. */
function scheduledStore(store: Store, scheduler: fc.Scheduler): Store {
  return Object.assign(Object.create(store), {
    update: async (update: Parameters<Store['update']>[0]) => {
      await scheduler.schedule(Promise.resolve(), 'request');
      const result = await store.update(update);
      await scheduler.schedule(Promise.resolve(), 'answer');
      return result;
    },
  });
}

describe('any interleaving of instances with skewed clocks', () => {
  const MAX_SKEW_MS = 5_000;
  const SHARED_LAG_MS = 100;

  interface Arrival {
    readonly instance: number;
    readonly atMs: number;
    readonly price: Cost;
  }

  const arrivals = fc.array(
    fc.record({
      instance: fc.nat(3),
      atMs: fc.nat(4_000),
      price: fc.record({
        cu: fc.integer({ min: 1, max: PLAN.bucketCapacity }),
        requests: fc.integer({ min: 1, max: 20 }),
      }),
    }),
    { minLength: 1, maxLength: 25 },
  );
  const skews = fc.oneof(
    fc.constant([0, 0, 0, 0]),
    fc.array(fc.integer({ min: -MAX_SKEW_MS, max: MAX_SKEW_MS }), { minLength: 4, maxLength: 4 }),
  );

  async function run(scheduler: fc.Scheduler, skewsMs: readonly number[], requests: readonly Arrival[]) {
    const stored = new MemoryStore();
    const keyId = await newKey(stored);
    const instances = skewsMs.map(() => new FaultyStore(scheduledStore(stored, scheduler)));
    const memories = skewsMs.map(() => new BucketMemory());
    const admitted: Arrival[] = [];
    let mostWrites = 0;
    const responses = requests.map(async (request) => {
      const store = new FaultyStore(instances[request.instance] ?? stored);
      const memory = memories[request.instance] ?? new BucketMemory();
      const draw = drawOf(PLAN, request.price, NOW_MS + request.atMs + (skewsMs[request.instance] ?? 0));
      const drawn = await drawFromBucket({ ...IMPATIENT, store, buckets: memory }, keyId, draw);
      mostWrites = Math.max(mostWrites, store.writes);
      if (drawn.state === 'drawn') admitted.push(request);
      if (drawn.state === 'refused') {
        expect(decide(await storedBucket(stored, keyId), draw).fits).toBe(false);
      }
    });
    await scheduler.waitFor(Promise.all(responses));
    return { admitted, mostWrites };
  }

  /** Most that a bucket may admit beyond capacity + refill * (window + spread), over all windows; in units x 1000. */
  function worstExcess(
    admitted: readonly Arrival[],
    spreadMs: number,
    limit: { readonly capacity: number; readonly refill: number; amount(price: Cost): number },
  ): number {
    const times = admitted.map(({ atMs }) => atMs);
    const windows = times.flatMap((from) => times.filter((to) => to >= from).map((to) => ({ from, to })));
    return Math.max(
      ...windows.map(({ from, to }) => {
        const inside = admitted.filter(({ atMs }) => atMs >= from && atMs <= to);
        const total = inside.reduce((sum, { price }) => sum + limit.amount(price), 0);
        return total * 1_000 - limit.capacity * 1_000 - limit.refill * (to - from + spreadMs);
      }),
    );
  }

  test('admits at most capacity + refill x (window + spread + 0.1 s), in at most 4 writes, and refuses nothing that fits', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), skews, arrivals, async (scheduler, skewsMs, requests) => {
        const { admitted, mostWrites } = await run(scheduler, skewsMs, requests);
        const spreadMs = Math.max(...skewsMs) - Math.min(...skewsMs) + SHARED_LAG_MS;
        const units = { capacity: PLAN.bucketCapacity, refill: PLAN.refillPerSecond };
        expect(worstExcess(admitted, spreadMs, { ...units, amount: ({ cu }) => cu })).toBeLessThanOrEqual(0);
        const calls = { capacity: 20, refill: 20 };
        expect(
          worstExcess(admitted, spreadMs, { ...calls, amount: (price) => price.requests }),
        ).toBeLessThanOrEqual(0);
        expect(admitted.length).toBeGreaterThan(0);
        expect(mostWrites).toBeLessThanOrEqual(4);
      }),
      { numRuns: 500 },
    );
  });
});
