/** Runs of the simulation, and each point at which one of its processes can die. */

import { type LaneTotal, storeBehindMark } from '../../lambdas/access/charge/lane.ts';
import { encodeLane } from '../../lambdas/access/charge/lane-message.ts';
import { InputError } from '../../lambdas/access/contract/input-error.ts';
import { generateApiKey, keyIdOf } from '../../lambdas/access/keys/api-key.ts';
import { createMeter } from '../../lambdas/access/meter.ts';
import type { Store } from '../../lambdas/access/store/store.ts';
import { createAccount } from '../../lambdas/accounts/create-account.ts';
import { creditAccount } from '../../lambdas/accounts/credit-account.ts';
import { debitAccount } from '../../lambdas/accounts/debit-account.ts';
import { createKey, setKeyStatus } from '../../lambdas/accounts/keys.ts';
import { rebuildAccount } from '../../lambdas/accounts/rebuild-account.ts';
import { setPlan } from '../../lambdas/accounts/set-plan.ts';
import type { CachedRequest } from '../../lambdas/rpc/cache/response-cache.ts';
import { handleRequest } from '../../lambdas/rpc/handle-request.ts';
import { hourOf } from '../../lambdas/shared/runtime/clock.ts';
import type { Hosting } from '../../lib/config/function-config.ts';
import { answeredCall } from '../support/answered-call.ts';
import { isAtLength, sampled } from '../support/at-length.ts';
import { type CrashPoint, CrashWorld, Life, type WriteFault } from './crash-world.ts';
import { DEFAULT_PLAN, PLANS } from './plans.ts';
import { simulatedChain } from './simulated-chain.ts';
import { type SimulationResult, simulate } from './simulation.ts';

describe('runs', () => {
  const REQUESTS = isAtLength ? 1_000 : 300;
  /** At least one of each hosting, and two of one. */
  const QUICK_RUNS: readonly (readonly [seed: number, hosting: Hosting])[] = [
    [1, 'event'],
    [2, 'event'],
    [1, 'instances'],
  ];
  const RUNS: typeof QUICK_RUNS = isAtLength ? [...QUICK_RUNS, [3, 'event'], [2, 'instances']] : QUICK_RUNS;

  function count({ counts }: SimulationResult, name: string): number {
    return new Map(counts).get(name) ?? 0;
  }

  test('a seed always leads to the same run, in which every invariant holds, and another seed to another', async () => {
    const digests: string[] = [];
    for (const [seed, hosting] of RUNS) {
      const first = await simulate({ seed, hosting, requests: REQUESTS });
      const again = await simulate({ seed, hosting, requests: REQUESTS });
      expect(again).toEqual(first);
      expect(first.violation).toBeUndefined();
      expect(count(first, 'bills checked')).toBeGreaterThan(REQUESTS / 2);
      expect(count(first, 'bills that disagree')).toBe(0);
      digests.push(first.digest);
    }
    expect(new Set(digests).size).toBe(RUNS.length);
  });

  test('where nothing goes wrong, everything that is answered is charged, and no request fails', async () => {
    for (const [seed, hosting] of RUNS) {
      const result = await simulate({ seed, hosting, requests: REQUESTS, clear: true });
      expect(result.violation).toBeUndefined();
      expect(count(result, 'requests')).toBe(REQUESTS);
      expect(count(result, 'CU answered')).toBeGreaterThan(0);
      expect(count(result, 'CU charged')).toBe(count(result, 'CU answered'));
      expect(count(result, 'answer: 503')).toBe(0);
      expect(count(result, 'charge: queued') + count(result, 'charge: unstored')).toBe(0);
    }
  });
});

describe('crash points', () => {
  const HOUR_MS = 3_600_000;
  const ACCOUNT = 'account-1';
  const OPENING_CU = 1_000_000;
  const CALL_CU = 20n;
  const API_KEY = generateApiKey((size) => Buffer.alloc(size, 7));
  const CHAIN = simulatedChain('example_mainnet');
  const BODY = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"0x00"},{}]}');

  afterAll(() => {
    process.stdout.write(
      `crash points: ${[...counts].map(([name, count]) => `${name} ${count}`).join(', ')}\n`,
    );
  });

  /** Processes that were killed, by what they were doing. */
  const counts = new Map<string, number>();

  function count(name: string): void {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }

  /** Before and after each of a number of calls; a quick run takes a sample of them. */
  function crashPoints(calls: number): readonly CrashPoint[] {
    return sampled(
      Array.from({ length: calls }, (_, call) => [
        { call, when: 'before' } as const,
        { call, when: 'after' } as const,
      ]).flat(),
    );
  }

  async function openWorld(): Promise<CrashWorld> {
    const world = new CrashWorld();
    const credit = { cu: OPENING_CU, reference: 'opening' };
    await createAccount(world.store, world.clock, { account: ACCOUNT, plan: 'standard', credit });
    await createKey(world.store, world.clock, { account: ACCOUNT, apiKey: API_KEY });
    return world;
  }

  /** A process of the gateway that answers requests; `answered` rises with each response of the node. */
  function openGateway(world: CrashWorld, life: Life, groupCommitCu = 0) {
    const meter = createMeter({
      store: world.storeOf(life),
      queue: {
        send: (lane) =>
          life.call(async () => {
            world.lanes.push(encodeLane(lane));
          }),
      },
      settings: {
        plans: PLANS,
        defaultPlan: DEFAULT_PLAN,
        metering: { storeBeforeAnswer: false, groupCommitCu },
      },
      clock: world.clock,
      randomBytes: world.randomBytes,
      pause: async () => {},
      telemetry: world.telemetry,
    });
    const node = { answered: 0 };
    const answer = { kind: 'result', result: Buffer.from('"0x"') } as const;
    const ask = ({ calls }: Pick<CachedRequest, 'calls'>) =>
      life.call(async () => {
        node.answered += 1;
        return { responses: calls.map((call) => answeredCall(answer, call)), share: async () => {} };
      });
    const serve = async () => {
      const holder = await meter.authenticate(API_KEY);
      if (holder === undefined) throw new Error('the key is not known');
      const deadline = world.clock.now() + 10_000;
      const answered = await handleRequest({ holder, chain: CHAIN, body: BODY, deadline }, meter, {
        answer: ask,
      });
      await Promise.all([answered?.conclude?.(), meter.storeDue()]);
    };
    return { serve, node, handOver: () => meter.handOver() };
  }

  const REQUESTS: readonly { readonly name: string; readonly faults: readonly (WriteFault | undefined)[] }[] =
    [
      { name: 'whose charge is stored at once', faults: [] },
      { name: 'whose mark is throttled once', faults: ['throttled'] },
      { name: 'whose mark is put without an answer', faults: ['answer lost'] },
      { name: 'whose mark is never put', faults: ['throttled', 'request lost', 'throttled'] },
      {
        name: 'whose charge is queued and was stored',
        faults: [undefined, 'answer lost', 'request lost', 'throttled'],
      },
    ];

  describe.each(REQUESTS)('a request $name', ({ faults }) => {
    test('is charged once or not at all, wherever its process dies', async () => {
      const whole = new Life();
      const calm = await openWorld();
      calm.writeFaults.push(...faults);
      await openGateway(calm, whole).serve();
      expect(calm.writeFaults).toEqual([]);
      await calm.close();
      expect(calm.chargedCu()).toBe(CALL_CU);

      for (const point of crashPoints(whole.calls)) {
        const world = await openWorld();
        world.writeFaults.push(...faults);
        const life = new Life(point);
        const { serve, node } = openGateway(world, life);
        expect(await life.live(serve())).toBe('died');
        count('request');
        const isCertain = world.chargedCu() > 0n || world.queuedCu() > 0n;
        if (isCertain) expect(node.answered).toBe(1);
        world.writeFaults.length = 0;

        // The client asks again, and another process answers.
        const again = openGateway(world, new Life());
        await again.serve();
        await world.close();
        expect(world.chargedCu()).toBe(isCertain ? 2n * CALL_CU : CALL_CU);
      }
    });
  });

  test('what a process holds back is handed over whole, or lost as a whole, wherever it dies', async () => {
    const HELD_BACK_CU = 100;
    const live = async (world: CrashWorld, life: Life) => {
      const { serve, handOver } = openGateway(world, life, HELD_BACK_CU);
      for (let request = 0; request < 3; request += 1) await serve();
      await handOver();
    };
    const whole = new Life();
    const calm = await openWorld();
    await live(calm, whole);
    expect(calm.chargedCu()).toBe(CALL_CU);
    await calm.close();
    expect(calm.chargedCu()).toBe(3n * CALL_CU);

    for (const point of crashPoints(whole.calls)) {
      const world = await openWorld();
      const life = new Life(point);
      await life.live(live(world, life));
      count('group');
      const isHandedOver = world.queuedCu() > 0n;
      const before = world.chargedCu();
      await world.close();
      expect(world.chargedCu()).toBe(isHandedOver ? 3n * CALL_CU : before);
    }
  });

  /** An account with three closed hours, one of them settled before and late since, and another account. */
  async function openPendingWorld(): Promise<CrashWorld> {
    const world = await openWorld();
    const startMs = world.clock.timeMs;
    await charge(world, 'lane-1', 700);
    await charge(world, 'lane-2', 700);
    world.clock.timeMs = startMs + 2 * HOUR_MS;
    await world.settle();
    await charge(world, 'lane-3', 650, startMs);
    await charge(world, 'lane-4', 1_999);
    world.clock.timeMs = startMs + 8 * HOUR_MS;
    await charge(world, 'lane-5', 5);
    await createAccount(world.store, world.clock, { account: 'account-2', plan: 'free' });
    await charge(world, 'lane-6', 1, world.clock.timeMs, 'account-2');
    world.clock.timeMs = startMs + 10 * HOUR_MS;
    return world;
  }

  function charge(
    world: CrashWorld,
    lane: string,
    cu: number,
    timeMs?: number,
    account?: string,
  ): Promise<void> {
    const { store, clock, randomBytes } = world;
    return storeBehindMark({ store, clock, randomBytes }, laneOf(world, lane, cu, timeMs, account));
  }

  function laneOf(
    { clock }: CrashWorld,
    lane: string,
    cu: number,
    timeMs = clock.timeMs,
    account = ACCOUNT,
  ): LaneTotal {
    const used = `example_mainnet eth_blockNumber:${cu}:${cu}`;
    const key = { account, shard: 0, hour: hourOf(timeMs), lane: lane.padEnd(11, '-') };
    return { ...key, charges: 1, total: BigInt(cu), used };
  }

  test('a settlement leaves the same records, wherever it dies, and wherever the next one does', async () => {
    const whole = new Life();
    const calm = await openPendingWorld();
    await calm.settle(whole);
    await calm.close();
    const records = recordsOf(calm);
    expect(records.length).toBe(5);

    for (const first of crashPoints(whole.calls)) {
      for (const second of [undefined, ...crashPoints(whole.calls)]) {
        const world = await openPendingWorld();
        await world.settle(new Life(first));
        count('settlement');
        if (second !== undefined) {
          await world.settle(new Life(second));
          count('settlement');
        }
        await world.close();
        expect(recordsOf(world)).toEqual(records);
      }
    }
  });

  /** Settlement records without the time at which they were made, and what has it in its hash. */
  function recordsOf(world: CrashWorld) {
    const records = world.store.items('ledger').filter((item) => item.settled_cu !== undefined);
    return records
      .map(({ settled_at: _, previous: __, ...record }) => record)
      .sort((one, other) => (`${one.account} ${one.record}` < `${other.account} ${other.record}` ? -1 : 1));
  }

  test('a delivery of the queue is stored once, wherever its consumer dies', async () => {
    const fill = (world: CrashWorld) => {
      const lanes = [laneOf(world, 'lane-1', 30), laneOf(world, 'lane-2', 40), laneOf(world, 'lane-1', 50)];
      world.lanes.push(...lanes.map(encodeLane));
    };
    const whole = new Life();
    const calm = await openWorld();
    fill(calm);
    await calm.consume(whole);
    expect(calm.chargedCu()).toBe(90n);

    for (const point of crashPoints(whole.calls)) {
      const world = await openWorld();
      fill(world);
      await world.consume(new Life(point));
      count('queue');
      expect(world.chargedCu()).toBe(90n);
      await world.close();
    }
  });

  test.each(['is gone', 'is older than its ledger'])(
    'an account whose item %s is made anew, wherever the operator is stopped',
    async (damage) => {
      const open = async () => {
        const world = await openWorld();
        const backup = world.store.peek('accounts', { account: ACCOUNT });
        await charge(world, 'lane-1', 1_700);
        world.clock.timeMs += 2 * HOUR_MS;
        await world.settle();
        await creditAccount(world.store, world.clock, ACCOUNT, { cu: 500, reference: 'invoice-1' });
        await charge(world, 'lane-2', 900);
        const sound = world.store.peek('accounts', { account: ACCOUNT });
        world.store.restore('accounts', { account: ACCOUNT }, damage === 'is gone' ? undefined : backup);
        return { world, sound };
      };
      const whole = new Life();
      const { world: calm, sound } = await open();
      await rebuildAccount(calm.books(whole), ACCOUNT);
      const rebuilt = { ...sound, open_from: hourOf(calm.clock.timeMs) };
      expect(calm.store.peek('accounts', { account: ACCOUNT })).toEqual(rebuilt);

      for (const point of crashPoints(whole.calls)) {
        const { world } = await open();
        const life = new Life(point);
        await life.live(rebuildAccount(world.books(life), ACCOUNT));
        count('rebuild');
        await rebuildAccount(world.books(new Life()), ACCOUNT);
        expect(world.store.peek('accounts', { account: ACCOUNT })).toEqual(rebuilt);
        await world.close();
        expect(world.chargedCu()).toBe(2_600n);
      }
    },
  );

  test('a credit that is given again is given once, wherever the operator is stopped', async () => {
    const credit = { cu: 500, reference: 'invoice-1' };
    const whole = new Life();
    const calm = await openWorld();
    await creditAccount(calm.storeOf(whole), calm.clock, ACCOUNT, credit);

    for (const point of crashPoints(whole.calls)) {
      const world = await openWorld();
      const life = new Life(point);
      await life.live(creditAccount(world.storeOf(life), world.clock, ACCOUNT, credit));
      count('credit');
      const again = await creditAccount(world.store, world.clock, ACCOUNT, credit);
      expect(again.granted_cu).toBe(OPENING_CU + credit.cu);
      await world.close();
    }
  });

  const ANOTHER_KEY = generateApiKey((size) => Buffer.alloc(size, 8));
  test.each<[string, (store: Store, clock: CrashWorld['clock']) => Promise<unknown>]>([
    [
      'debit',
      (store, clock) =>
        debitAccount(store, clock, ACCOUNT, { cu: 300, reference: 'refund-1', reason: 'Refunded' }),
    ],
    ['key', (store, clock) => createKey(store, clock, { account: ACCOUNT, apiKey: ANOTHER_KEY })],
    ['disabled key', (store, clock) => setKeyStatus(store, clock, keyIdOf(API_KEY), 'disabled')],
    ['plan', (store, clock) => setPlan(store, clock, ACCOUNT, { plan: 'large' })],
  ])('a %s that is asked for again is there once, wherever the operator is stopped', async (name, act) => {
    const items = ({ store }: CrashWorld) =>
      (['accounts', 'keys', 'ledger'] as const).map((table) => store.items(table));
    const whole = new Life();
    const calm = await openWorld();
    await act(calm.storeOf(whole), calm.clock);
    expect(items(calm)).not.toEqual(items(await openWorld()));

    for (const point of crashPoints(whole.calls)) {
      const world = await openWorld();
      const life = new Life(point);
      await life.live(act(world.storeOf(life), world.clock));
      count(name);
      // A key that is there already is refused.
      await act(world.store, world.clock).catch((error) => expect(error).toBeInstanceOf(InputError));
      expect(items(world)).toEqual(items(calm));
      await world.close();
    }
  });

  test('a new account is whole or not there, wherever the operator is stopped', async () => {
    const request = { account: 'account-9', plan: 'free', credit: { cu: 5, reference: 'opening' } };
    for (const point of crashPoints(1)) {
      const world = await openWorld();
      const life = new Life(point);
      expect(await life.live(createAccount(world.storeOf(life), world.clock, request))).toBe('died');
      count('new account');
      await world.close();
      const items = world.store.items('accounts').filter(({ account }) => account === request.account);
      expect(items.length).toBe(point.when === 'after' ? 1 : 0);
    }
  });
});
