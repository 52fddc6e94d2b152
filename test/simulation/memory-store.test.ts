import fc from 'fast-check';
import { createDynamoStore } from '../../lambdas/access/dynamo-store.ts';
import type {
  Action,
  Check,
  Condition,
  Item,
  Key,
  Put,
  Query,
  Store,
  Term,
  Update,
  Value,
} from '../../lambdas/access/store.ts';
import { KEYS_BY_ACCOUNT_INDEX, PENDING_ACCOUNTS_INDEX, type Table } from '../../lambdas/access/tables.ts';
import { EMULATORS } from '../emulators/emulators.ts';
import { createMeteringTables, emulatorClientConfig } from '../emulators/metering-tables.ts';
import type { Emulator } from '../emulators/server-process.ts';
import { MemoryStore } from './memory-store.ts';

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
];

/** Few values, so that comparisons often meet equal ones. */
const number = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0n, 1n, 2n ** 53n, 2n ** 53n + 1n, 10n ** 37n) },
  { weight: 1, arbitrary: fc.bigInt({ min: 1n - 10n ** 38n, max: 10n ** 38n - 1n }) },
);
/** The last two are in another order as UTF-16 than as UTF-8. */
const text = fc.constantFrom('', 'a', 'ab', 'Z', '\u{ffee}', '\u{1f600}');
const hour = fc.constantFrom('2026-11-20T22', '2026-11-20T23');
/** An attribute of an index keeps its type. */
const VALUES: Readonly<Record<string, fc.Arbitrary<Value>>> = {
  n1: number,
  n2: number,
  s1: text,
  status: text,
  pending_shard: fc.bigInt({ min: 0n, max: 1n }),
  pending_hour: hour,
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
      const set = chosen(names.slice(0, 2));
      const setIfAbsent = chosen(names.slice(2, 4));
      return { table, key, when, set, setIfAbsent, add, remove: names.slice(4) };
    });
}

function checkAt({ table, key }: Place): fc.Arbitrary<Check> {
  return fc.tuple(term, condition).map(([first, rest]) => ({ table, key, when: [first, ...rest] }));
}

function actionAt(where: Place): fc.Arbitrary<Action> {
  return fc.oneof(
    fc.record({ put: putAt(where) }),
    fc.record({ update: updateAt(where) }),
    fc.record({ check: checkAt(where) }),
  );
}

const records = fc.constantFrom('a', 'credit#1', 'credit#2', 'settlement#1', 'z');
const sort = fc.oneof(
  fc.record({ from: records }),
  fc.record({ to: records }),
  fc.tuple(records, records).map((range) => {
    const [from, to] = range.sort();
    return { from, to };
  }),
);
const query: fc.Arbitrary<Query> = fc
  .record({
    subject: fc.oneof(
      fc.record({
        table: fc.constant<Table>('ledger'),
        partition: fc.record({ attribute: fc.constant('account'), value: fc.constantFrom('a1', 'a2') }),
        sort: sort.map((range) => ({ attribute: 'record', ...range })),
      }),
      fc.record({
        table: fc.constant<Table>('keys'),
        index: fc.constant(KEYS_BY_ACCOUNT_INDEX.name),
        partition: fc.constant({ attribute: KEYS_BY_ACCOUNT_INDEX.partitionKey, value: 'a1' }),
      }),
      fc.record({
        table: fc.constant<Table>('accounts'),
        index: fc.constant(PENDING_ACCOUNTS_INDEX.name),
        partition: fc.constant({ attribute: PENDING_ACCOUNTS_INDEX.partitionKey, value: 1n }),
      }),
    ),
    descending: fc.boolean(),
    limit: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ subject, ...rest }) => ({ ...subject, ...rest }));

/** Most places have an item from the start. */
const firstSteps = fc.tuple(
  ...PLACES.slice(1).map((where) => putAt(where).map((put) => ({ put: { ...put, when: [] } }))),
);

type Step = Action | { readonly query: Query } | { readonly transact: readonly Action[] };

const step: fc.Arbitrary<Step> = fc.oneof(
  place.chain((where) => fc.record({ put: putAt(where) })),
  place.chain((where) => fc.record({ update: updateAt(where) })),
  fc.record({ query }),
  fc
    .uniqueArray(place, { minLength: 1, maxLength: 4 })
    .chain((places) => fc.record({ transact: fc.tuple(...places.map(actionAt)) })),
);

function carryOut(store: Store, step: Step): Promise<unknown> {
  if ('put' in step) return store.put(step.put);
  if ('update' in step) return store.update(step.update);
  if ('transact' in step) return store.transact(step.transact);
  if ('check' in step) return store.transact([step]);
  return everything(store, step.query);
}

/** All pages of a query; accounts of one hour have no order among them. */
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
  const byAccount = (left: Item, right: Item) => String(left.account).localeCompare(String(right.account));
  if (query.index === PENDING_ACCOUNTS_INDEX.name) {
    return { hours: items.map((item) => item.pending_hour), items: items.sort(byAccount) };
  }
  return items;
}

describe.each(EMULATORS)('the store in memory, beside $name', ({ start }) => {
  let emulator: Emulator;
  let runs = 0;

  beforeAll(async () => {
    emulator = await start();
  });
  afterAll(() => emulator.close());

  test('gives the same results and has the same items in the end', async () => {
    const property = fc.asyncProperty(firstSteps, fc.array(step, STEPS), async (first, steps) => {
      runs += 1;
      const tableNames = await createMeteringTables(emulator.endpoint, `run-${runs}`);
      const clientConfig = emulatorClientConfig(emulator.endpoint);
      const dynamo = createDynamoStore({
        tableNames,
        clientConfig,
        requestTimeoutMs: 20_000,
        connectTimeoutMs: 20_000,
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

test('the store in memory refuses what DynamoDB refuses', async () => {
  const store = new MemoryStore();
  const target = { table: 'accounts', key: { account: 'a1' }, when: [] } as const;
  await store.update({ ...target, set: { granted: 10n ** 38n - 1n, plan: 'free' } });
  const failure = { name: 'StoreUnavailableError', maybeApplied: false };
  await expect(store.update({ ...target, add: { granted: 1n } })).rejects.toMatchObject(failure);
  await expect(store.update({ ...target, add: { plan: 1n } })).rejects.toMatchObject(failure);
  const twice = { update: { ...target, set: { plan: 'other' } } };
  await expect(store.transact([twice, twice])).rejects.toMatchObject(failure);
  expect(store.items('accounts')).toEqual([{ account: 'a1', granted: 10n ** 38n - 1n, plan: 'free' }]);
});
