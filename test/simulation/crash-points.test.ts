import { createAccount, creditAccount } from '../../lambdas/access/accounts.ts';
import { generateApiKey } from '../../lambdas/access/api-key.ts';
import { encodeCharge } from '../../lambdas/access/charge-message.ts';
import { applyCharge, type Charge } from '../../lambdas/access/charge-update.ts';
import { hourOf } from '../../lambdas/access/hour.ts';
import { createKey } from '../../lambdas/access/keys.ts';
import { createMeter } from '../../lambdas/access/meter.ts';
import { handleRequest } from '../../lambdas/rpc/handle-request.ts';
import { HAND_ON_BEFORE_END_MS } from '../../lambdas/settlement/handler.ts';
import { type CrashPoint, CrashWorld, Life, type UpdateFault } from './crash-world.ts';
import { DEFAULT_PLAN, PLANS } from './plans.ts';
import { Random } from './random.ts';
import { simulatedChain } from './simulated-chain.ts';

const HOUR_MS = 3_600_000;
const ACCOUNT = 'account-1';
const OPENING_CU = 1_000_000;
const CALL_CU = 20;
const API_KEY = generateApiKey((size) => Buffer.alloc(size, 7));
const CHAIN = simulatedChain('example_mainnet');
const BODY = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"0x00"},{}]}');
const SILENT_LOG = jest.spyOn(process.stdout, 'write');

beforeAll(() => {
  SILENT_LOG.mockImplementation(() => true);
});
afterAll(() => {
  SILENT_LOG.mockRestore();
  process.stdout.write(
    `crash points: ${[...counts].map(([name, count]) => `${name} ${count}`).join(', ')}\n`,
  );
});

/** Processes that were killed, by what they were doing. */
const counts = new Map<string, number>();

function count(name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Before and after each of a number of calls. */
function crashPoints(calls: number): CrashPoint[] {
  return Array.from({ length: calls }, (_, call) => [
    { call, when: 'before' } as const,
    { call, when: 'after' } as const,
  ]).flat();
}

async function openWorld(): Promise<CrashWorld> {
  const world = new CrashWorld();
  const credit = { cu: OPENING_CU, reference: 'opening' };
  await createAccount(world.store, world.clock, { account: ACCOUNT, plan: 'standard', credit });
  await createKey(world.store, world.clock, { account: ACCOUNT, apiKey: API_KEY });
  return world;
}

/** A process of the gateway that answers requests; `answered` rises with each answer of the node. */
function openGateway(world: CrashWorld, life: Life) {
  const random = new Random(1);
  const queue = world.queueOf(life, world.charges);
  const meter = createMeter({
    store: world.storeOf(life),
    queue: { send: (charge) => queue.send(encodeCharge(charge)) },
    settings: { plans: PLANS, defaultPlan: DEFAULT_PLAN },
    clock: world.clock,
    randomBytes: (size) => random.bytes(size),
    pause: async () => {},
  });
  const node = { answered: 0 };
  const answer = { kind: 'result', result: Buffer.from('"0x"') } as const;
  const ask = () =>
    life.call(async () => {
      node.answered += 1;
      return { answers: [{ answer, cached: false }], share: async () => {} };
    });
  const serve = async () => {
    const holder = await meter.authenticate(API_KEY);
    if (holder === undefined) throw new Error('the key is not known');
    const deadline = world.clock.now() + 10_000;
    return handleRequest({ holder, chain: CHAIN, body: BODY, deadline }, meter, { answer: ask });
  };
  return { serve, node };
}

const REQUESTS: readonly { readonly name: string; readonly faults: readonly UpdateFault[] }[] = [
  { name: 'whose charge is applied at once', faults: [] },
  { name: 'whose charge is throttled once', faults: ['throttled'] },
  { name: 'whose charge is applied without an answer', faults: ['answer lost'] },
  { name: 'whose charge is queued and was applied', faults: ['answer lost', 'request lost', 'request lost'] },
  { name: 'whose charge is queued and was not applied', faults: ['throttled', 'request lost', 'throttled'] },
];

describe.each(REQUESTS)('a request $name', ({ faults }) => {
  test('is charged once or not at all, wherever its process dies', async () => {
    const whole = new Life();
    const calm = await openWorld();
    calm.updateFaults.push(...faults);
    await openGateway(calm, whole).serve();
    await calm.close();
    expect(calm.charged).toEqual([BigInt(CALL_CU)]);

    for (const point of crashPoints(whole.calls)) {
      const world = await openWorld();
      world.updateFaults.push(...faults);
      const life = new Life(point);
      const { serve, node } = openGateway(world, life);
      expect(await life.live(serve())).toBe('died');
      count('request');
      const certain = world.charged.length > 0 || world.queuedCu() > 0n;
      if (certain) expect(node.answered).toBe(1);
      world.updateFaults.length = 0;
      await world.close();
      expect(world.charged).toEqual(certain ? [BigInt(CALL_CU)] : []);

      // The client asks again, and another process answers.
      const { answered } = node;
      const again = openGateway(world, new Life());
      await again.serve();
      await world.close();
      expect(world.charged.length).toBe(Number(certain) + 1);
      expect(world.charged.length).toBeLessThanOrEqual(answered + again.node.answered);
    }
  });
});

/** An account with three closed hours, one of them settled before, and more idle lanes than are left alone. */
async function openPendingWorld(): Promise<CrashWorld> {
  const world = await openWorld();
  const startMs = world.clock.timeMs;
  for (let lane = 0; lane < 12; lane += 1)
    await charge(world, `old-lane-${lane % 10}${lane > 9 ? 'b' : 'a'}`, 700);
  world.clock.timeMs = startMs + 2 * HOUR_MS;
  await world.settle(new Life());
  await charge(world, 'late-lane-1', 650, startMs);
  world.clock.timeMs = startMs + 8 * HOUR_MS;
  await charge(world, 'new-lane-00', 1_999);
  await createAccount(world.store, world.clock, { account: 'account-2', plan: 'free' });
  await charge(world, 'new-lane-01', 1, world.clock.timeMs, 'account-2');
  world.clock.timeMs = startMs + 10 * HOUR_MS;
  return world;
}

async function charge(
  world: CrashWorld,
  lane: string,
  cu: number,
  timeMs = world.clock.timeMs,
  account = ACCOUNT,
) {
  const verdict = await applyCharge(world.store, chargeOf(account, lane, cu, timeMs));
  expect(verdict.state).toBe('applied');
}

function chargeOf(account: string, lane: string, cu: number, timeMs: number): Charge {
  return { account, lane, cu: BigInt(cu), hour: hourOf(timeMs), seq: BigInt(timeMs) * 1_000n, used: '' };
}

const SETTLEMENTS = [
  { name: 'with all the time', remainingMs: () => Number.POSITIVE_INFINITY },
  { name: 'that hands everything on', remainingMs: () => HAND_ON_BEFORE_END_MS - 1 },
];

describe.each(SETTLEMENTS)('a settlement $name', ({ remainingMs }) => {
  test('leaves the same records, wherever it dies, and wherever the next one does', async () => {
    const whole = new Life();
    const calm = await openPendingWorld();
    await calm.settle(whole, remainingMs);
    await calm.close();
    const records = recordsOf(calm);
    expect(records.length).toBe(4);

    for (const first of crashPoints(whole.calls)) {
      for (const second of [undefined, ...crashPoints(whole.calls)]) {
        const world = await openPendingWorld();
        await world.settle(new Life(first), remainingMs);
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
});

/** Settlement records without the time at which they were made. */
function recordsOf(world: CrashWorld) {
  const records = world.store.items('ledger').filter((item) => item.settled_cu !== undefined);
  return records
    .map(({ settled_at: _, ...record }) => record)
    .sort((one, other) => (`${one.account} ${one.record}` < `${other.account} ${other.record}` ? -1 : 1));
}

test('a delivery of the charge queue is applied once, wherever its consumer dies', async () => {
  const fill = (world: CrashWorld) => {
    const charges = [
      chargeOf(ACCOUNT, 'queue-lane1', 30, world.clock.timeMs),
      chargeOf(ACCOUNT, 'queue-lane2', 40, world.clock.timeMs),
      chargeOf(ACCOUNT, 'queue-lane1', 30, world.clock.timeMs),
    ];
    world.charges.push(...charges.map(encodeCharge));
  };
  const whole = new Life();
  const calm = await openWorld();
  fill(calm);
  await calm.consumeCharges(whole);
  expect(calm.totalCharged()).toBe(70n);

  for (const point of crashPoints(whole.calls)) {
    const world = await openWorld();
    fill(world);
    await world.consumeCharges(new Life(point));
    count('queue');
    expect(world.totalCharged()).toBe(70n);
    await world.close();
    expect(world.charged.length).toBe(2);
  }
});

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
