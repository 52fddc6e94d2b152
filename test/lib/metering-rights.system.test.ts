import { randomBytes } from 'node:crypto';
import { wantBalanceView } from '../../lambdas/access/accounts/wide-accounts.ts';
import { storeBehindMark } from '../../lambdas/access/charge/own-lane.ts';
import { keyIdOf } from '../../lambdas/access/keys/api-key.ts';
import { createDynamoStore } from '../../lambdas/access/store/dynamo-store.ts';
import { createHeadRecorder, readHeadRecords } from '../../lambdas/indexer/chain-head-record.ts';
import { ChainHistory } from '../../lambdas/indexer/chain-history.ts';
import type { CacheStore } from '../../lambdas/shared/aws/cache-store.ts';
import { GIVEN_KEY_PREFIX, WAITING_KEY_PREFIX } from '../../lambdas/shared/aws/cache-table.ts';
import { connectDynamo } from '../../lambdas/shared/aws/dynamo-client.ts';
import { MeteringWorld, StillClock } from '../access/metering-world.ts';
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

describe('what an attacker who took over such a function cannot do', () => {
  const KEY = { key_id: { S: 'k' } };
  const key = (input: object): DynamoRequest => ({
    operation: 'UpdateItem',
    input: { TableName: 'rights-keys', Key: KEY, ...input },
  });
  const set = (name: string, value = 'x'): DynamoRequest =>
    key({
      UpdateExpression: `SET #n = :v`,
      ExpressionAttributeNames: { '#n': name },
      ExpressionAttributeValues: { ':v': { S: value } },
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
      'put a key',
      { operation: 'PutItem', input: { TableName: 'rights-keys', Item: { ...KEY, tat: { N: '1' } } } },
    ],
    ['delete a key', { operation: 'DeleteItem', input: { TableName: 'rights-keys', Key: KEY } }],
    ['enable a key', set('status', 'active')],
    ['disable a key', set('status', 'disabled')],
    ['move a key', set('account', 'other')],
    ['rename a key', set('label')],
    ['write its last characters', set('last4')],
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
      'put a lane',
      { operation: 'PutItem', input: { TableName: 'rights-lanes', Item: { total: { N: '1' } } } },
    ],
    ['delete a lane', { operation: 'DeleteItem', input: { TableName: 'rights-lanes', Key: {} } }],
    [
      'put a mark with something else',
      {
        operation: 'PutItem',
        input: { TableName: 'rights-unsettled', Item: { slot: {}, entry: {}, mark: {}, more: {} } },
      },
    ],
    [
      'grant compute units',
      {
        operation: 'UpdateItem',
        input: { TableName: 'rights-accounts', Key: {}, UpdateExpression: 'ADD granted :v' },
      },
    ],
    [
      'write a balance view',
      {
        operation: 'UpdateItem',
        input: { TableName: 'rights-balances', Key: {}, UpdateExpression: 'SET granted = :v' },
      },
    ],
    ['write a record', { operation: 'PutItem', input: { TableName: 'rights-ledger', Item: {} } }],
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
    const may = (policy: string, operation: string, ...keys: readonly string[]) =>
      isAllowed(
        stage.statements(policy),
        { operation, input: { Keys: keys.map((key) => ({ cache_key: { S: key } })) } },
        (resource) => JSON.stringify(resource).includes('ResponseCacheAnswers'),
      );
    const index = 'IndexingFollowexamplemainnet';
    expect(may(index, 'BatchGetItem', ...read)).toBe(true);
    expect(may(index, 'BatchWriteItem', ...written)).toBe(true);
    expect(may('FunctionsStatus', 'BatchGetItem', ...read)).toBe(true);
    const others = written.map((key) => key.replace(chain, 'example_testnet'));
    for (const key of [
      ...others,
      'example_mainnet eth_getBlockByNumber',
      'version#example_mainnet',
      'view 2 x',
    ])
      for (const operation of ['BatchGetItem', 'BatchWriteItem'])
        expect([key, operation, may(index, operation, ...written, key)]).toEqual([key, operation, false]);
    expect(may('FunctionsStatus', 'BatchGetItem', 'version#example_mainnet')).toBe(false);
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
