import fc from 'fast-check';
import { createDynamoStore } from '../../../lambdas/access/store/dynamo-store.ts';
import type {
  Action,
  Condition,
  Item,
  Key,
  Put,
  Query,
  Store,
  Term,
  Update,
  Value,
} from '../../../lambdas/access/store/store.ts';
import { KEYS_BY_ACCOUNT_INDEX, type Table } from '../../../lambdas/access/store/tables.ts';
import { EMULATORS } from '../../emulators/emulators.ts';
import { createMeteringTables, emulatorClientConfig } from '../../emulators/metering-tables.ts';
import type { Emulator } from '../../emulators/server-process.ts';
import { LimitedStore } from './limited-store.ts';
import { MemoryStore } from './memory-store.ts';

type Delete = Parameters<Store['delete']>[0];

const RUNS = 40;
const STEPS = { minLength: 10, maxLength: 30, size: 'max' } as const;
const MAX_PAGES = 20;

interface Place {
  readonly table: Table;
  readonly key: Key;
}

const PLACES: readonly Place[] = [
  { table: 'keys', key: { key_id: 'k1' } },
  { table: 'keys', key: { key_id: 'k2' } },
  { table: 'accounts', key: { account: 'a1' } },
  { table: 'accounts', key: { account: 'a2' } },
  { table: 'ledger', key: { account: 'a1', record: 'credit#1' } },
  { table: 'ledger', key: { account: 'a1', record: 'credit#2' } },
  { table: 'ledger', key: { account: 'a1', record: 'settlement#1' } },
  { table: 'ledger', key: { account: 'a2', record: 'credit#1' } },
  { table: 'lanes', key: { account_shard: 'a1#0', hour_lane: '2026-11-20T23#lane' } },
  { table: 'unsettled', key: { slot: '00', entry: '2026-11-20T23#a1#0' } },
];

/** Few values, so that comparisons often meet equal ones. */
const number = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0n, 1n, 2n ** 53n, 2n ** 53n + 1n, 10n ** 37n) },
  { weight: 1, arbitrary: fc.bigInt({ min: 1n - 10n ** 38n, max: 10n ** 38n - 1n }) },
);
/** The last two are in another order as UTF-16 than as UTF-8. */
const text = fc.constantFrom('', 'a', 'ab', 'Z', '\u{ffee}', '\u{1f600}');
/** An attribute of an index keeps its type. */
const VALUES: Readonly<Record<string, fc.Arbitrary<Value>>> = {
  n1: number,
  n2: number,
  s1: text,
  status: text,
};
/** Only ever a number, and never near the 38 digits. */
const COUNTER = 'granted';
const increment = fc.bigInt({ min: -(10n ** 36n), max: 10n ** 36n });

const values = fc.record(VALUES, { requiredKeys: [] }).map((some) => some as Item);
const attribute = fc.constantFrom(COUNTER, ...Object.keys(VALUES));
/** Mostly with a value that the attribute can have, sometimes with one of another type. */
const comparison = attribute.chain((name) =>
  fc.record({
    is: fc.constantFrom('=', '<', '<=', '>', '>='),
    attribute: fc.constant(name),
    value: fc.oneof({ weight: 4, arbitrary: VALUES[name] ?? increment }, { weight: 1, arbitrary: text }),
  }),
);
const term: fc.Arbitrary<Term> = fc.oneof(
  fc.record({ is: fc.constantFrom('present', 'absent'), attribute }),
  comparison,
);
const condition: fc.Arbitrary<Condition> = fc.array(
  fc.oneof(term, fc.array(term, { minLength: 1, maxLength: 3 })),
  { maxLength: 2 },
);
const place = fc.constantFrom(...PLACES);

function putAt({ table, key }: Place): fc.Arbitrary<Put> {
  const owner: Item = table === 'keys' ? { account: 'a1' } : {};
  return fc.record({ when: condition, count: increment, values }).map(({ when, count, values }) => ({
    table,
    when,
    item: { ...values, [COUNTER]: count, ...owner, ...key },
  }));
}

/** Every attribute is changed in one way at most. */
function updateAt({ table, key }: Place): fc.Arbitrary<Update> {
  return fc
    .record({
      when: condition,
      add: fc.record({ [COUNTER]: increment }),
      values,
      names: fc.shuffledSubarray(Object.keys(VALUES)),
    })
    .map(({ when, add, values, names }) => {
      const chosen = (part: readonly string[]) =>
        Object.fromEntries(Object.entries(values).filter(([name]) => part.includes(name)));
      return { table, key, when, set: chosen(names.slice(0, 2)), add };
    });
}

function deleteAt({ table, key }: Place): fc.Arbitrary<Delete> {
  return fc.tuple(term, condition).map(([first, rest]) => ({ table, key, when: [first, ...rest] }));
}

function actionAt(where: Place): fc.Arbitrary<Action> {
  return fc.oneof(fc.record({ put: putAt(where) }), fc.record({ update: updateAt(where) }));
}

const records = fc.constantFrom('a', 'credit#1', 'credit#2', 'settlement#1', 'z');
const sort = fc.tuple(records, records).map(([one, other]) => {
  return one < other ? { from: one, to: other } : { from: other, to: one };
});
const query: fc.Arbitrary<Query> = fc
  .record({
    subject: fc.oneof(
      fc.record({
        table: fc.constant<Table>('ledger'),
        partition: fc.record({ attribute: fc.constant('account'), value: fc.constantFrom('a1', 'a2') }),
        sort: sort.map((range) => ({ attribute: 'record', ...range })),
        eventual: fc.boolean(),
      }),
      fc.record({
        table: fc.constant<Table>('keys'),
        index: fc.constant(KEYS_BY_ACCOUNT_INDEX.name),
        partition: fc.constant({ attribute: KEYS_BY_ACCOUNT_INDEX.partitionKey, value: 'a1' }),
      }),
    ),
    descending: fc.boolean(),
    limit: fc.integer({ min: 1, max: 3 }),
  })
  .chain((whole) =>
    fc.constantFrom({}, { attributes: ['account'] }, { attributes: ['account', 'status'] }).map((part) => {
      const { subject, ...rest } = whole;
      return { ...subject, ...rest, ...part };
    }),
  );

/** Most places have an item from the start. */
const firstSteps = fc.tuple(
  ...PLACES.slice(1).map((where) => putAt(where).map((put) => ({ put: { ...put, when: [] } }))),
);

type Step =
  | Action
  | { readonly delete: Delete }
  | { readonly query: Query }
  | { readonly transact: readonly Action[] };

const step: fc.Arbitrary<Step> = fc.oneof(
  place.chain((where) => fc.record({ put: putAt(where) })),
  place.chain((where) => fc.record({ update: updateAt(where) })),
  place.chain((where) => fc.record({ delete: deleteAt(where) })),
  fc.record({ query }),
  fc
    .uniqueArray(place, { minLength: 1, maxLength: 4 })
    .chain((places) => fc.record({ transact: fc.tuple(...places.map(actionAt)) })),
);

function carryOut(store: Store, step: Step): Promise<unknown> {
  if ('put' in step) return store.put(step.put);
  if ('update' in step) return store.update(step.update);
  if ('transact' in step) return store.transact(step.transact);
  if ('delete' in step) return store.delete(step.delete);
  return everything(store, step.query);
}

/** All pages of a query. */
async function everything(store: Store, query: Query): Promise<unknown> {
  const items: Item[] = [];
  let after: Item | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const found = await store.query({ ...query, ...(after && { after }) });
    expect(found.items.length).toBeLessThanOrEqual(query.limit);
    items.push(...found.items);
    after = found.next;
    if (after === undefined) break;
  }
  expect(after).toBeUndefined();
  return items;
}

describe.each(EMULATORS)('the store in memory, beside $name', ({ start }) => {
  let emulator: Emulator;
  let dynamo: Store;

  beforeAll(async () => {
    emulator = await start();
    dynamo = createDynamoStore({
      tableNames: await createMeteringTables(emulator.endpoint, 'beside-memory'),
      clientConfig: emulatorClientConfig(emulator.endpoint),
      requestTimeoutMs: 20_000,
      connectTimeoutMs: 20_000,
    });
  });
  afterAll(() => emulator.close());

  test('gives the same results and has the same items in the end', async () => {
    const property = fc.asyncProperty(firstSteps, fc.array(step, STEPS), async (first, steps) => {
      for (const { table, key } of PLACES)
        await dynamo.delete({
          table,
          key,
          when: [],
        });
      const memory = new MemoryStore();
      for (const next of [...first, ...steps])
        expect(await carryOut(memory, next)).toEqual(await carryOut(dynamo, next));
      for (const { table, key } of PLACES) {
        expect(await memory.get(table, key)).toEqual(await dynamo.get(table, key));
      }
    });
    await fc.assert(property, { numRuns: RUNS });
  });
});

const REFUSED = { name: 'StoreUnavailableError', maybeApplied: false };

test('the store in memory refuses what DynamoDB refuses', async () => {
  const store = new MemoryStore();
  const target = { table: 'accounts', key: { account: 'a1' }, when: [] } as const;
  await store.update({ ...target, set: { granted: 10n ** 38n - 1n, plan: 'free' } });
  await expect(store.update({ ...target, add: { granted: 1n } })).rejects.toMatchObject(REFUSED);
  await expect(store.update({ ...target, add: { plan: 1n } })).rejects.toMatchObject(REFUSED);
  await expect(store.update({ ...target, set: { granted: 1n }, add: { granted: 1n } })).rejects.toMatchObject(
    REFUSED,
  );
  await expect(store.update({ ...target, set: { account: 'a2' } })).rejects.toMatchObject(REFUSED);
  const twice = { update: { ...target, set: { plan: 'other' } } };
  await expect(store.transact([twice, twice])).rejects.toMatchObject(REFUSED);
  await expect(store.get('accounts', { account: '' })).rejects.toMatchObject(REFUSED);
  await expect(store.get('accounts', { account: 'a'.repeat(2_049) })).rejects.toMatchObject(REFUSED);
  const index = { table: 'keys', index: KEYS_BY_ACCOUNT_INDEX.name, limit: 1 } as const;
  const ofIndex = { ...index, partition: { attribute: 'account', value: 'a1' }, attributes: ['tat'] };
  await expect(store.query(ofIndex)).rejects.toMatchObject(REFUSED);
  const record = { account: 'a1', record: 'r'.repeat(1_025) };
  await expect(store.put({ table: 'ledger', item: record, when: [] })).rejects.toMatchObject(REFUSED);
  expect(store.items('accounts')).toEqual([{ account: 'a1', granted: 10n ** 38n - 1n, plan: 'free' }]);
});

test('the store in memory refuses items, expressions and transactions that are too large', async () => {
  const store = new MemoryStore();
  const target = { table: 'accounts', key: { account: 'a1' }, when: [] } as const;
  const attributes = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, place) => [`attribute_${place}`, 1n]));
  const sizes = [
    { item: { plan: 'p'.repeat(409_600 - 13) }, fits: true },
    { item: { plan: 'p'.repeat(409_600 - 12) }, fits: false },
  ];
  for (const { item, fits } of sizes) {
    const put = store.put({ table: 'accounts', item: { account: 'a1', ...item }, when: [] });
    if (fits) await put;
    else await expect(put).rejects.toMatchObject(REFUSED);
    const update = store.update({ ...target, set: item });
    if (fits) await update;
    else await expect(update).rejects.toMatchObject(REFUSED);
  }
  await store.update({ ...target, set: { plan: 'free', ...attributes(150) } });
  await expect(store.update({ ...target, set: attributes(301) })).rejects.toMatchObject(REFUSED);
  const when = Object.entries(attributes(160)).map(
    ([attribute, value]) => ({ is: '=', attribute, value }) as const,
  );
  await expect(store.update({ ...target, when })).rejects.toMatchObject(REFUSED);
  const puts = (count: number, size: number) =>
    Array.from({ length: count }, (_, place) => ({
      put: { table: 'ledger', item: { account: 'a1', record: `r${place}`, s1: 's'.repeat(size) }, when: [] },
    })) satisfies Action[];
  await expect(store.transact(puts(101, 1))).rejects.toMatchObject(REFUSED);
  await expect(store.transact(puts(100, 45_000))).rejects.toMatchObject(REFUSED);
  await store.transact(puts(100, 40_000));
  const query = { table: 'ledger', partition: { attribute: 'account', value: 'a1' }, limit: 100 } as const;
  const page = await store.query({ ...query, attributes: ['record'] });
  expect(page.items.length).toBe(27);
  expect((await everything(store, query)) as unknown[]).toHaveLength(100);
});

describe('the store with limits', () => {
  let nowMs = 0;
  const open = () => {
    nowMs = 0;
    return new LimitedStore({ store: new MemoryStore(), nowMs: () => nowMs });
  };
  const write = { table: 'accounts', key: { account: 'a1' }, when: [], add: { granted: 1n } } as const;

  test('takes as many units of a partition as it has in a second', async () => {
    const store = open();
    for (let taken = 0; taken < 1_000; taken += 1) await store.update(write);
    await expect(store.update(write)).rejects.toMatchObject(REFUSED);
    await store.update({ ...write, key: { account: 'a2' } });
    nowMs = 2;
    for (let taken = 0; taken < 2; taken += 1) await store.update(write);
    await expect(store.update(write)).rejects.toMatchObject(REFUSED);
    expect(store.figures('accounts')).toMatchObject({ writeUnits: 1_003, writes: 1_003, throttledWrites: 2 });
  });

  test('counts units by size, twice in a transaction, half for an eventually consistent reading', async () => {
    const store = open();
    const item = { account: 'a1', plan: 'p'.repeat(2_100) };
    await store.put({ table: 'accounts', item, when: [] });
    expect(store.figures('accounts').writeUnits).toBe(3);
    await store.update({ ...write, when: [{ is: 'absent', attribute: 'plan' }] });
    expect(store.figures('accounts').writeUnits).toBe(6);
    await store.transact([{ update: write }]);
    expect(store.figures('accounts').writeUnits).toBe(12);
    await store.get('accounts', { account: 'a1' });
    await store.get('accounts', { account: 'a1' }, { eventual: true });
    expect(store.figures('accounts').readUnits).toBe(1.5);
  });

  test('refuses a write of an item that is in a transaction, and every write while it is told to', async () => {
    const store = open();
    await store.transact([{ update: write }]);
    await expect(store.update(write)).rejects.toMatchObject(REFUSED);
    await expect(store.transact([{ update: write }])).rejects.toMatchObject(REFUSED);
    nowMs = 10;
    await store.update(write);
    store.throttleWrites(1_000);
    await expect(store.update(write)).rejects.toMatchObject(REFUSED);
    expect(await store.get('accounts', { account: 'a1' })).toEqual({ account: 'a1', granted: 2n });
    nowMs = 1_000;
    await store.update(write);
    expect(store.figures('accounts')).toMatchObject({ conflicts: 2, throttledWrites: 1 });
  });
});
