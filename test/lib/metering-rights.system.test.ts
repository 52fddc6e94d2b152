import { randomBytes } from 'node:crypto';
import { wantBalanceView } from '../../lambdas/access/accounts/read-lanes.ts';
import { createWaitingStore } from '../../lambdas/access/bucket/waiting-store.ts';
import { storeBehindMark } from '../../lambdas/access/charge/lane.ts';
import { keyIdOf } from '../../lambdas/access/keys/api-key.ts';
import { createDynamoStore } from '../../lambdas/access/store/dynamo-store.ts';
import { createGivenHeadStore } from '../../lambdas/access/store/given-head-store.ts';
import { createRefusalStore } from '../../lambdas/access/store/refusal-store.ts';
import type { SharedItemsOptions } from '../../lambdas/access/store/shared-items.ts';
import { createSharedTextStore } from '../../lambdas/access/store/shared-text-store.ts';
import { createHeadRecorder, readHeadRecords } from '../../lambdas/indexer/chain-head-record.ts';
import { ChainHistory } from '../../lambdas/indexer/chain-history.ts';
import { cacheKey } from '../../lambdas/rpc/cache/equal-calls.ts';
import { anchorKey, KeptResults, newVersion, toShared } from '../../lambdas/rpc/cache/shared-results.ts';
import { type CacheStore, createCacheStore } from '../../lambdas/shared/aws/cache-store.ts';
import { GIVEN_KEY_PREFIX, WAITING_KEY_PREFIX } from '../../lambdas/shared/aws/cache-table.ts';
import { connectDynamo } from '../../lambdas/shared/aws/dynamo-client.ts';
import { tellLackingProofs } from '../../lambdas/shared/upstream/sharing/lacking-proofs.ts';
import { MeteringWorld, StillClock } from '../access/metering-world.ts';
import { startCountingProxy } from '../cost/counting-proxy.ts';
import { createCacheTable } from '../emulators/cache-table.ts';
import { startDynoxide } from '../emulators/dynoxide.ts';
import { createMeteringTables, emulatorClientConfig } from '../emulators/metering-tables.ts';
import type { Emulator } from '../emulators/server-process.ts';
import { type DynamoRequest, isAllowed, type PolicyStatement } from './request-policy.ts';
import { SynthesisedStage } from './synthesised-stage.ts';

const PATIENCE_MS = 120_000;
const HOUR_MS = 3_600_000;
const SERVING = ['FunctionsRpc', 'FunctionsData', 'FunctionsMcp'];

let emulator: Emulator;
let stage: SynthesisedStage;
let names: Awaited<ReturnType<typeof createMeteringTables>>;
/** Requests that the access layer has sent. */
const sent: DynamoRequest[] = [];

const recording: typeof connectDynamo = (options) => {
  const client = connectDynamo(options);
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      (args) => {
        sent.push({
          operation: commandName.replace('Command', ''),
          input: args.input as DynamoRequest['input'],
        });
        return next(args);
      },
    { step: 'initialize' },
  );
  return client;
};

function openStore(connect = connectDynamo) {
  return createDynamoStore({
    tableNames: names,
    clientConfig: emulatorClientConfig(emulator.endpoint),
    connectTimeoutMs: PATIENCE_MS,
    requestTimeoutMs: PATIENCE_MS,
    connect,
  });
}

beforeAll(async () => {
  stage = new SynthesisedStage('example-production');
  emulator = await startDynoxide();
  names = await createMeteringTables(emulator.endpoint, 'rights');
});
afterAll(() => emulator.close());
beforeEach(() => {
  sent.length = 0;
});

/** Whether the policy of a function allows a request, whichever way DynamoDB counts the attributes of the key. */
function allows(policy: string, request: DynamoRequest): boolean {
  const statements: readonly PolicyStatement[] = stage.statements(policy);
  const table = String(request.input.TableName).replace('rights-', '');
  const isOn = (resource: unknown) =>
    JSON.stringify(resource).toLowerCase().includes(`"tables${table}`) &&
    !JSON.stringify(resource).includes('/index/');
  const answers = [true, false].map((withKey) => isAllowed(statements, request, isOn, { withKey }));
  expect(new Set(answers).size).toBe(1);
  return answers[0] === true;
}

function kindOf({ operation, input }: DynamoRequest): string {
  return `${operation} ${String(input.TableName)}`;
}

describe('what the access layer sends', () => {
  test.each(['standard', 'free', 'busy'])('for a key of the plan %s is allowed', async (plan) => {
    const world = await new MeteringWorld(openStore()).create({ plan, granted: 3_000n });
    const meter = world.instance(openStore(recording));
    const holder = await meter.authenticate(world.apiKey);
    expect(holder).toEqual(world.holder);
    for (let hour = 0; hour < 2; hour += 1) {
      for (let request = 0; request < 8; request += 1) {
        const admission = await meter.admit(world.holder, { cu: 150 });
        if (admission.admitted)
          await meter
            .charge(world.holder, 150, [
              { chain: 'example_mainnet', method: 'eth_call', calls: 1, cu: 150, cached: 0, errors: 0 },
            ])
            .store();
        await meter.storeDue();
      }
      world.clock.timeMs += HOUR_MS;
    }
    await world.setKeyStatus('disabled');
    expect(await meter.admit(world.holder, { cu: 1 })).toMatchObject({ refusal: { reason: 'key_unknown' } });
    expect(new Set(sent.map(kindOf))).toEqual(
      new Set([
        'GetItem rights-keys',
        'GetItem rights-accounts',
        'GetItem rights-balances',
        'Query rights-lanes',
        'UpdateItem rights-keys',
        'UpdateItem rights-lanes',
        'PutItem rights-unsettled',
      ]),
    );
    for (const policy of SERVING) {
      expect(sent.filter((request) => !allows(policy, request))).toEqual([]);
    }
  });

  test('to ask for the balance view of an account is allowed', async () => {
    await wantBalanceView(openStore(recording), 'acme');
    expect(sent.map(kindOf)).toEqual(['PutItem rights-unsettled']);
    for (const policy of SERVING) expect(allows(policy, sent[0] as DynamoRequest)).toBe(true);
  });

  test('for a charge of the queue is allowed', async () => {
    const clock = { now: () => Date.UTC(2026, 10, 20, 23, 30) };
    const lane = {
      account: 'acme',
      shard: 0,
      hour: '2026-11-20T23',
      lane: 'lane-1_____',
      charges: 1,
      total: 20n,
      used: '',
    };
    await storeBehindMark({ store: openStore(recording), clock, randomBytes }, lane);
    expect(sent.map(kindOf)).toEqual(['PutItem rights-unsettled', 'UpdateItem rights-lanes']);
    for (const request of sent) expect(allows('FunctionsCharges', request)).toBe(true);
  });
});

/** Beside what their policies do not name at all (permissions.system.test.ts): what of the named their conditions refuse. */
describe('what an attacker who took over such a function cannot do', () => {
  const KEY = { key_id: { S: 'k' } };
  const key = (input: object): DynamoRequest => ({
    operation: 'UpdateItem',
    input: { TableName: 'rights-keys', Key: KEY, ...input },
  });

  test.each<[string, DynamoRequest]>([
    [
      'make a key',
      key({
        UpdateExpression: 'SET account = :a, #s = :s',
        ExpressionAttributeNames: { '#s': 'status' },
        ExpressionAttributeValues: { ':a': { S: 'acme' }, ':s': { S: 'active' } },
      }),
    ],
    [
      'enable a key',
      key({
        UpdateExpression: 'SET #n = :v',
        ExpressionAttributeNames: { '#n': 'status' },
        ExpressionAttributeValues: { ':v': { S: 'active' } },
      }),
    ],
    ['change it beside its bucket', key({ UpdateExpression: 'SET tat = :t, account = :a' })],
    ['change it in its bucket', key({ UpdateExpression: 'SET account.tat = :a, tat = :t' })],
    [
      'remove its state',
      key({ UpdateExpression: 'SET tat = :t REMOVE #s', ExpressionAttributeNames: { '#s': 'status' } }),
    ],
    [
      'change it without an expression',
      key({ AttributeUpdates: { status: { Action: 'PUT', Value: { S: 'active' } } } }),
    ],
    [
      'ask for its state',
      key({ UpdateExpression: 'SET tat = :t', Expected: { status: { Value: { S: 'active' } } } }),
    ],
    ['make an item that holds nothing', key({})],
    ['write a lane something else', laneOf('SET account = :a')],
    ['make a lane that holds nothing', laneOf(undefined)],
    [
      'put a mark with something else',
      {
        operation: 'PutItem',
        input: { TableName: 'rights-unsettled', Item: { slot: {}, entry: {}, mark: {}, more: {} } },
      },
    ],
  ])('%s', (_, request) => {
    for (const policy of SERVING) expect(allows(policy, request)).toBe(false);
  });

  function laneOf(expression: string | undefined): DynamoRequest {
    const lane = { account_shard: { S: 'acme#0' }, hour_lane: { S: '2026-11-20T23#x' } };
    return {
      operation: 'UpdateItem',
      input: { TableName: 'rights-lanes', Key: lane, ...(expression && { UpdateExpression: expression }) },
    };
  }
});

test('an item that holds only a bucket, as they may make one, is no key', async () => {
  const store = openStore();
  const world = await new MeteringWorld(store).create();
  const apiKey = `rgw_${'0'.repeat(64)}`;
  const keyId = keyIdOf(apiKey);
  await store.update({ table: 'keys', key: { key_id: keyId }, when: [], set: { tat: 0n } });
  const meter = world.instance(store);
  expect(await meter.authenticate(apiKey)).toBeUndefined();
  expect(await meter.admit({ ...world.holder, keyId }, { cu: 1 })).toEqual({
    admitted: false,
    refusal: { reason: 'key_unknown' },
  });
});

describe('in the table of shared responses', () => {
  const change = (cacheKey: string): DynamoRequest => ({
    operation: 'UpdateItem',
    input: {
      TableName: 'ResponseCacheAnswers',
      Key: { cache_key: { S: cacheKey } },
      UpdateExpression: 'SET body = :b',
    },
  });
  const mayChange = (policy: string, cacheKey: string) =>
    isAllowed(stage.statements(policy), change(cacheKey), (resource) =>
      JSON.stringify(resource).includes('ResponseCacheAnswers'),
    );

  test.each(SERVING)('%s may change waiting time, and no response by such a change', (policy) => {
    expect(mayChange(policy, `${WAITING_KEY_PREFIX}exports of k`)).toBe(true);
    expect(mayChange(policy, 'example_mainnet eth_getBlockByNumber')).toBe(false);
  });

  test('only what gives heads to keys may change them', () => {
    const item = `${GIVEN_KEY_PREFIX}example_mainnet k`;
    expect(SERVING.filter((policy) => mayChange(policy, item))).toEqual(
      SERVING.filter((policy) => /Rpc|Mcp/.test(policy)),
    );
  });

  const mayBatch = (policy: string, operation: string, ...keys: readonly string[]) =>
    isAllowed(
      stage.statements(policy),
      { operation, input: { Keys: keys.map((key) => ({ cache_key: { S: key } })) } },
      (resource) => JSON.stringify(resource).includes('ResponseCacheAnswers'),
    );

  test.each(['FunctionsRpc', 'FunctionsMcp'])(
    '%s may do all that it does, and nothing with what others keep there',
    async (policy) => {
      const requests = await requestsOfShared(`shared-${policy}`);
      expect(
        new Set(
          requests.map(({ operation, keys: [key = ''] }) => `${operation} ${/^\w+[ #]/.exec(key)?.[0]}`),
        ),
      ).toEqual(
        new Set([
          ...['result ', 'version#', 'anchor ', 'proofs#', 'given '].flatMap((kind) => [
            `BatchGetItem ${kind}`,
            `BatchWriteItem ${kind}`,
          ]),
          ...['given ', 'view '].flatMap((kind) => [`GetItem ${kind}`, `UpdateItem ${kind}`]),
          ...['waiting ', 'refused '].map((kind) => `UpdateItem ${kind}`),
        ]),
      );
      for (const { operation, keys } of requests)
        expect([operation, keys, mayBatch(policy, operation, ...keys)]).toEqual([operation, keys, true]);
      const foreign = ['head#example_mainnet', 'history#example_mainnet', 'example_mainnet', ''];
      const result = requests.find(({ keys: [key] }) => key?.startsWith('result '))?.keys ?? [];
      const batched = ['view 2 x', 'waiting x', ...(policy === 'FunctionsRpc' ? ['refused x'] : [])];
      for (const [operation, others] of [
        ['BatchGetItem', batched],
        ['BatchWriteItem', batched],
        ['GetItem', ['version#example_mainnet', 'proofs#example_mainnet']],
        ['UpdateItem', ['version#example_mainnet', 'proofs#example_mainnet', ...result]],
        ['PutItem', result],
        ['DeleteItem', result],
      ] as const)
        for (const key of [...foreign, ...others]) {
          const keys = operation.startsWith('Batch') ? [...result, key] : [key];
          expect([operation, key, mayBatch(policy, operation, ...keys)]).toEqual([operation, key, false]);
        }
    },
  );

  test('what tells an owner of refusals may read them', async () => {
    const requests = await requestsTo('shared-refusals', async (options) => {
      await createRefusalStore(options).read('k', new StillClock().now());
    });
    expect(requests.map(({ operation, keys }) => [operation, keys.length])).toEqual([['BatchGetItem', 24]]);
    const mayRead = (policy: string) =>
      requests.every(({ operation, keys }) => mayBatch(policy, operation, ...keys));
    expect([...SERVING, 'FunctionsStatus'].filter(mayRead)).toEqual(['FunctionsMcp', 'FunctionsStatus']);
  });

  /** What stores of a new table send, each request by its operation and the keys of its items. */
  async function requestsTo(
    tableName: string,
    use: (options: Required<SharedItemsOptions>) => Promise<void>,
  ) {
    await createCacheTable(emulator.endpoint, tableName);
    const sent: { readonly operation: string; readonly keys: readonly string[] }[] = [];
    const proxy = await startCountingProxy({
      target: emulator.endpoint,
      onExchange({ operation, request, status }) {
        expect([operation, status]).toEqual([operation, 200]);
        sent.push({
          operation,
          keys: [...request.toString().matchAll(/"cache_key":\{"S":"([^"]*)"\}/g)].map(([, key = '']) => key),
        });
      },
    });
    try {
      const clientConfig = emulatorClientConfig(proxy.url);
      const times = { connectTimeoutMs: PATIENCE_MS, requestTimeoutMs: PATIENCE_MS };
      await use({ tableName, clientConfig, ...times });
    } finally {
      await proxy.close();
    }
    return sent;
  }

  /** What the stores of a function that serves JSON-RPC send. */
  function requestsOfShared(tableName: string) {
    return requestsTo(tableName, async (options) => {
      const store = createCacheStore({ ...options, readTimeoutMs: PATIENCE_MS, writeTimeoutMs: PATIENCE_MS });
      const clock = new StillClock();
      const [chain, now] = ['example_mainnet', clock.now()];
      const results = new KeptResults(store, clock);
      const key = cacheKey({ chain, chainId: 1 }, { method: 'eth_call', params: Buffer.from('[]') });
      const kept = [
        { key, result: Buffer.from('1'), expiresAt: now + HOUR_MS },
        newVersion(chain, now),
        toShared({ number: 1n, hash: `0x${'0'.repeat(64)}` }, anchorKey(chain, ''), now),
      ];
      for (const one of kept) {
        expect(await results.write([one])).toBe(true);
        expect(await results.read([one.key])).toHaveLength(1);
      }
      await tellLackingProofs(store, chain, 8, now);
      const given = createGivenHeadStore(options);
      const head = { sequence: 1, number: 7n, by: 'one', at: now };
      await given.raise('k', chain, head, await given.read('k', chain));
      await given.keepTakers(chain, new Map([['k', { by: 'one', at: now }]]));
      expect((await given.readTakers(chain, ['k'])).size).toBe(1);
      const views = createSharedTextStore(options);
      expect(
        await views.write(chain, { sequence: 1, toldAt: now, text: '{}' }, await views.read(chain)),
      ).toBe(true);
      await createWaitingStore({ ...options, clock }).draw({ of: chain, kind: 'wait', seats: 1 }, 1);
      await createRefusalStore(options).add('k', {
        counts: { method: 1 },
        last: { reason: 'method', address: '192.0.2.1', at: now },
      });
    });
  }

  test('the index of a chain may do what it does with its own items, and nothing with any other', async () => {
    const chain = 'example_mainnet';
    const clock = new StillClock();
    const read: string[] = [];
    const written: string[] = [];
    const records: CacheStore = {
      read: async (keys) => {
        read.push(...keys);
        return [];
      },
      write: async (items) => {
        written.push(...items.map(({ key }) => key));
      },
    };
    const block = { number: 7, timestamp: 1_000 };
    await createHeadRecorder(records, chain, clock)(block);
    const history = new ChainHistory({ records, chain, clock, isBatched: true });
    history.note(block);
    await history.keep();
    await readHeadRecords(records, [chain]);
    expect([read.length, written.length]).toEqual([2, 2]);
    const index = 'IndexingFollowexamplemainnet';
    expect(mayBatch(index, 'BatchGetItem', ...read)).toBe(true);
    expect(mayBatch(index, 'BatchWriteItem', ...written)).toBe(true);
    expect(mayBatch('FunctionsStatus', 'BatchGetItem', ...read)).toBe(true);
    const others = written.map((key) => key.replace(chain, 'example_testnet'));
    for (const key of [
      ...others,
      'example_mainnet eth_getBlockByNumber',
      'version#example_mainnet',
      'view 2 x',
    ])
      for (const operation of ['BatchGetItem', 'BatchWriteItem'])
        expect([key, operation, mayBatch(index, operation, ...written, key)]).toEqual([
          key,
          operation,
          false,
        ]);
    expect(mayBatch('FunctionsStatus', 'BatchGetItem', 'version#example_mainnet')).toBe(false);
  });

  test('data may neither read nor put a response', () => {
    for (const operation of ['BatchGetItem', 'BatchWriteItem', 'PutItem', 'GetItem', 'DeleteItem'])
      expect(
        isAllowed(stage.statements('FunctionsData'), { ...change('any'), operation }, (resource) =>
          JSON.stringify(resource).includes('ResponseCacheAnswers'),
        ),
      ).toBe(false);
  });
});
