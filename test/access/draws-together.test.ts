/** Requests that a process has at a time share their draws, and lose nothing of their plan. */
import { randomBytes } from 'node:crypto';
import { createMeter } from '../../lambdas/access/meter.ts';
import type { Store } from '../../lambdas/access/store/store.ts';
import type { PlanSettings } from '../../lambdas/shared/runtime/settings.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { passOn } from '../simulation/stores/pass-on.ts';
import { VirtualTime } from '../simulation/virtual-time.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';
import { KeptQueue, MeteringWorld } from './metering-world.ts';

/** Requests that one environment has at a time, and what each takes of its node. */
const CLIENTS = 64;
const NODE_MS = 30;
/** A write to the store. */
const STORE_MS = 5;
const SECONDS = 5;
const PLAN: PlanSettings = { bucketCapacity: 10_000, refillPerSecond: 3_000, drawAhead: true, shards: 1 };

/** What one key comes to whose 64 clients send one request after the other to one process. */
async function load(plan: PlanSettings, cu: number) {
  const world = await new MeteringWorld(new MemoryStore()).create({ plan: 'ahead', granted: 10n ** 15n });
  const time = new VirtualTime(world.clock.now());
  const draws: number[] = [];
  const startMs = time.nowMs;
  const store: Store = {
    ...passOn(world.stored),
    update: async (update) => {
      if (update.table === 'keys') {
        const second = Math.floor((time.nowMs - startMs) / 1_000);
        draws[second] = (draws[second] ?? 0) + 1;
      }
      await time.pause(STORE_MS);
      const result = await world.stored.update(update);
      await time.pause(STORE_MS);
      return result;
    },
  };
  const meter = createMeter({
    store,
    queue: new KeptQueue(),
    settings: {
      plans: { ahead: plan },
      defaultPlan: 'ahead',
      metering: { storeBeforeAnswer: false, groupCommitCu: 0 },
    },
    clock: time,
    randomBytes: (count) => randomBytes(count),
    pause: time.pause,
    telemetry: new RecordedTelemetry(),
  });
  let admitted = 0;
  const refused: string[] = [];
  const client = async () => {
    while (time.nowMs < startMs + SECONDS * 1_000) {
      const admission = await meter.admit(world.holder, { cu });
      if (admission.admitted) admitted += 1;
      else refused.push(admission.refusal.reason);
      await time.pause(NODE_MS);
    }
  };
  for (let place = 0; place < CLIENTS; place += 1) void client();
  await time.run();
  return { draws, admitted, refused };
}

describe('a key of 64 requests at a time in one process', () => {
  it('draws some times a second, and is admitted all that its plan lets it', async () => {
    const { draws, admitted, refused } = await load(PLAN, 1);
    expect(refused).toEqual([]);
    expect(admitted).toBeGreaterThan(SECONDS * 2_000);
    // Those of the first second, in which nothing is known of the key; then one a second, and what came before it was back.
    expect(draws[0]).toBeLessThanOrEqual(15);
    for (const ofSecond of draws.slice(1, SECONDS)) expect(ofSecond).toBeLessThanOrEqual(5);
  });

  it('writes one draw after the other where it wants more than its plan has', async () => {
    const { draws, admitted, refused } = await load(
      { ...PLAN, bucketCapacity: 1_000, refillPerSecond: 1_000 },
      1,
    );
    expect(new Set(refused)).toEqual(new Set(['rate_limited']));
    expect(admitted).toBeGreaterThanOrEqual(SECONDS * 1_000);
    expect(admitted).toBeLessThanOrEqual((SECONDS + 1) * 1_000 + 1_000);
    for (const ofSecond of draws) expect(ofSecond).toBeLessThanOrEqual(1_000 / (2 * STORE_MS));
  });

  it('draws for each request on a plan that is not drawn ahead from', async () => {
    const { draws } = await load({ ...PLAN, drawAhead: false }, 1);
    expect(draws[1]).toBeGreaterThan(1_000);
  });

  it('draws for each request that does not fit beside the others', async () => {
    const world = await new MeteringWorld(new MemoryStore()).create({ plan: 'busy' });
    const results = await Promise.all(
      [7_000, 5_000, 2_000].map((cu) => world.meter.admit(world.holder, { cu })),
    );
    expect(results.map(({ admitted }) => admitted)).toEqual([true, false, true]);
  });

  it.each([
    ['a disabled key', (world: MeteringWorld) => world.setKeyStatus('disabled'), 'key_unknown'],
    [
      'a store that does not answer',
      async (world: MeteringWorld) => {
        world.store.writeFaults.push(...Array.from({ length: 10 }, () => 'throttled' as const));
      },
      'billing_unavailable',
    ],
  ])('answers every request of %s', async (_name, spoil, reason) => {
    const world = await (await new MeteringWorld(new MemoryStore()).create({ plan: 'busy' })).warm();
    await spoil(world);
    const results = await Promise.all(
      Array.from({ length: CLIENTS }, () => world.meter.admit(world.holder, { cu: 1 })),
    );
    const reasons = results.map((result) => (result.admitted ? 'admitted' : result.refusal.reason));
    expect(new Set(reasons)).toEqual(new Set([reason]));
    expect(world.store.writes).toBeLessThanOrEqual(4);
  });
});
