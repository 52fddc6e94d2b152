import { randomBytes } from 'node:crypto';
import type { DynamoDBRecord } from 'aws-lambda';
import fc from 'fast-check';
import type { MethodUsage } from '../../lambdas/access/metering.ts';
import { type Item, type Store, StoreUnavailableError } from '../../lambdas/access/store.ts';
import { MAX_LINES_PER_TRANSACTION } from '../../lambdas/access/usage-fold.ts';
import { usageLines } from '../../lambdas/access/usage-read.ts';
import { usageCu } from '../../lambdas/access/usage-text.ts';
import { countUsage } from '../../lambdas/usage/handler.ts';
import { type Fault, type OpenedStore, STORES } from '../access/metering-world.ts';
import { MemoryStore } from '../simulation/memory-store.ts';
import { ChargeStream, type TestCharge } from './charge-stream.ts';

const CHAIN = 'example_mainnet';
const EARLY = '2026-11-20T22:10:00Z';
const LATE = '2026-11-20T23:10:00Z';

function used(method: string, cu: number, more: Partial<MethodUsage> = {}): MethodUsage {
  return { chain: CHAIN, method, calls: 1, cu, cached: 0, errors: 0, ...more };
}

/** Fails transactions by a script: nothing applied, or applied without an answer. */
class FaultyTransactions {
  readonly faults: (Fault | undefined)[] = [];
  readonly store: Store;

  constructor(store: Store) {
    this.store = {
      get: (...args) => store.get(...args),
      query: (...args) => store.query(...args),
      put: (...args) => store.put(...args),
      update: (...args) => store.update(...args),
      transact: async (actions) => {
        const fault = this.faults.shift();
        if (fault === 'throttled' || fault === 'request_lost') throw new StoreUnavailableError(fault, false);
        const result = await store.transact(actions);
        if (fault === 'answer_lost') throw new StoreUnavailableError(fault, true);
        return result;
      },
    };
  }
}

function count(store: Store, records: readonly DynamoDBRecord[]) {
  return countUsage({ store, pause: async () => {} }, records);
}

async function usageOf(store: Store, account: string) {
  const lines = await Array.fromAsync(usageLines(store, account, '2000-01-01T00', '2100-01-01T00'));
  return lines.map(({ hour, chain, method, calls, cu, cached, errors }) =>
    [hour, chain, method, calls, cu, cached, errors].join(' '),
  );
}

/** The invariant: the lines add up to what the progress has passed. Resolves to the progress. */
async function expectBalanced(store: Store, account: string): Promise<Item> {
  const progress = (await store.get('usage', { account, line: '#progress' })) ?? {};
  const lines = await Array.fromAsync(usageLines(store, account, '2000-01-01T00', '2100-01-01T00'));
  expect(usageCu(lines)).toBe(Number(progress.charged_to ?? 0n) - Number(progress.charged_from ?? 0n));
  return progress;
}

beforeEach(() => {
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterEach(() => jest.restoreAllMocks());

describe.each(STORES)('countUsage on $name', ({ open }) => {
  let opened: OpenedStore;
  let store: Store;
  let stream: ChargeStream;
  let account: string;

  beforeAll(async () => {
    opened = await open();
    store = opened.store;
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    stream = new ChargeStream(store);
    account = `account-${randomBytes(6).toString('hex')}`;
    await stream.open(account);
  });

  const COUNTED = [
    '2026-11-20T22 example_mainnet eth_call 2 40 0 1',
    '2026-11-20T23 * data/chains 1 1 0 0',
    '2026-11-20T23 example_mainnet eth_call 1 20 0 0',
    '2026-11-20T23 example_mainnet eth_getLogs 3 101 1 0',
  ];

  async function chargeAll(): Promise<void> {
    const charges: readonly TestCharge[] = [
      { account, time: EARLY, usage: [used('eth_call', 20)] },
      { account, time: EARLY, usage: [used('eth_call', 20, { errors: 1 })] },
      {
        account,
        time: LATE,
        usage: [used('eth_call', 20), used('eth_getLogs', 51, { calls: 2, cached: 1 })],
      },
      { account, time: LATE, usage: [used('eth_getLogs', 50)] },
      { account, time: LATE, usage: [used('data/chains', 1, { chain: '*' })] },
    ];
    for (const charge of charges) await stream.charge(charge);
  }

  test('counts calls, compute units, cached answers and errors by hour, chain and method', async () => {
    await chargeAll();
    expect(await count(store, stream.records)).toEqual({ batchItemFailures: [] });
    expect(await usageOf(store, account)).toEqual(COUNTED);
    expect(await expectBalanced(store, account)).toMatchObject({ charged_from: 0n, charged_to: 162n });
  });

  test('a record that is delivered again, alone or with others, counts once', async () => {
    await chargeAll();
    const { records } = stream;
    for (const [from, to] of [
      [0, 2],
      [0, 2],
      [1, 4],
      [0, 5],
      [3, 5],
      [0, 1],
    ] as const) {
      await count(store, records.slice(from, to));
    }
    await count(store, [...records, ...records].reverse());
    expect(await usageOf(store, account)).toEqual(COUNTED);
  });

  test('records that are out of order within one delivery are put in order', async () => {
    await chargeAll();
    expect(await count(store, stream.records.toReversed())).toEqual({ batchItemFailures: [] });
    expect(await usageOf(store, account)).toEqual(COUNTED);
  });

  test('one account that the store does not take is delivered again; the others are counted', async () => {
    const other = `${account}-other`;
    await stream.open(other);
    await stream.charge({ account: other, time: LATE, usage: [used('eth_call', 20)] });
    await chargeAll();
    const faulty = new FaultyTransactions(store);
    faulty.faults.push(undefined, 'throttled', 'request_lost', 'answer_lost', 'throttled', 'throttled');
    const { batchItemFailures } = await count(faulty.store, stream.records);
    expect(batchItemFailures).toEqual([{ itemIdentifier: stream.records[1]?.dynamodb?.SequenceNumber }]);
    expect(await count(faulty.store, stream.records.slice(1))).toEqual({ batchItemFailures: [] });
    expect(await usageOf(store, account)).toEqual(COUNTED);
    expect(await usageOf(store, other)).toEqual(['2026-11-20T23 example_mainnet eth_call 1 20 0 0']);
  });

  test('consumers that work the same records at once count each once', async () => {
    await chargeAll();
    const { records } = stream;
    await Promise.all([
      count(store, records),
      count(store, records),
      count(store, records.slice(0, 3)),
      count(store, records.slice(0, 1)),
    ]);
    await count(store, records);
    expect(await usageOf(store, account)).toEqual(COUNTED);
  });

  test('charges that come after later ones are counted without their method, and only once', async () => {
    await chargeAll();
    const { records } = stream;
    await count(store, records.slice(0, 1));
    await count(store, records.slice(3));
    await count(store, records.slice(1, 3));
    await count(store, records);
    expect(await usageOf(store, account)).toEqual([
      '2026-11-20T22 example_mainnet eth_call 1 20 0 0',
      '2026-11-20T23 * * 0 91 0 0',
      '2026-11-20T23 * data/chains 1 1 0 0',
      '2026-11-20T23 example_mainnet eth_getLogs 1 50 0 0',
    ]);
    await expectBalanced(store, account);
    const logged = jest.mocked(process.stdout.write).mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(logged).toMatchObject([{ level: 'warn', event: 'usage_missed', account, cu: 91 }]);
  });

  test('changes that are no charge are not counted', async () => {
    await stream.set(account, { plan: 'free' });
    await stream.set(account, { granted: 5n });
    expect(await count(store, stream.records)).toEqual({ batchItemFailures: [] });
    expect(await store.get('usage', { account, line: '#progress' })).toBeUndefined();
  });

  test('an account that was charged before anybody counted begins where it is found', async () => {
    const old = `${account}-old`;
    await stream.open(old, 5_000n);
    await stream.charge({ account: old, time: LATE, usage: [used('eth_call', 20)] });
    await count(store, stream.records);
    expect(await usageOf(store, old)).toEqual(['2026-11-20T23 example_mainnet eth_call 1 20 0 0']);
    expect(await expectBalanced(store, old)).toMatchObject({ charged_from: 5_000n, charged_to: 5_020n });
  });

  test('a text that does not add up to its charge is not believed', async () => {
    const charge = { account, time: LATE, usage: [used('eth_call', 20)] };
    for (const text of ['', 'nonsense', `${CHAIN} eth_call:1:19`]) await stream.charge(charge, text);
    await count(store, stream.records);
    expect(await usageOf(store, account)).toEqual(['2026-11-20T23 * * 0 60 0 0']);
  });

  test('more lines than one transaction takes are counted in several', async () => {
    const methods = Array.from({ length: 3 * MAX_LINES_PER_TRANSACTION }, (_, index) => `eth_method${index}`);
    for (const method of methods) await stream.charge({ account, time: LATE, usage: [used(method, 7)] });
    await count(store, stream.records);
    expect(await usageOf(store, account)).toHaveLength(methods.length);
    await expectBalanced(store, account);
  });
});

describe('countUsage, whatever is delivered', () => {
  const ACCOUNTS = ['alice', 'bob', 'carol'];
  const charge = fc.record({
    account: fc.constantFrom(...ACCOUNTS),
    time: fc.constantFrom(EARLY, LATE),
    usage: fc.array(
      fc.record({
        chain: fc.constantFrom(CHAIN, 'other'),
        method: fc.constantFrom('eth_call', 'eth_getLogs', 'other'),
        calls: fc.integer({ min: 1, max: 9 }),
        cu: fc.integer({ min: 1, max: 99 }),
        cached: fc.integer({ min: 0, max: 2 }),
        errors: fc.integer({ min: 0, max: 2 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  });
  const fault = fc.constantFrom<(Fault | undefined)[]>(undefined, undefined, 'throttled', 'answer_lost');
  const slice = fc.record({ from: fc.nat(), length: fc.integer({ min: 1, max: 12 }), twice: fc.boolean() });
  const deliveries = fc.record({
    charges: fc.array(charge, { minLength: 1, maxLength: 40 }),
    faults: fc.array(fault, { maxLength: 40 }),
    slices: fc.array(slice, { maxLength: 20 }),
  });

  interface Plan {
    readonly charges: readonly TestCharge[];
    readonly faults: readonly (Fault | undefined)[];
    readonly slices: readonly { readonly from: number; readonly length: number; readonly twice: boolean }[];
  }

  /** Makes the charges and delivers slices of their records, each from where `start` says, and all in the end. */
  async function deliver(
    { charges, faults, slices }: Plan,
    start: (from: number, delivered: number, records: number) => number,
  ): Promise<MemoryStore> {
    const store = new MemoryStore();
    const stream = new ChargeStream(store);
    for (const account of ACCOUNTS) await stream.open(account);
    for (const each of charges) await stream.charge(each);
    const faulty = new FaultyTransactions(store);
    faulty.faults.push(...faults);
    let delivered = 0;
    for (const { from, length, twice } of slices) {
      const begin = start(from, delivered, stream.records.length);
      const records = stream.records.slice(begin, begin + length);
      const answers = await Promise.all(
        [records, ...(twice ? [records] : [])].map((batch) => count(faulty.store, batch)),
      );
      const failed = answers.some(({ batchItemFailures }) => batchItemFailures.length > 0);
      if (!failed) delivered = Math.max(delivered, begin + records.length);
    }
    faulty.faults.length = 0;
    await count(store, stream.records.slice(delivered));
    await count(store, stream.records);
    return store;
  }

  function expectedLines(charges: readonly TestCharge[], account: string): string[] {
    const sums = new Map<string, number[]>();
    for (const { time, usage } of charges.filter((each) => each.account === account)) {
      for (const { chain, method, calls, cu, cached, errors } of usage) {
        const key = `${time.slice(0, 13)} ${chain} ${method}`;
        const sum = sums.get(key) ?? [0, 0, 0, 0];
        sums.set(
          key,
          [calls, cu, cached, errors].map((value, index) => value + (sum[index] ?? 0)),
        );
      }
    }
    return [...sums].map(([key, sum]) => [key, ...sum].join(' ')).sort();
  }

  test('in order, with repetitions and failures: every line is exact', async () => {
    await fc.assert(
      fc.asyncProperty(deliveries, async (plan) => {
        const store = await deliver(plan, (from, delivered) => from % (delivered + 1));
        for (const account of ACCOUNTS) {
          expect((await usageOf(store, account)).sort()).toEqual(expectedLines(plan.charges, account));
        }
      }),
      { numRuns: 200 },
    );
  });

  test('in any order: every account adds up to what it was charged', async () => {
    await fc.assert(
      fc.asyncProperty(deliveries, async (plan) => {
        const store = await deliver(plan, (from, _, records) => from % records);
        for (const account of ACCOUNTS) {
          const progress = await expectBalanced(store, account);
          const { charged } = (await store.get('accounts', { account })) ?? {};
          expect(progress.charged_to ?? 0n).toBe(charged);
        }
      }),
      { numRuns: 200 },
    );
  });
});
